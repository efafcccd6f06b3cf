/**
 * The SDK's client behind the `Connection` contract. Its timers are set out of reach: every wait is limited above it.
 */
import { Client, isJSONRPCErrorResponse, type PriorDiscovery, type Transport } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Call, Connection } from "../Connection.ts"
import { ConnectionLost, type Exited, HandshakeFailed, type McpErrorReason } from "../McpError.ts"
import * as ServerHost from "../requests/ServerHost.ts"
import * as MirroredCalls from "./MirroredCalls.ts"
import * as Pages from "./Pages.ts"
import type { RawAnswers } from "./RawAnswers.ts"
import * as SdkAsking from "./SdkAsking.ts"
import * as SdkErrors from "./SdkErrors.ts"
import * as SdkNews from "./SdkNews.ts"
import * as SdkOffers from "./SdkOffers.ts"
import * as SdkRequest from "./SdkRequest.ts"

/** Who we say we are. @category constants */
export const CLIENT_INFO = { name: "boocode", version: "0.1.0" } as const

/** What a connection is made from. @category models */
export interface Options {
  readonly transport: Transport
  readonly answers: RawAnswers
  /** The era that was found out; the SDK's own question for it would wait by a clock of its own. */
  readonly era: PriorDiscovery
  /** True when the era was found out at an earlier start: then the first listing has to bear it out. */
  readonly isRemembered: boolean
  readonly isAuthorized: boolean
  /** The name under which a person can sign in; absent where nobody can. */
  readonly login?: string | undefined
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
  const host = yield* ServerHost.Current
  const client = new Client(CLIENT_INFO, { capabilities: ServerHost.capabilities(host, options.era.kind) })
  const lost = yield* Deferred.make<Exited | ConnectionLost>()
  const traffic = observe(transport, yield* Clock.Clock)
  client.onclose = () => Deferred.doneUnsafe(lost, Effect.succeed(new ConnectionLost({ detail: "it was closed" })))
  const send = SdkRequest.make(client, { ...options, meta: () => news.meta() })
  const asking = yield* SdkAsking.open({ ...options, client, host, send, isModern: options.era.kind === "modern" })
  const offers = SdkOffers.make(client, (method, params) => traffic.during(send({ method, params })))
  const news: SdkNews.SdkNews = SdkNews.make({
    client,
    answers: options.answers,
    // What stays open says nothing about whether the server is at work.
    send: (request) => request.method === "subscriptions/listen" ? send(request) : traffic.during(send(request)),
    declares: offers.declares,
    // Closes after what is pending has failed, so that a server that goes is not told that nobody listens any more.
    scope: yield* Scope.fork(yield* Effect.scope)
  })
  const isMirrored = () => channel.pid === null && client.getProtocolEra() === "modern"
  const tools = MirroredCalls.make({
    isNeeded: isMirrored,
    list: listed(send, options),
    onMismatch: news.tellToolsChanged
  })
  yield* Effect.forkScoped(
    Effect.flatMap(channel.closed, (why) =>
      Effect.andThen(
        Deferred.succeed(lost, why),
        Effect.sync(() => transport.onclose?.())
      ))
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => transport.onclose?.()))
  yield* Effect.catchTag(connect(client, options), "ConnectionLost", (error) => exitOr(error, channel.closed))
  yield* Effect.forkScoped(asking.tellRoots)
  // A server that only seems to be of that revision might not survive the question.
  if (!isClaim(options)) yield* news.begin
  const info = client.getServerVersion()
  const told = (text: string) => options.scrub(text).slice(0, 200)
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "unknown",
    serverInfo: info === undefined ? null : { name: told(info.name), version: told(info.version) },
    instructions: client.getInstructions() ?? null,
    pid: channel.pid,
    listTools: Effect.suspend(() =>
      client.getServerCapabilities()?.tools === undefined
        ? Effect.succeed({ tools: [], diagnostics: ["the server declares no tools"], ttlMillis: null })
        : traffic.during(Effect.tap(tools.list, news.begin))
    ),
    call: (call) => traffic.during(tools.call(call, (headers) => asking.send({ ...requestOf(call), headers }, call))),
    ...offers,
    inquire: (inquiry) =>
      // What is suggested while somebody types is no occasion to ask anything.
      traffic.during(inquiry.method === "completion/complete" ? send(inquiry) : asking.send(inquiry, inquiry)),
    ping: traffic.during(ping(client, send)),
    traffic: traffic.now,
    ...news.members,
    mirrorsArguments: isMirrored,
    closed: Deferred.await(lost),
    diagnostics: () => [...channel.diagnostics(), ...asking.diagnostics()],
    stderr: channel.stderr,
    scrub: options.scrub
  }
})

const connect = (client: Client, options: Options) =>
  Effect.tryPromise({
    try: (signal) =>
      client.connect(options.transport, {
        signal,
        timeout: SdkRequest.NEVER,
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
  login: options.login,
  scrub: options.scrub
})

/** A server may declare tools and not know the method, which is no reason to lose it (R55). */
const listed = (send: SdkRequest.Send, options: Options) =>
  Effect.map(
    Pages.collect(Pages.TOOLS, (cursor) => page(send, options, cursor)),
    ({ diagnostics, items, ttlMillis }) => ({ tools: items, diagnostics, ttlMillis })
  ).pipe(
    Effect.catchIf(
      (reason) => SdkOffers.isUnknownMethod(reason) && !isClaim(options),
      () =>
        Effect.succeed({ tools: [], diagnostics: ["the server declares tools but cannot list them"], ttlMillis: null })
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
const page = (send: SdkRequest.Send, options: Options, cursor: string | null) => {
  const asked = send({ method: "tools/list", params: cursor === null ? {} : { cursor } })
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

const requestOf = ({ args, onProgress, tool }: Call): SdkRequest.Request => ({
  method: "tools/call",
  params: { name: tool, arguments: args },
  onProgress
})

/** Any answer will do, so none is decoded. */
const ping = (client: Client, send: SdkRequest.Send) =>
  Effect.suspend(() => send({ method: client.getProtocolEra() === "modern" ? "server/discover" : "ping", params: {} }))
