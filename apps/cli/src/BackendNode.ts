/** The backend of a real process. What is behind it is loaded when a verb first asks, so that help is quick. */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Backend } from "./Backend.ts"
import { Interrupts } from "./Interrupts.ts"
import type { Place } from "./Place.ts"
import type * as Wiring from "./Wiring.ts"

const load = Effect.promise(() => import("./Wiring.ts"))

export const BackendNode = Layer.effect(
  Backend,
  Effect.gen(function*() {
    const { variables } = yield* Environment
    const interrupts = yield* Interrupts
    const grounds = new WeakMap<Place, ReturnType<typeof Wiring.ground>>()
    const groundOf = (wiring: typeof Wiring, place: Place) => {
      const ground = grounds.get(place) ?? wiring.ground(place, variables, interrupts)
      grounds.set(place, ground)
      return ground
    }
    return Backend.of({
      config: (place) => Layer.unwrap(Effect.map(load, (wiring) => wiring.config(place, groundOf(wiring, place)))),
      registry: (place, log) =>
        Layer.unwrap(Effect.map(load, (wiring) => wiring.registry(groundOf(wiring, place), log))),
      chats: (place, log) => Layer.unwrap(Effect.map(load, (wiring) => wiring.chats(groundOf(wiring, place), log))),
      serve: (place, options) => Effect.flatMap(load, (wiring) => wiring.serve(place, options, variables))
    })
  })
)
