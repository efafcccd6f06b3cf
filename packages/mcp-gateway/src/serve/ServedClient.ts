/** One client that is connected: what it may see, what it did, and the scope that ends all of it. */
import { type Asker, type McpRegistry, nobody, type ServerNews } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as ClientAsker from "../calls/ClientAsker.ts"
import type { Calling } from "../calls/ClientCall.ts"
import type { Abilities, ClientChannel } from "../calls/ClientChannel.ts"
import * as ClientServers from "../calls/ClientServers.ts"
import * as HeldCalls from "../calls/HeldCalls.ts"
import * as PendingCalls from "../calls/PendingCalls.ts"
import * as ResultStore from "../calls/ResultStore.ts"
import * as ClientTable from "../clients/ClientTable.ts"
import type { Caller, Client, ClientStatus, Substitute } from "../model/GatewayClient.ts"
import type { Profile } from "../model/Profile.ts"
import type { ServerEvent } from "../model/Sdk.ts"
import * as ToolOffers from "../offer/ToolOffers.ts"

/** The facts about a client as it comes. */
export interface Introduction {
  readonly caller: Caller
  readonly profile: Profile
  readonly program: { readonly name: string; readonly version: string }
  readonly era: Client["era"]
  readonly can: Abilities
}

export class ServedClient implements Calling {
  readonly client: Client
  readonly traits: ClientTable.Traits
  readonly viewer: ToolOffers.Viewer
  readonly scope: Scope.Closeable
  readonly held: HeldCalls.HeldCalls
  readonly pending: PendingCalls.PendingCalls
  readonly results: ResultStore.ResultStore
  readonly servers: ClientServers.ClientServers
  /** Are told what changes, each of them a stream to the client. */
  readonly listeners = new Set<(event: ServerEvent) => void>()
  /** The tools that it was given last, or told that they changed to. */
  known: ToolOffers.ToolOffer | null = null
  /** Null where it did not say. */
  logLevel: string | null = null
  /** Sends a log message that is about no call. */
  log: (params: Schema.JsonObject) => Effect.Effect<void> = () => Effect.void
  lastSeen: number
  /** Streams on which it listens. */
  streams = 0
  /** Its requests that run and about which servers may ask, the oldest first. */
  readonly channels: Array<ClientChannel> = []
  /** Its calls that run, by the server that they are of. */
  readonly open: Array<{ readonly server: string; readonly channel: ClientChannel }> = []
  private readonly since: number
  private readonly substitute: Asker | null
  /** Asks by the call that began last, where a server does not say which of the client's calls it asks about. */
  private readonly shared: Asker
  private calls = 0
  private lastTools: ReadonlyArray<string> = []

  constructor(
    id: string,
    introduction: Introduction,
    scope: Scope.Closeable,
    { now, onNews, registry, room, substitute }: {
      readonly registry: McpRegistry["Service"]
      readonly substitute: Substitute
      readonly room: ResultStore.ResultRoom
      readonly now: number
      /** The news of the client's own servers. */
      readonly onNews: (news: ServerNews, served: ServedClient) => void
    }
  ) {
    const { caller } = introduction
    this.client = { ...introduction, id, profileName: caller.profileName ?? "default" }
    this.traits = ClientTable.traitsOf(introduction.program.name)
    this.viewer = ToolOffers.viewer(
      introduction.profile,
      this.traits,
      ClientTable.roomForNames(this.traits, caller.serverName ?? "boocode"),
      introduction.can.apps === true
    )
    this.scope = scope
    this.results = ResultStore.make(room)
    this.held = HeldCalls.make(scope)
    this.pending = PendingCalls.make(scope)
    this.servers = ClientServers.make(registry, scope, (news) => onNews(news, this))
    this.substitute = substitute(this.client)
    this.since = now
    this.lastSeen = now
    this.shared = {
      elicit: (request) => this.latest.elicit(request),
      sample: (request) => this.latest.sample(request),
      ...introduction.can.roots
        ? { roots: Effect.suspend(() => this.latest.roots ?? Effect.succeed([])) }
        : {}
    }
  }
  get resultBytes(): number {
    const { maxResultBytes } = this.client.profile
    return maxResultBytes === 0 ? this.traits.resultBytes : maxResultBytes
  }
  get isBusy(): boolean {
    return this.open.length > 0 || this.streams > 0
  }
  asking(): Effect.Effect<void> {
    return Effect.void
  }
  /** Answers what servers ask about the request that came by this channel. */
  askerOf(channel: ClientChannel, onMissing: ClientAsker.Options["onMissing"] = () => {}): Asker {
    return { ...this.alone(channel, onMissing), shared: this.shared }
  }
  tell(event: ServerEvent): void {
    for (const listener of this.listeners) listener(event)
  }
  called(tool: string): void {
    this.calls++
    this.lastTools = [tool, ...this.lastTools.filter((other) => other !== tool)].slice(0, MOST_TOOLS)
  }
  status(exposure: ClientStatus["exposure"]): ClientStatus {
    const { calls, client, lastSeen, lastTools, open, since } = this
    return { ...client, exposure, since, lastSeen, calls, inFlight: open.length, lastTools }
  }
  private alone(channel: ClientChannel, onMissing: ClientAsker.Options["onMissing"]): Asker {
    return ClientAsker.make({ channel, substitute: this.substitute, audience: this.client.id, onMissing })
  }
  private get latest(): Asker {
    const last = this.channels.at(-1)
    return last === undefined ? nobody : this.alone(last, () => {})
  }
}

const MOST_TOOLS = 10
