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
 * Serves until SIGINT, SIGTERM or SIGHUP, then closes in good order and succeeds. Fails when the address cannot be
 * bound. Standard output gets the address and a line per MCP server, standard error the log.
 */
export const serve = (options: App.ServeOptions) =>
  Effect.andThen(HeapGrowth.bounded, untilSignal(Layer.launch(App.layer(options)))).pipe(
    Effect.provide(Signals.layer),
    Effect.provideService(Logger.LogToStderr, true)
  )
