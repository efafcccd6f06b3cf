/** The host as one server meets it: what it may ask, in whose name, and its folders, which follow its entry. */
import { ServerRequests } from "@boocode/mcp-client"
import { type ServerAsking as Asking, type ServerHost } from "@boocode/mcp-client/Host"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as EntryTrust from "../model/EntryTrust.ts"
import * as EntryRoots from "./EntryRoots.ts"

type Host = Context.Service.Shape<typeof ServerRequests>

export const make = (entry: ConfiguredServer): Effect.Effect<EntryHost> =>
  Effect.map(ServerRequests, (host) => new EntryHost(entry, host))

export class EntryHost {
  private readonly asking: Asking
  private readonly host: Host
  private said: EntryRoots.Said
  /** The folders that a running server is told of; most servers are told of none. */
  private told: SubscriptionRef.SubscriptionRef<EntryRoots.Said> | null = null

  constructor(entry: ConfiguredServer, host: Host) {
    this.asking = { server: entry.name, isTrusted: EntryTrust.isBelieved(entry) }
    this.host = host
    this.said = saidBy(entry)
  }

  /** As a server meets it that starts now. */
  forStart(
    config: ServerConfig
  ): Effect.Effect<ServerHost, never, Effect.Services<ReturnType<typeof EntryRoots.make>>> {
    return Effect.flatMap(SubscriptionRef.make(this.said), (told) => {
      this.told = told
      const { asking, host: { apps = false, asker, elicitation, sampling } } = this
      return Effect.map(EntryRoots.make(config, told), (roots) => {
        if (roots === null && this.told === told) this.told = null
        return { asking, apps, asker, elicitation, sampling, roots }
      })
    })
  }
  /** Takes over what the entry says now; a server that runs is told of other folders. */
  adopt(entry: ConfiguredServer): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.said = saidBy(entry)
      return this.told === null ? Effect.void : SubscriptionRef.set(this.told, this.said)
    })
  }
}

const saidBy = ({ config }: ConfiguredServer): EntryRoots.Said =>
  Result.isSuccess(config) ? config.success.roots ?? null : null
