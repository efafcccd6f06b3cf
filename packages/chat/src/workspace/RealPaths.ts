/** Where the paths among the arguments of a tool lead, for rules that are about paths. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

/** The real names of those of the named arguments that are there and are texts. */
export const of =
  (real: (path: string) => Effect.Effect<string | null>, names: ReadonlyArray<string>) =>
  (args: Schema.JsonObject): Effect.Effect<Readonly<Record<string, string | null>>> =>
    Effect.map(
      Effect.forEach(names, (name) => {
        const path = args[name]
        return Predicate.isString(path) ? Effect.map(real(path), (at) => [[name, at] as const]) : Effect.succeed([])
      }),
      (found) => Object.fromEntries(found.flat())
    )
