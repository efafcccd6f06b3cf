/** `serve`: the chat server and its page, until a signal ends it. */
import * as Effect from "effect/Effect"
import { Backend, type ServeOptions } from "./Backend.ts"
import { place } from "./Connected.ts"
import type { Options } from "./Options.ts"

export const serve = Effect.fnUntraced(function*(options: Options, request: Omit<ServeOptions, "logLevel">) {
  const where = yield* place(options)
  yield* Backend.use((backend) => backend.serve(where, { ...request, logLevel: options.logLevel }))
})
