/** `serve`: the chat server and its page, until a signal ends it. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import * as DataLocation from "../options/DataLocation.ts"
import { model, optional, switchFlag, textFlag, verb } from "../options/Options.ts"
import { timeFlag } from "../options/TimeFlag.ts"
import { TypedCommand } from "../terminal/TypedCommand.ts"

const port = (text: string): Option.Option<number> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none()

export const serve = Command.make(
  "serve",
  {
    host: Flag.withDefault(
      textFlag("host", "ADDRESS", "The address to listen on; 127.0.0.1 by default"),
      "127.0.0.1"
    ),
    port: textFlag("port", "PORT", "The port to listen on; 0 takes a free one; 4266 by default").pipe(
      Flag.filterMap(port, () => "a whole number from 0 to 65535"),
      Flag.withDefault(4266)
    ),
    appsPort: optional(
      textFlag("apps-port", "PORT", "The port of apps that servers bring (docs/apps.md); any free one by default").pipe(
        Flag.filterMap(port, () => "a whole number from 0 to 65535")
      )
    ),
    logFormat: Flag.Literals("log-format", ["pretty", "json"]).pipe(
      Flag.withDescription("A log for people, or one JSON document a line; wins over settings.json"),
      optional
    ),
    fleet: switchFlag("fleet", "Be a node of a fleet: several servers over one PostgreSQL (docs/fleet.md)"),
    endIdle: optional(timeFlag("end-idle", "End when nobody has used the server for so long")),
    model
  },
  ({ endIdle, ...given }) =>
    verb(
      Effect.fnUntraced(function*(options) {
        const where = yield* place(options)
        yield* DataLocation.checkFolder(where)
        const command = yield* TypedCommand
        yield* Backend.use((backend) =>
          backend.serve(where, { ...given, command, endIdle: endIdle?.duration ?? null, logLevel: options.logLevel })
        )
      }),
      "Info"
    )
).pipe(Command.withDescription("Serve the chat page and its API"))
