/** One client that is connected: what it may see, what it did, and the scope that ends all of it. */
import type { Asker } from "@boocode/mcp-registry"
import type * as Scope from "effect/Scope"
import * as ClientAsker from "../calls/ClientAsker.ts"
import type { Abilities, ClientChannel } from "../calls/ClientChannel.ts"
import * as HeldCalls from "../calls/HeldCalls.ts"
import * as ClientTable from "../clients/ClientTable.ts"
import type { Caller, Client, ClientStatus, Substitute } from "../model/GatewayClient.ts"
import type { Profile } from "../model/Profile.ts"

export interface Introduction {
  readonly id: string
  readonly caller: Caller
  readonly profile: Profile
  readonly program: { readonly name: string; readonly version: string }
  readonly era: Client["era"]
  readonly can: Abilities
}

export class ServedClient {
  readonly client: Client
  readonly traits: ClientTable.Traits
  /** How many characters of the name of a tool it takes. */
  readonly nameRoom: number
  readonly scope: Scope.Closeable
  readonly held: HeldCalls.HeldCalls
  lastSeen: number
  /** Streams on which it listens. */
  streams = 0
  private readonly since: number
  private readonly substitute: Asker | null
  private calls = 0
  private inFlight = 0
  private lastTools: ReadonlyArray<string> = []

  constructor(introduction: Introduction, scope: Scope.Closeable, substitute: Substitute, now: number) {
    const { caller } = introduction
    this.client = { ...introduction, profileName: caller.profileName ?? "default" }
    this.traits = ClientTable.traitsOf(introduction.program.name)
    this.nameRoom = ClientTable.roomForNames(this.traits, caller.serverName ?? "boocode")
    this.scope = scope
    this.held = HeldCalls.make(scope)
    this.substitute = substitute(this.client)
    this.since = now
    this.lastSeen = now
  }
  get isBusy(): boolean {
    return this.inFlight > 0 || this.streams > 0
  }
  /** Answers what servers ask about a request that came by this channel. */
  askerOf(channel: ClientChannel): Asker {
    return ClientAsker.make({ channel, substitute: this.substitute, audience: this.client.id })
  }
  begin(tool: string): void {
    this.calls++
    this.inFlight++
    this.lastTools = [tool, ...this.lastTools.filter((other) => other !== tool)].slice(0, MOST_TOOLS)
  }
  end(): void {
    this.inFlight--
  }
  status(exposure: ClientStatus["exposure"]): ClientStatus {
    const { calls, client, inFlight, lastSeen, lastTools, since } = this
    return { ...client, exposure, since, lastSeen, calls, inFlight, lastTools }
  }
}

const MOST_TOOLS = 10
