/** The registries of people without the servers that are for others. */
import type { Audience } from "@boocode/mcp-config"
import { McpRegistries, type McpRegistry, SeenRegistry } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isAlone, People } from "./CurrentUser.ts"

type Registries = McpRegistries["Service"]

/** The registries for looking at servers and changing them: an admin has every server there, also one that is for others. */
export class ManagedRegistries extends Context.Service<ManagedRegistries, Registries>()("chat/ManagedRegistries") {}

/** How long a role and groups are believed that were looked up. */
const FRESH = "1 second"

/**
 * Hides in the registry of each person the servers whose `for` does not name them, in whatever the program does for them. On a server
 * of one person nothing is hidden.
 */
export const layer: Layer.Layer<McpRegistries | ManagedRegistries, never, McpRegistries> = Layer.effectContext(
  Effect.gen(function*() {
    const all = yield* McpRegistries
    const people = yield* People
    const hiding = yield* hidden(all, people, () => false)
    const managed = yield* hidden(all, people, ({ role }) => role === "admin")
    return Context.make(McpRegistries, hiding).pipe(Context.add(ManagedRegistries, managed))
  })
)

const hidden = Effect.fnUntraced(function*(
  all: Registries,
  people: typeof People.Service,
  hasAll: (viewer: Audience.Viewer) => boolean
): Effect.fn.Return<Registries> {
  // One for each registry of a person, which lives as long as it.
  const kept = new WeakMap<McpRegistry["Service"], McpRegistry["Service"]>()
  const seen = Effect.fnUntraced(function*(person: string, registry: McpRegistry["Service"]) {
    const before = kept.get(registry)
    if (before !== undefined) return before
    const viewer = yield* Effect.cachedWithTTL(
      Effect.map(people.get(person), (user) => isAlone(user) || hasAll(user) ? null : user),
      FRESH
    )
    const now = SeenRegistry.make(registry, viewer)
    kept.set(registry, now)
    return now
  })
  return { ...all, of: (person) => Effect.flatMap(all.of(person), (registry) => seen(person, registry)) }
})
