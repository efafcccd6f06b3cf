/**
 * What is begun by plain calls and takes its time, each in a fiber of its own. It costs next to nothing until then, and most
 * servers never need it.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Nothing runs yet; what will, does so among the services that there are now. */
export const make: Effect.Effect<BackgroundFibers> = Effect.map(
  Effect.context<never>(),
  (context) => new BackgroundFibers(context)
)

export class BackgroundFibers {
  private readonly context: Context.Context<never>
  private running: Set<Fiber.Fiber<void>> | null = null
  private isOver = false

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  /** Begins at once; what is begun after the end is not run. */
  run(work: Effect.Effect<void>): Fiber.Fiber<void> {
    // oxlint-disable-next-line house/no-run -- what comes from a pipe comes by plain calls
    const fiber = Effect.runForkWith(this.context)(this.isOver ? Effect.interrupt : work)
    const running = this.running ??= new Set()
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }
  /** Ends all that runs, and waits for that. Nothing runs from then on. */
  get end(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isOver = true
      return this.running === null ? Effect.void : Fiber.interruptAll(this.running)
    })
  }
}
