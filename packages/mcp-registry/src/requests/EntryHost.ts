/**
 * The host as one server meets it: what it may ask, in whose name, and its folders, which follow its entry.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Resend from "../Resend.ts"
import { ServerRequests } from "../ServerRequests.ts"
import * as EntryRoots from "./EntryRoots.ts"
import type { ServerHost } from "./ServerHost.ts"

/** The host of one server. @category models */
export interface EntryHost {
  /** As a server meets it that starts now. */
  readonly forStart: (
    config: ServerConfig
  ) => Effect.Effect<ServerHost, never, Effect.Services<ReturnType<typeof EntryRoots.make>>>
  /** Takes over what the entry says now; a server that runs is told of other folders. */
  readonly adopt: (entry: ConfiguredServer) => Effect.Effect<void>
}

/** @category constructors */
export const make = Effect.fnUntraced(function*(entry: ConfiguredServer): Effect.fn.Return<EntryHost> {
  const { asker, elicitation, sampling } = yield* ServerRequests
  const said = yield* SubscriptionRef.make(saidBy(entry))
  const asking = { server: entry.name, isTrusted: Resend.isBelieved(entry) }
  return {
    forStart: (config) =>
      Effect.map(EntryRoots.make(config, said), (roots) => ({ asking, asker, elicitation, sampling, roots })),
    adopt: (next) => SubscriptionRef.set(said, saidBy(next))
  }
})

const saidBy = ({ config }: ConfiguredServer): EntryRoots.Said =>
  Result.isSuccess(config) ? config.success.roots ?? null : null
