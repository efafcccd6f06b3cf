/** One connection to a server over an open channel, in either era. It has no timers: its callers limit every wait. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as CallSpan from "../contract/CallSpan.ts"
import * as Channel from "../contract/Channel.ts"
import type { Call, Capability, Connection, Listing } from "../contract/Connection.ts"
import * as Revision from "../contract/Revision.ts"
import type { Params } from "../contract/Wire.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import { CurrentHost, hostCapabilities } from "../host/ServerRequests.ts"
import { type Declaration, declarationsOf, headersOf } from "./ArgumentHeaders.ts"
import * as Handshake from "./Handshake.ts"
import { Inbound, InboundRequests } from "./Inbound.ts"
import * as Listings from "./Listings.ts"
import { Notifications } from "./Notifications.ts"
import * as Ping from "./Ping.ts"
import * as Requests from "./Requests.ts"
import type { Answer } from "./Requests.ts"
import { ServerAsks } from "./ServerAsks.ts"

export interface Options {
  readonly channel: Channel.Channel
  readonly era: Revision.Era
  /** True when the era was found out at an earlier start: then the first listing has to bear it out. */
  readonly isRemembered: boolean
  /** The cap on one message, for the words of its failure. */
  readonly maxMessageBytes: number
  /** The facts that spans of its requests share, by the revision. */
  readonly factsOf?: (revision: string) => CallSpan.Facts
}

export interface Conversation extends Connection {
  /** Keeps a list that came before anybody asked for it, for the first one that asks. */
  readonly keep: (listing: Listing) => void
}

/** Performs the handshake. When the scope closes, what is pending fails first; the channel then closes in its own scope. */
export const open = Effect.fnUntraced(function*(
  { channel, era, factsOf, isRemembered, maxMessageBytes }: Options
): Effect.fn.Return<Conversation, McpErrorReason, Scope.Scope> {
  const host = yield* CurrentHost
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime<never, void>()
  const scope = yield* Effect.scope
  const isModern = era.kind === "modern"
  // Nothing has shown yet that the server speaks the revision in which it is spoken to.
  const isClaim = isRemembered && isModern
  const capabilities = hostCapabilities(host, era.kind)
  const envelope = isModern ? Revision.makeEnvelope(capabilities) : null
  const lost = Deferred.makeUnsafe<Requests.ConnectionEnd>()
  let peer = Handshake.STRANGER

  const declares = (capability: Capability) => Listings.isDeclared(peer.capabilities, capability)
  /** Fails the requests that wait, with the reason. The first reason stays. */
  const end = (why: Requests.ConnectionEnd) => {
    Deferred.doneUnsafe(lost, Effect.succeed(why))
    requests.close(why)
  }
  const requests: Requests.Requests = new Requests.Requests({
    channel,
    maxMessageBytes,
    meta: () => {
      const level = notifications.meta()
      return level === null ? envelope : { ...envelope, ...level }
    },
    onTimedOut: () => doubt(),
    facts: () => factsOf?.(peer.revision) ?? {}
  })
  const notifications: Notifications = new Notifications({
    isModern,
    requests,
    declares,
    tells: (list) => Listings.isTold(peer.capabilities, list),
    // Closes after what is pending has failed, so that a server that goes is not told that nobody listens any more.
    scope: isModern ? yield* Scope.fork(scope) : scope
  })
  const asking = new ServerAsks({ isModern, host, requests, scrub: channel.scrub, clock, onTimedOut: () => doubt() })
  const serverRequests = isModern ? null : new InboundRequests({ channel, asking, run })
  const inbound = new Inbound({ channel, requests, clock, notifications, serverRequests })
  /** Any answer will do, so none is looked at. */
  const ping = Effect.asVoid(requests.send({ method: isModern ? "server/discover" : "ping", params: {} }))
  const traffic = () => ({ heardAt: inbound.heardAt(), waiting: requests.waiting() })
  const doubt = Ping.makeDoubt({ ping, traffic, run, giveUp: end })

  yield* Scope.addFinalizer(scope, Effect.sync(() => end(Requests.CLOSED)))
  channel.listen((incoming, about) => inbound.receive(incoming, about))
  channel.onClosed(end)
  peer = yield* Channel.orExit(Handshake.perform(era, { channel, requests, capabilities }), channel)
  const { roots } = host
  // Since 2026-07-28 no notification says that the roots changed.
  if (!isModern && roots !== null) {
    const tell = () => Effect.sync(() => requests.notify("notifications/roots/list_changed", {}))
    yield* Effect.forkScoped(Stream.runForEach(roots.changes, tell))
  }
  // A server that only seems to be of that revision might not survive the question.
  if (!isClaim) yield* notifications.begin

  const listed = Channel.orExit(Listings.listTools({ requests, isClaim }), channel)
  const send = (call: Call, headers?: Readonly<Record<string, string>>) => asking.send(requestOf(call, headers), call)
  const mirrorsArguments = isModern && channel.pid === null
  const mirrored = !mirrorsArguments ? null : mirroredCalls({
    list: listed,
    call: send,
    onMismatch: () => notifications.toolsChanged()
  })
  const shortened = (text: string) => channel.scrub(text).slice(0, 200)
  let kept: Listing | null = null
  return {
    protocolVersion: peer.revision,
    serverInfo: peer.info && { name: shortened(peer.info.name), version: shortened(peer.info.version) },
    instructions: peer.instructions,
    pid: channel.pid,
    keep: (listing) => {
      kept = listing
    },
    listTools: Effect.suspend(() => {
      const early = kept
      kept = null
      if (early !== null) return Effect.succeed(early)
      if (!declares("tools")) return NO_TOOLS
      return Effect.tap(mirrored?.list ?? listed, notifications.begin)
    }),
    call: mirrored?.call ?? send,
    declares,
    list: (kind) => Listings.listOffered({ declares, requests }, kind),
    // A completion while somebody types is no occasion to ask anything.
    inquire: (inquiry) =>
      inquiry.method === "completion/complete" ? requests.send(inquiry) : asking.send(inquiry, inquiry),
    ping,
    traffic,
    onToolsChanged: (listener) => notifications.onToolsChanged(listener),
    onListChanged: (listener) => notifications.onListChanged(listener),
    tellsOf: (what) => notifications.tellsOf(what),
    watch: (uris) => notifications.watch(uris),
    onResourceUpdated: (listener) => notifications.onResourceUpdated(listener),
    setLogLevel: (level) => notifications.setLogLevel(level),
    onLog: (listener) => notifications.onLog(listener),
    mirrorsArguments: () => mirrorsArguments,
    closed: Deferred.await(lost),
    diagnostics: () => [...channel.diagnostics(), ...asking.diagnostics(), ...inbound.diagnostics()],
    stderr: () => channel.stderr(),
    scrub: (text) => channel.scrub(text)
  }
})

const NO_TOOLS = Effect.succeed({ tools: [], diagnostics: ["the server declares no tools"], ttlMillis: null })

const requestOf = (
  { args, onProgress, onStarted, tool }: Call,
  headers: Readonly<Record<string, string>> | undefined
): Requests.Request => ({
  method: "tools/call",
  params: { name: tool, arguments: args } satisfies Params<"tools/call">,
  onProgress,
  onStarted,
  headers
})

interface MirrorOptions {
  readonly list: Effect.Effect<Listing, McpErrorReason>
  readonly call: (call: Call, headers: Readonly<Record<string, string>>) => Answer
  /** Told when the tools turned out to be others than those that were listed. */
  readonly onMismatch: () => void
}

type Declarations = ReadonlyArray<Declaration>

const NONE: Declarations = []

/** Calls over HTTP in revision 2026-07-28: with the headers that their tools ask for, as the tools were listed last. */
const mirroredCalls = ({ call: send, list, onMismatch }: MirrorOptions) => {
  let tools: ReadonlyMap<Schema.Json | undefined, () => Declarations> = new Map()
  const learned = Effect.tap(list, (listing) =>
    Effect.sync(() => {
      tools = new Map(listing.tools.map(({ inputSchema, name }) => [name, declared(inputSchema)]))
    }))
  const headers = ({ args, tool }: Call) => headersOf(tools.get(tool)?.() ?? NONE, args)
  const again = ({ onStarted, ...call }: Call) =>
    Requests.aroundEnding(
      onStarted,
      Effect.andThen(
        Effect.ignore(Effect.tap(learned, Effect.sync(onMismatch))),
        Effect.suspend(() => send(call, headers(call)))
      )
    )
  return {
    /** Lists the tools, and remembers what they ask for. */
    list: learned,
    /**
     * Sends a call with its headers. One that the server refuses because of them is sent once more, after the tools were
     * listed again: it was not processed.
     */
    call: (call: Call): Answer =>
      Effect.catchIf(Effect.suspend(() => send(call, headers(call))), isMismatch, () => again(call))
  }
}

/** The declarations of a tool, read when it is called first. */
const declared = (inputSchema: Schema.Json | undefined): () => Declarations => {
  let read: Declarations | null = null
  return () => read ??= Result.getOrElse(declarationsOf(inputSchema), () => NONE)
}

const HEADER_MISMATCH = -32020

const isMismatch = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" && reason.code === HEADER_MISMATCH
