/** The values that people gave for `${user:NAME}` in entries, and the folders that `${workspace}` is for them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/**
 * The values of each person, by name, and their folder. The registry knows nothing of people but a key, which it never reads.
 * Without a layer there is one person, who has given none.
 */
export class PersonalValues extends Context.Reference<{
  /** Never fails: what cannot be read is missing. */
  readonly of: (person: string) => Effect.Effect<Readonly<Record<string, Redacted.Redacted<string>>>>
  /** The key of a person whose values changed. */
  readonly changes: Stream.Stream<string>
  /** The folder of a person, which is there; null where it cannot be used. */
  readonly workspace: (person: string) => Effect.Effect<string | null>
  /** Whether there are several people, each with a folder of their own. Once true it stays so. */
  readonly areSeveral: Effect.Effect<boolean>
}>("mcp-registry/PersonalValues", {
  defaultValue: () => ({
    of: () => Effect.succeed({}),
    changes: Stream.empty,
    workspace: () => Effect.succeed(null),
    areSeveral: Effect.succeed(false)
  })
}) {}
