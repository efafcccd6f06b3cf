/** The host's environment variables as a service, so that only an application's entry point reads `process.env`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The variables that `${VAR}` expands from and that servers inherit a safe list of. */
export class Environment extends Context.Service<Environment, {
  /** The variables as they stand. Ask for them when they are needed: `refresh` may change them. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The files that some of them come from, absolute, those that are not there included. */
  readonly files: ReadonlyArray<string>
  /** Reads these files again. Never fails. */
  readonly refresh: Effect.Effect<void>
}>()("mcp-config/Environment") {
  /** Gives these variables, for instance `process.env`, as they are when the layer is built. */
  static readonly layer = (variables: Readonly<Record<string, string | undefined>>): Layer.Layer<Environment> =>
    Layer.succeed(Environment, Environment.of({ variables: { ...variables }, files: [], refresh: Effect.void }))
}
