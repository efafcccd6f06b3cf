/** The configuration made true: its servers started, replaced and stopped at the beginning and at each change. */
import { type Configuration, type ConfiguredServer, McpConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as PersonalEntries from "../model/PersonalEntries.ts"
import { PersonalValues } from "../model/PersonalValues.ts"
import { Admission } from "../trust/Admission.ts"
import * as PersonalServers from "./PersonalServers.ts"
import type * as ServerSet from "./ServerSet.ts"

export interface AppliedConfig {
  /** See `McpRegistry`, as for `reload` and `applied`. */
  readonly apply: Effect.Effect<ServerSet.Applied>
  readonly reload: Effect.Effect<ServerSet.Applied>
  readonly applied: Stream.Stream<ServerSet.Applied>
  /** An entry as it may be run now. */
  readonly admit: (entry: ConfiguredServer) => Effect.Effect<ConfiguredServer>
  /** The first one of several people changes the servers that all shared, before anybody but the first gets a registry. */
  readonly noticed: Effect.Effect<void>
}

interface Options {
  readonly servers: Pick<ServerSet.ServerSet, "apply">
  readonly personal: Pick<PersonalServers.PersonalServers, "apply">
  /** One change at a time. */
  readonly turn: Semaphore.Semaphore
}

/** Applies the configuration as it stands, and follows it until the scope closes. */
export const make = Effect.fnUntraced(function*(
  { personal, servers, turn }: Options
): Effect.fn.Return<AppliedConfig, never, McpConfig | Scope.Scope> {
  const config = yield* McpConfig
  const admission = yield* Admission
  const { areSeveral } = yield* PersonalValues
  const told = yield* PubSub.sliding<ServerSet.Applied>(1024)
  let dependsOnSeveral = false
  let isSeveral = false
  let last: Configuration | null = null
  let reloads = 0

  const admit = (entry: ConfiguredServer) =>
    Effect.map(admission.admit(entry), (admitted) => PersonalEntries.among(isSeveral, admitted))
  const applyNow = Effect.gen(function*() {
    const configuration = yield* config.current
    dependsOnSeveral = configuration.servers.some(({ personal }) => personal?.amongSeveral === true)
    isSeveral ||= dependsOnSeveral && (yield* areSeveral)
    const entries = yield* Effect.forEach(configuration.servers, admit)
    const applied = yield* Effect.uninterruptible(
      Effect.tap(servers.apply(entries.map(PersonalServers.place)), () => personal.apply(entries))
    )
    const isNews = last !== configuration || applied.added.length + applied.removed.length + applied.changed.length > 0
    last = configuration
    if (isNews) yield* PubSub.publish(told, applied)
    return applied
  })
  const apply = turn.withPermit(applyNow)
  /** A configuration that cannot be applied, by a defect of the host, must not keep the next one from it. */
  const followed = Effect.catchCause(apply, (cause) => Effect.logError("the configuration is not applied", cause))
  /** Reads outside of the turn, so that no decision waits for it; applies what it read, so that `changes` need not. */
  const reload = Effect.uninterruptibleMask((restore) => {
    reloads += 1
    const end = turn.withPermit(Effect.suspend(() => {
      reloads -= 1
      return applyNow
    }))
    return Effect.flatMap(Effect.exit(restore(config.reload)), (read) => Effect.tap(end, read))
  })
  const noticed = Effect.suspend(() =>
    isSeveral || !dependsOnSeveral
      ? Effect.void
      : Effect.flatMap(areSeveral, (now) => now ? Effect.asVoid(apply) : Effect.void)
  )

  yield* apply
  // The first configuration of the stream is applied already, unless it changed while this was built.
  yield* Effect.forkScoped(
    Stream.runForEach(config.changes, (next) => reloads > 0 || next === last ? Effect.void : followed)
  )
  return { apply, reload, applied: Stream.fromPubSub(told), admit, noticed }
})
