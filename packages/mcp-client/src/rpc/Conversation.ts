/**
 * Our own conversation with a server behind the `Connection` contract, over pipes and HTTP alike. It has no timers: every
 * wait is limited above it.
 */
import type { LogLevel } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as BackgroundFibers from "../base/BackgroundFibers.ts"
import type * as CallSpan from "../contract/CallSpan.ts"
import * as Channel from "../contract/Channel.ts"
import type {
  Call,
  Capability,
  Connection,
  Inquiry,
  Listing,
  ListKind,
  LogMessage,
  Traffic
} from "../contract/Connection.ts"
import * as Revision from "../contract/Revision.ts"
import type { ConnectionLost, Exited, McpErrorReason } from "../errors/McpError.ts"
import * as ServerRequests from "../host/ServerRequests.ts"
import * as ArgumentHeaders from "./ArgumentHeaders.ts"
import * as Doubt from "./Doubt.ts"
import * as Handshake from "./Handshake.ts"
import * as Inbound from "./Inbound.ts"
import * as Listings from "./Listings.ts"
import * as Notifications from "./Notifications.ts"
import * as Requests from "./Requests.ts"
import * as ServerAsks from "./ServerAsks.ts"

/** What a connection is made from. */
export interface Options {
  readonly channel: Channel.Channel
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
 */
export const open = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Conversation, McpErrorReason, Scope.Scope> {
  const { channel, era } = options
  const host = yield* ServerRequests.CurrentHost
  const scope = yield* Effect.scope
  const capabilities = ServerRequests.hostCapabilities(host, era.kind)
  const conversation = new Conversation(options, {
    host,
    clock: yield* Clock.Clock,
    background: yield* BackgroundFibers.make,
    envelope: era.kind === "modern" ? Revision.makeEnvelope(capabilities) : null,
    // Closes after what is pending has failed, so that a server that goes is not told that nobody listens any more.
    scope: era.kind === "modern" ? yield* Scope.fork(scope) : scope
  })
  yield* Scope.addFinalizerExit(scope, () => conversation.close)
  yield* Channel.orExit(conversation.begin(capabilities), channel)
  const { tellRoots } = conversation.asking
  if (tellRoots !== null) yield* Effect.forkScoped(tellRoots)
  // A server that only seems to be of that revision might not survive the question.
  if (!conversation.isClaim) yield* conversation.news.begin
  return conversation
})

/** What a conversation finds where it is opened. */
interface Surroundings {
  readonly host: ServerRequests.ServerHost
  readonly clock: Clock.Clock
  readonly background: BackgroundFibers.BackgroundFibers
  readonly envelope: Schema.JsonObject | null
  /** Where what is asked for stays open. */
  readonly scope: Scope.Scope
}

/** Its parts see of it what their options name; others see the members of `Connection`. */
export class Conversation implements Connection {
  readonly pid: number | null
  readonly channel: Channel.Channel
  readonly scrub: (text: string) => string
  readonly isModern: boolean
  readonly maxMessageBytes: number
  readonly host: ServerRequests.ServerHost
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly background: BackgroundFibers.BackgroundFibers
  readonly requests: Requests.Requests
  readonly news: Notifications.Notifications
  readonly asking: ServerAsks.ServerAsks
  readonly taker: Inbound.Taker | null
  private readonly options: Options
  private readonly envelope: Schema.JsonObject | null
  private readonly arrivals: Inbound.Inbound
  private readonly lost = Deferred.makeUnsafe<Exited | ConnectionLost>()
  private peer = Handshake.STRANGER
  private mirrored: ArgumentHeaders.MirroredCalls | null = null
  private kept: Listing | null = null
  private doubt: Doubt.Doubt | null = null

  constructor(options: Options, { background, clock, envelope, host, scope }: Surroundings) {
    const { channel } = options
    this.options = options
    this.channel = channel
    this.pid = channel.pid
    this.scrub = channel.scrub
    this.isModern = options.era.kind === "modern"
    this.maxMessageBytes = options.maxMessageBytes
    this.envelope = envelope
    this.host = host
    this.clock = clock
    this.scope = scope
    this.background = background
    this.requests = Requests.make(this)
    this.news = Notifications.make(this)
    this.asking = ServerAsks.make(this)
    this.taker = this.isModern ? null : Inbound.makeRequests(this)
    this.arrivals = Inbound.make(this)
  }

  /** Whether nothing has shown yet that the server speaks the revision in which it is spoken to. */
  get isClaim(): boolean {
    return this.options.isRemembered && this.isModern
  }
  /** Gets to know the server, which is heard from then on: `close` has to be sure to follow. */
  begin(capabilities: Schema.JsonObject): Effect.Effect<void, McpErrorReason> {
    return Effect.suspend(() => {
      const { channel, options: { era }, requests } = this
      channel.listen((incoming, about) => this.arrivals.receive(incoming, about))
      channel.onClosed((why) => this.end(why))
      return Effect.map(Handshake.perform(era, { channel, requests, capabilities }), (peer) => {
        this.peer = peer
      })
    })
  }
  /** What every message says besides what it is about; null for nothing. */
  meta(): Schema.JsonObject | null {
    const level = this.news.meta()
    return level === null ? this.envelope : { ...this.envelope, ...level }
  }
  facts(): CallSpan.Facts {
    return this.options.factsOf?.(this.peer.revision) ?? {}
  }
  /** Whether the server says that it tells of changes of a list. */
  tells(list: "tools" | "prompts" | "resources"): boolean {
    return Listings.isTold(this.peer.capabilities, list)
  }
  onTimedOut(): void {
    this.doubt ??= Doubt.make(this)
    this.doubt.arise()
  }
  /** Ends it for a reason that neither side has told. */
  giveUp(why: ConnectionLost): void {
    this.end(why)
  }
  /** Keeps a list that came before anybody asked for it, for whoever asks first. */
  keep(listing: Listing): void {
    this.kept = listing
  }
  /** Fails what waits, and ends what is answered. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.end(Requests.CLOSED)
      return this.background.end
    })
  }

  get protocolVersion(): string {
    return this.peer.revision
  }
  get serverInfo(): Connection["serverInfo"] {
    const { info } = this.peer
    return info === null ? null : { name: this.told(info.name), version: this.told(info.version) }
  }
  get instructions(): string | null {
    return this.peer.instructions
  }
  get listTools(): Connection["listTools"] {
    return Effect.suspend(() => {
      const { kept } = this
      this.kept = null
      if (kept !== null) return Effect.succeed(kept)
      if (!this.declares("tools")) return NO_TOOLS
      return Effect.tap(this.mirrors?.list ?? this.listed, this.news.begin)
    })
  }
  call(call: Call): Requests.Answer {
    return this.mirrors?.call(call) ?? this.sent(call)
  }
  declares(capability: Capability): boolean {
    return Listings.isDeclared(this.peer.capabilities, capability)
  }
  list(kind: ListKind): ReturnType<Connection["list"]> {
    return Listings.listOffered(this, kind)
  }
  inquire(inquiry: Inquiry): Requests.Answer {
    // What is suggested while somebody types is no occasion to ask anything.
    return inquiry.method === "completion/complete"
      ? this.requests.send(inquiry)
      : this.asking.send(inquiry, inquiry)
  }
  /** Any answer will do, so none is looked at. */
  get ping(): Connection["ping"] {
    const method = this.isModern ? "server/discover" : "ping"
    return Effect.suspend(() => Effect.asVoid(this.requests.send({ method, params: {} })))
  }
  traffic(): Traffic {
    return { heardAt: this.arrivals.heardAt(), waiting: this.requests.waiting() }
  }
  onToolsChanged(listener: () => void): void {
    this.news.onToolsChanged(listener)
  }
  onListChanged(listener: (what: "prompts" | "resources") => void): void {
    this.news.onListChanged(listener)
  }
  tellsOf(what: "prompts" | "resources"): boolean {
    return this.news.tellsOf(what)
  }
  watch(uris: ReadonlyArray<string>): ReturnType<Connection["watch"]> {
    return this.news.watch(uris)
  }
  onResourceUpdated(listener: (uri: string) => void): void {
    this.news.onResourceUpdated(listener)
  }
  setLogLevel(level: LogLevel | null): ReturnType<Connection["setLogLevel"]> {
    return this.news.setLogLevel(level)
  }
  onLog(listener: (message: LogMessage) => void): void {
    this.news.onLog(listener)
  }
  mirrorsArguments(): boolean {
    return this.isModern && this.pid === null
  }
  get closed(): Connection["closed"] {
    return Deferred.await(this.lost)
  }
  diagnostics(): ReadonlyArray<string> {
    return [...this.channel.diagnostics(), ...this.asking.diagnostics(), ...this.arrivals.diagnostics()]
  }
  stderr(): string {
    return this.channel.stderr()
  }

  /** Fails what waits. The first reason stays. */
  private end(why: Exited | ConnectionLost): void {
    Deferred.doneUnsafe(this.lost, Effect.succeed(why))
    this.requests.close()
  }
  private told(text: string): string {
    return this.scrub(text).slice(0, 200)
  }
  private get listed(): Connection["listTools"] {
    return Effect.suspend(() => Channel.orExit(Listings.listTools(this), this.channel))
  }
  private sent(call: Call, headers?: Readonly<Record<string, string>>): Requests.Answer {
    return this.asking.send(requestOf(call, headers), call)
  }
  /** Who writes arguments into headers as well; null where nobody has to. */
  private get mirrors(): ArgumentHeaders.MirroredCalls | null {
    if (this.mirrored !== null || !this.mirrorsArguments()) return this.mirrored
    return this.mirrored = ArgumentHeaders.makeMirroredCalls({
      list: this.listed,
      call: (call, headers) => this.sent(call, headers),
      onMismatch: () => this.news.toolsChanged()
    })
  }
}

const NO_TOOLS = Effect.succeed({ tools: [], diagnostics: ["the server declares no tools"], ttlMillis: null })

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
