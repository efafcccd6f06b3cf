/** What verbs about people have in common: they ask a running server, or the database of this machine. */
import * as Effect from "effect/Effect"
import { Backend } from "../backend/Backend.ts"
import { PeopleBackend } from "../backend/PeopleBackend.ts"
import { atServer, place, runningServer } from "../backend/VerbContext.ts"
import { type Options, switchFlag, type Target, url, verb } from "../options/Options.ts"
import type { Failed } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

export const target = {
  url,
  isLocal: switchFlag("local", "Use the database of this machine, even if a server is running")
}

export const asking = <R>(
  target: Target,
  use: (
    people: PeopleBackend["Service"],
    output: Output["Service"],
    options: Options
  ) => Effect.Effect<void, Failed, R>
) =>
  verb(Effect.fnUntraced(function*(options) {
    const backend = yield* Backend
    const url = yield* runningServer(options, target)
    const used = Effect.gen(function*() {
      yield* use(yield* PeopleBackend, yield* Output, options)
    })
    yield* url === null
      ? Effect.provide(used, backend.people(yield* place(options)))
      : Effect.provide(used, PeopleBackend.layerRemote).pipe(atServer(url))
  }))
