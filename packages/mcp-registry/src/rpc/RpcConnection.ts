/**
 * Our own conversation with a server behind the `Connection` contract, over pipes and HTTP alike. It has no timers: every
 * wait is limited above it.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type * as CallSpan from "../CallSpan.ts"
import type { Call, Capability, Connection } from "../Connection.ts"
import { type ConnectionLost, type Exited, HandshakeFailed, type McpErrorReason } from "../McpError.ts"
import * as ServerHost from "../requests/ServerHost.ts"
import * as Arrivals from "./Arrivals.ts"
import * as Asking from "./Asking.ts"
import type { Channel } from "./Channel.ts"
import * as Envelope from "./Envelope.ts"
import * as Handshake from "./Handshake.ts"
import * as InboundRequests from "./InboundRequests.ts"
import * as MirroredCalls from "./MirroredCalls.ts"
import * as News from "./News.ts"
import * as Offers from "./Offers.ts"
import * as Pages from "./Pages.ts"
import * as Refusal from "./Refusal.ts"
import * as Requests from "./Requests.ts"
import type * as Revision from "./Revision.ts"

/** What a connection is made from. @category models */
export interface Options {
  readonly channel: Channel
  /** The era that was found out. */
  readonly era: Revision.Era
  /** True when the era was found out at an earlier start: then the first listing has to bear it out. */
  readonly isRemembered: boolean
  /** What is said of a message that had more than so many bytes. */
  readonly maxMessageBytes: number
  /** What spans of its requests have in common, by the revision. */
  readonly factsOf?: (revision: string) => CallSpan.Facts
}

/**
 * Performs the handshake. When the scope closes, what is pending fails first; the channel then closes in its own scope.
 *
 * @category constructors
 */
export const open = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Connection, McpErrorReason, Scope.Scope> {
  const { channel, era } = options
  const isModern = era.kind === "modern"
  const host = yield* ServerHost.Current
  const capabilities = ServerHost.capabilities(host, era.kind)
  const envelope = isModern ? Envelope.make(capabilities) : null
  let peer = Handshake.STRANGER

  const requests: Requests.Requests = Requests.make({
    ...options,
    meta: () => withLevel(envelope, news.meta()),
    facts: () => options.factsOf?.(peer.revision) ?? {}
  })
  const scope = yield* Effect.scope
  const news: News.News = News.make({
    isModern,
    send: requests.send,
    declares: (capability) => Offers.isDeclared(peer.capabilities, capability),
    tells: (list) => Offers.isTold(peer.capabilities, list),
    // Closes after what is pending has failed, so that a server that goes is not told that nobody listens any more.
    scope: isModern ? yield* Scope.fork(scope) : scope
  })
  const asking = yield* Asking.make({ isModern, host, requests, scrub: channel.scrub })
  const arrivals = Arrivals.make({
    channel,
    requests,
    clock: yield* Clock.Clock,
    told: news.told,
    taker: isModern ? null : yield* InboundRequests.make({ ...asking, channel })
  })
  channel.listen(arrivals.receive)
  const closed = yield* closing(channel, requests)
  peer = yield* orExit(Handshake.perform(era, { channel, requests, capabilities }), channel)
  if (asking.tellRoots !== null) yield* Effect.forkScoped(asking.tellRoots)
  // A server that only seems to be of that revision might not survive the question.
  if (!isClaim(options)) yield* news.begin
  return connectionOf(options, { arrivals, asking, closed, news, peer, requests })
})

/** What a conversation is made of, once both sides know each other. */
interface Conversation {
  readonly peer: Handshake.Peer
  readonly requests: Requests.Requests
  readonly arrivals: Arrivals.Arrivals
  readonly asking: Asking.Asking
  readonly news: News.News
  readonly closed: Connection["closed"]
}

/** Fails what waits when either side closes, and waits for that. */
const closing = Effect.fnUntraced(function*(
  channel: Channel,
  requests: Requests.Requests
): Effect.fn.Return<Connection["closed"], never, Scope.Scope> {
  const lost = yield* Deferred.make<Exited | ConnectionLost>()
  const end = (why: Exited | ConnectionLost) => {
    Deferred.doneUnsafe(lost, Effect.succeed(why))
    requests.close()
  }
  yield* Effect.forkScoped(Effect.map(channel.closed, end))
  yield* Effect.addFinalizer(() => Effect.sync(() => end(Requests.CLOSED)))
  return Deferred.await(lost)
})

const connectionOf = (options: Options, conversation: Conversation): Connection => {
  const { channel, era } = options
  const { arrivals, asking, closed, news, peer: { capabilities, info, instructions, revision }, requests } =
    conversation
  const declares = (capability: Capability) => Offers.isDeclared(capabilities, capability)
  const told = (text: string) => channel.scrub(text).slice(0, 200)
  return {
    protocolVersion: revision,
    serverInfo: info === null ? null : { name: told(info.name), version: told(info.version) },
    instructions,
    pid: channel.pid,
    ...toolsOf(options, conversation, declares("tools")),
    declares,
    list: Offers.lists(requests.send, declares),
    inquire: (inquiry) =>
      // What is suggested while somebody types is no occasion to ask anything.
      inquiry.method === "completion/complete" ? requests.send(inquiry) : asking.send(inquiry, inquiry),
    // Any answer will do, so none is looked at.
    ping: Effect.suspend(() =>
      Effect.asVoid(requests.send({ method: era.kind === "modern" ? "server/discover" : "ping", params: {} }))
    ),
    traffic: () => ({ heardAt: arrivals.heardAt(), waiting: requests.waiting() }),
    ...news.members,
    closed,
    diagnostics: () => [...channel.diagnostics(), ...asking.diagnostics(), ...arrivals.diagnostics()],
    stderr: channel.stderr,
    scrub: channel.scrub
  }
}

const toolsOf = (
  options: Options,
  { asking, news, requests }: Conversation,
  isDeclared: boolean
): Pick<Connection, "listTools" | "call" | "mirrorsArguments"> => {
  const { channel, era } = options
  const list = Effect.suspend(() => orExit(listTools(requests.send, options), channel))
  const call = (call: Call, headers?: Readonly<Record<string, string>>) => asking.send(requestOf(call, headers), call)
  const isMirrored = era.kind === "modern" && channel.pid === null
  const tools = isMirrored ? MirroredCalls.make({ list, call, onMismatch: news.told.toolsChanged }) : { list, call }
  return {
    listTools: isDeclared ? Effect.tap(tools.list, news.begin) : NO_TOOLS,
    call: tools.call,
    mirrorsArguments: () => isMirrored
  }
}

const NO_TOOLS = Effect.succeed({ tools: [], diagnostics: ["the server declares no tools"], ttlMillis: null })

type Json = ReturnType<Requests.Options["meta"]>

const withLevel = (envelope: Json, level: Json): Json => level === null ? envelope : { ...envelope, ...level }

const requestOf = (
  { args, onProgress, onStarted, tool }: Call,
  headers: Readonly<Record<string, string>> | undefined
): Requests.Request => ({
  method: "tools/call",
  params: { name: tool, arguments: args },
  onProgress,
  onStarted,
  headers
})

/** A program that ends breaks the pipe first and tells its exit status a moment later; the status says more. */
const orExit = <A>(
  request: Effect.Effect<A, McpErrorReason>,
  { closed, pid }: Channel
): Effect.Effect<A, McpErrorReason> =>
  pid === null ? request : Effect.catchTag(request, "ConnectionLost", (error) =>
    Effect.flatMap(
      Effect.timeoutOption(closed, "300 millis"),
      (why) => Effect.fail(Option.getOrElse(why, () => error))
    ))

/** A server may declare tools and not know the method, which is no reason to lose it (R55). */
const listTools = (send: Requests.Send, options: Options) =>
  Effect.map(
    Pages.collect(Pages.TOOLS, (cursor) => page(send, options, cursor)),
    ({ diagnostics, items, ttlMillis }) => ({ tools: items, diagnostics, ttlMillis })
  ).pipe(
    Effect.catchIf(
      (reason) => Refusal.isUnknownMethod(reason) && !isClaim(options),
      () =>
        Effect.succeed({ tools: [], diagnostics: ["the server declares tools but cannot list them"], ttlMillis: null })
    )
  )

/**
 * An older server may take the question of a later revision for its own. Its answer lacks what every result of that
 * revision has.
 */
const page = (send: Requests.Send, options: Options, cursor: string | null) => {
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
