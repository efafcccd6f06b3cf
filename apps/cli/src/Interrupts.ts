/** What ends the command, and what Ctrl-C does besides that. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export class Interrupts extends Context.Service<Interrupts, {
  /** Until the scope closes, the first Ctrl-C runs this instead of ending the command. The next one ends it. */
  readonly first: (stop: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** Done when somebody asked a second time to end the command, and so does not want to wait for servers to close. */
  readonly second: Effect.Effect<void>
  /** Done when the package manager has ended that started this command. It ends as by a first signal. */
  readonly abandoned: Effect.Effect<void>
}>()("cli/Interrupts") {}
