/** `serve`: the chat server and its page, until a signal ends it. */
import * as Effect from "effect/Effect"
import { Backend, type ServeOptions } from "../backend/Backend.ts"
import { place } from "../backend/Connected.ts"
import type { Options } from "../options/Options.ts"

export const serve = Effect.fnUntraced(function*(options: Options, request: Omit<ServeOptions, "logLevel">) {
  const where = yield* place(options)
  yield* Backend.use((backend) => backend.serve(where, { ...request, logLevel: options.logLevel }))
})
