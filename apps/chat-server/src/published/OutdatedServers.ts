/** Servers that were installed from a registry, compared with the registry's versions of now. */
import type { RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Effect from "effect/Effect"
import type { InstalledServer } from "./InstalledServers.ts"
import { PublicRegistry } from "./PublicRegistry.ts"
import { RegistryUnreachable } from "./RegistryFailure.ts"
import type { Kept } from "./RegistrySource.ts"

export interface Compared {
  /** The name that it has here. */
  readonly server: string
  readonly name: string
  readonly version: string
  /** Null for one that the registry does not have any more. */
  readonly latest: string | null
  readonly status: RegistryAnswer.PublishedServer["status"] | "unknown"
}

/** Asks the registry about each. Fails where it cannot be reached: an answer that was kept says nothing about now. */
export const compare = Effect.fnUntraced(function*(installed: ReadonlyArray<InstalledServer>) {
  const registry = yield* PublicRegistry
  return yield* Effect.forEach(installed, ({ origin, server }) =>
    registry.server(origin.name, null).pipe(
      Effect.flatMap(fresh),
      Effect.map(({ status, version }): Compared => ({ server, ...origin, latest: version, status })),
      Effect.catchTag("UnknownPublished", () =>
        Effect.succeed<Compared>({ server, ...origin, latest: null, status: "unknown" }))
    ), { concurrency: 4 })
})

/** The comparison by the registry's last answers, without asking it; an unknown server is left out. */
export const known = Effect.fnUntraced(function*(installed: ReadonlyArray<InstalledServer>) {
  const registry = yield* PublicRegistry
  const all = yield* Effect.forEach(
    installed,
    ({ origin, server }) =>
      Effect.map(
        registry.known(origin.name),
        (latest): ReadonlyArray<Compared> =>
          latest === null ? [] : [{ server, ...origin, latest: latest.version, status: latest.status }]
      )
  )
  return all.flat()
})

/** Whether a person should hear of it. */
export const isOutdated = ({ latest, status, version }: Compared): boolean => latest !== version || status !== "active"

const fresh = ({ answer, keptAt }: Kept<RegistryAnswer.PublishedServer>) =>
  keptAt === null ? Effect.succeed(answer) : Effect.fail(
    new RegistryUnreachable({
      message: `the registry cannot be reached; its answer of ${keptAt} does not say what there is now`,
      hint: "check the network, or name another registry with --registry"
    })
  )
