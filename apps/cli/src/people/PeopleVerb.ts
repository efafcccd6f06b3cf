/** The shared part of verbs about people: they ask a running server, or the database of this machine. */
import type * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Backend } from "../backend/Backend.ts"
import { PeopleBackend } from "../backend/PeopleBackend.ts"
import { atServer, place, runningServer } from "../backend/VerbContext.ts"
import { type Options, switchFlag, type Target, url, verb } from "../options/Options.ts"
import type { Failed, Usage } from "../terminal/Failure.ts"
import { oneLine, Output } from "../terminal/Output.ts"

export const target = {
  url,
  isLocal: switchFlag("local", "Use the database of this machine, even if a server is running")
}

/** Runs with the people of a running server, or of the database. */
export const asking = <R>(
  target: Target,
  use: (
    people: PeopleBackend["Service"],
    output: Output["Service"],
    options: Options
  ) => Effect.Effect<void, Failed | Usage, R>
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

/** The verb that removes one by its name. `gone` follows the name, and says what that means. */
export const removing = (
  name: Argument.Argument<string>,
  about: string,
  remove: (people: PeopleBackend["Service"], name: string) => Effect.Effect<void, Failed>,
  gone: string
) =>
  Command.make(
    "remove",
    { name, ...target },
    ({ name, ...target }) =>
      asking(target, (people, { document, lines }, { json }) =>
        Effect.andThen(
          remove(people, name),
          json ? document({ removed: name }) : lines([`${oneLine(name)} ${gone}`])
        ))
  ).pipe(Command.withDescription(about))
