/**
 * The SDK's client behind the `Connection` contract. Its timers are set out of reach: every wait is limited above it.
 */
import {
  Client,
  type PriorDiscovery,
  type Transport,
  type VersionNegotiationOptions
} from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Call, Connection } from "../Connection.ts"
import { ConnectionLost, type Exited, type McpErrorReason } from "../McpError.ts"
import type { CallProgress } from "../McpTool.ts"
import type { RawAnswers } from "./RawAnswers.ts"
import * as SdkErrors from "./SdkErrors.ts"
import * as ToolPages from "./ToolPages.ts"

const METHOD_NOT_FOUND = -32601

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
  readonly prior: PriorDiscovery | null
  readonly negotiation: VersionNegotiationOptions
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
  const client = new Client(CLIENT_INFO, { capabilities: {}, versionNegotiation: options.negotiation })
  const lost = yield* Deferred.make<Exited | ConnectionLost>()
  let onToolsChanged = () => {}
  client.onclose = () => Deferred.doneUnsafe(lost, Effect.succeed(new ConnectionLost({ detail: "it was closed" })))
  client.setNotificationHandler("notifications/tools/list_changed", () => onToolsChanged())
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
        : listed(client, options)
    ),
    call: (call) => callTool(client, options, call),
    onToolsChanged: (listener) => {
      onToolsChanged = listener
    },
    closed: Deferred.await(lost),
    diagnostics: channel.diagnostics,
    stderr: channel.stderr
  }
})

const connect = (client: Client, options: Options) =>
  Effect.tryPromise({
    try: (signal) =>
      client.connect(options.transport, {
        signal,
        timeout: NEVER,
        ...(options.prior === null ? {} : { prior: options.prior })
      }),
    catch: (error) =>
      SdkErrors.handshakeReason(
        error,
        occasion(options, options.prior?.kind === "modern" ? "server/discover" : "initialize")
      )
  })

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
  ToolPages.collect((cursor) => request(client, options, "tools/list", cursor === null ? {} : { cursor }, null)).pipe(
    Effect.catchIf(
      (reason) => reason._tag === "RequestFailed" && reason.code === METHOD_NOT_FOUND,
      () => Effect.succeed({ tools: [], diagnostics: ["the server declares tools but cannot list them"] })
    ),
    Effect.catchTag(
      "ConnectionLost",
      (error) => options.channel.pid === null ? Effect.fail(error) : exitOr(error, options.channel.closed)
    )
  )

const callTool = (client: Client, options: Options, call: Call) =>
  request(client, options, "tools/call", { name: call.tool, arguments: call.args }, call.onProgress)

type Method = "tools/call" | "tools/list"

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
