/**
 * The SDK's client behind the `Connection` contract. Its timers are set out of reach: every wait is limited above it.
 */
import { Client, isJSONRPCErrorResponse, type PriorDiscovery, type Transport } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Call, Connection } from "../Connection.ts"
import { ConnectionLost, type Exited, HandshakeFailed, type McpErrorReason } from "../McpError.ts"
import type { CallProgress } from "../McpTool.ts"
import * as Pages from "./Pages.ts"
import type { RawAnswers } from "./RawAnswers.ts"
import * as SdkErrors from "./SdkErrors.ts"
import * as SdkOffers from "./SdkOffers.ts"

/** Who we say we are. @category constants */
export const CLIENT_INFO = { name: "boocode", version: "0.1.0" } as const

/** The longest a timer can be, about 24 days. */
const NEVER = 2 ** 31 - 1
/** What the server is told of a cancelled call; never the caller's own words (R30). */
const CANCELLED = "the client cancelled the call"

/** What a connection is made from. @category models */
export interface Options {
  readonly transport: Transport
  readonly answers: RawAnswers
  /** The era that was found out; the SDK's own question for it would wait by a clock of its own. */
  readonly era: PriorDiscovery
  /** True when the era was found out at an earlier start: then the first listing has to bear it out. */
  readonly isRemembered: boolean
  readonly isAuthorized: boolean
  readonly scrub: (text: string) => string
  /** What the transport itself knows, when it is a process. */
  readonly channel: {
    readonly pid: number | null
    readonly closed: Effect.Effect<Exited | ConnectionLost>
    readonly diagnostics: () => ReadonlyArray<string>
    readonly stderr: () => string
  }
}

/**
 * Performs the handshake. When the scope closes, what is pending fails first; the transport then closes in its own scope.
 *
 * @category constructors
 */
export const open = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const { channel, transport } = options
  const client = new Client(CLIENT_INFO, { capabilities: {} })
  const lost = yield* Deferred.make<Exited | ConnectionLost>()
  const traffic = observe(transport, yield* Clock.Clock)
  let haveToolsChanged = false
  let onToolsChanged = () => {
    haveToolsChanged = true
  }
  client.onclose = () => Deferred.doneUnsafe(lost, Effect.succeed(new ConnectionLost({ detail: "it was closed" })))
  client.setNotificationHandler("notifications/tools/list_changed", () => onToolsChanged())
  const offers = SdkOffers.make(
    client,
    (method, params) => traffic.during(request(client, options, method, params, null))
  )
  yield* Effect.forkScoped(
    Effect.flatMap(channel.closed, (why) =>
      Effect.andThen(
        Deferred.succeed(lost, why),
        Effect.sync(() => transport.onclose?.())
      ))
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => transport.onclose?.()))
  yield* Effect.catchTag(connect(client, options), "ConnectionLost", (error) => exitOr(error, channel.closed))
  const info = client.getServerVersion()
  const told = (text: string) => options.scrub(text).slice(0, 200)
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "unknown",
    serverInfo: info === undefined ? null : { name: told(info.name), version: told(info.version) },
    pid: channel.pid,
    listTools: Effect.suspend(() =>
      client.getServerCapabilities()?.tools === undefined
        ? Effect.succeed({ tools: [], diagnostics: ["the server declares no tools"] })
        : traffic.during(listed(client, options))
    ),
    call: (call) => traffic.during(callTool(client, options, call)),
    ...offers,
    ping: traffic.during(ping(client, options)),
    traffic: traffic.now,
    onToolsChanged: (listener) => {
      onToolsChanged = listener
      if (haveToolsChanged) listener()
      haveToolsChanged = false
    },
    closed: Deferred.await(lost),
    diagnostics: channel.diagnostics,
    stderr: channel.stderr,
    scrub: options.scrub
  }
})

const connect = (client: Client, options: Options) =>
  Effect.tryPromise({
    try: (signal) =>
      client.connect(options.transport, {
        signal,
        timeout: NEVER,
        prior: options.era
      }),
    catch: (error) =>
      SdkErrors.handshakeReason(
        error,
        occasion(options, options.era.kind === "modern" ? "server/discover" : "initialize")
      )
  })

/** Takes the time of all that arrives, before the SDK looks at it, and counts the requests that wait. */
const observe = (transport: Transport, clock: Clock.Clock) => {
  let heardAt = clock.currentTimeMillisUnsafe()
  let waiting = 0
  transport.onmessage = (message) => {
    const isOurs = isJSONRPCErrorResponse(message) && message.error.data instanceof ConnectionLost
    if (!isOurs) heardAt = clock.currentTimeMillisUnsafe()
  }
  const enter = Effect.sync(() => void waiting++)
  const leave = Effect.sync(() => void waiting--)
  return {
    now: () => ({ heardAt, waiting }),
    during: <A, E>(request: Effect.Effect<A, E>) => Effect.acquireUseRelease(enter, () => request, () => leave)
  }
}

/** A program that ends breaks the pipe first and tells its exit status a moment later; the status says more. */
const exitOr = (error: ConnectionLost, closed: Effect.Effect<Exited | ConnectionLost>) =>
  Effect.flatMap(Effect.timeoutOption(closed, "300 millis"), (why) => Effect.fail(Option.getOrElse(why, () => error)))

const occasion = (options: Options, method: string): SdkErrors.Occasion => ({
  method,
  isAuthorized: options.isAuthorized,
  scrub: options.scrub
})

/** A server may declare tools and not know the method, which is no reason to lose it (R55). */
const listed = (client: Client, options: Options) =>
  Effect.map(
    Pages.collect(Pages.TOOLS, (cursor) => page(client, options, cursor)),
    ({ diagnostics, items }) => ({ tools: items, diagnostics })
  ).pipe(
    Effect.catchIf(
      (reason) => SdkOffers.isUnknownMethod(reason) && !isClaim(options),
      () => Effect.succeed({ tools: [], diagnostics: ["the server declares tools but cannot list them"] })
    ),
    Effect.catchTag(
      "ConnectionLost",
      (error) => options.channel.pid === null ? Effect.fail(error) : exitOr(error, options.channel.closed)
    )
  )

/**
 * An older server may take the question of a later revision for its own. Its answer lacks what every result of that
 * revision has.
 */
const page = (client: Client, options: Options, cursor: string | null) => {
  const asked = request(client, options, "tools/list", cursor === null ? {} : { cursor }, null)
  return isClaim(options)
    ? Effect.filterOrFail(asked, ({ resultType }) => resultType !== undefined, () => OLDER)
    : asked
}

/** Whether nothing has shown yet that the server speaks the revision in which it is spoken to. */
const isClaim = ({ era, isRemembered }: Options): boolean => isRemembered && era.kind === "modern"

const OLDER = new HandshakeFailed({
  method: "tools/list",
  detail: "it answered as servers of older revisions do",
  code: null,
  stderr: ""
})

const callTool = (client: Client, options: Options, call: Call) =>
  request(client, options, "tools/call", { name: call.tool, arguments: call.args }, call.onProgress)

/** Any answer will do, so none is decoded. */
const ping = (client: Client, options: Options) =>
  Effect.suspend(() =>
    request(client, options, client.getProtocolEra() === "modern" ? "server/discover" : "ping", {}, null)
  )

type Method = "tools/call" | "tools/list" | "ping" | "server/discover" | SdkOffers.Method

/** Sends a request whose result is taken as the server wrote it. */
const request = (
  client: Client,
  options: Options,
  method: Method,
  params: Schema.JsonObject,
  onProgress: ((progress: CallProgress) => void) | null
): Effect.Effect<Schema.JsonObject, McpErrorReason> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ticket = options.answers.ticket({
      settle: (result) => resume(Effect.succeed(result)),
      progress: (params) => onProgress?.(progressOf(params))
    })
    const sent = client.request({ method, params: { ...params, _meta: ticket.meta } }, ANYTHING, {
      signal: controller.signal,
      timeout: NEVER,
      // Makes the SDK send a progress token; what comes is taken before the SDK sees it.
      ...(onProgress === null ? {} : { onprogress: () => {} })
    })
    // The raw result has resumed before this; only failures are news.
    sent.then(
      () => {
        ticket.drop()
        resume(Effect.fail(new ConnectionLost({ detail: "the answer was none that the protocol knows" })))
      },
      (error: unknown) => {
        ticket.drop()
        resume(Effect.fail(SdkErrors.toReason(error, occasion(options, method))))
      }
    )
    return Effect.sync(() => controller.abort(CANCELLED))
  })

const progressOf = ({ message, progress, total }: Schema.JsonObject): CallProgress => ({
  progress: typeof progress === "number" ? progress : 0,
  total: typeof total === "number" ? total : null,
  message: typeof message === "string" ? message : null
})

/** The SDK sees only a stand-in for the result, so there is nothing to validate. */
const ANYTHING = {
  "~standard": { version: 1, vendor: "boocode", validate: (value: unknown) => ({ value }) }
} as const
