/** The values that people gave for `${user:NAME}` in entries. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/**
 * The values of each person, by name. The registry knows nothing of people but a key, which it never reads. Without a layer
 * nobody has given any.
 */
export class PersonalValues extends Context.Reference<{
  /** Never fails: what cannot be read is missing. */
  readonly of: (person: string) => Effect.Effect<Readonly<Record<string, Redacted.Redacted<string>>>>
  /** The key of a person whose values changed. */
  readonly changes: Stream.Stream<string>
}>("mcp-registry/PersonalValues", {
  defaultValue: () => ({ of: () => Effect.succeed({}), changes: Stream.empty })
}) {}
