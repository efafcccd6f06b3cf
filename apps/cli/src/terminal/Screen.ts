/** The terminal that is written to: its width, and what stands below everything that is printed. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class Screen extends Context.Service<Screen, {
  /** The columns there are now; without a terminal there is no limit. */
  readonly columns: Effect.Effect<number>
  /** Shows these rows below everything else, in the place of those before. Without a terminal it does nothing. */
  readonly status: (rows: ReadonlyArray<string>) => Effect.Effect<void>
  /** Writes whole lines above what stands below. False when nothing stands there: the caller then writes by itself. */
  readonly above: (stream: "stdout" | "stderr", text: string) => Effect.Effect<boolean>
}>()("cli/Screen") {
  /** No terminal, or one of this many columns on which nothing stands below. */
  static readonly layerPlain = (columns = Infinity) =>
    Layer.succeed(Screen, {
      columns: Effect.succeed(columns),
      status: () => Effect.void,
      above: () => Effect.succeed(false)
    })
}
