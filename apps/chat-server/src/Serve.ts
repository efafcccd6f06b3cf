/**
 * `boocode serve`: the chat server until a signal ends it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as App from "./App.ts"
import * as HeapGrowth from "./HeapGrowth.ts"
import { Signals, untilSignal } from "./Shutdown.ts"

/**
 * Serves until SIGINT, SIGTERM or SIGHUP, or until `also` is done, then closes in good order and succeeds. Fails when the
 * address cannot be bound. Standard output gets the address and a line per MCP server, standard error the log.
 */
export const serve = (options: App.ServeOptions, also: Effect.Effect<void> = Effect.never) =>
  Effect.andThen(HeapGrowth.bounded, untilSignal(Layer.launch(App.layer(options)))).pipe(
    Effect.provide(Signals.layer(also)),
    Effect.provideService(Logger.LogToStderr, true)
  )
