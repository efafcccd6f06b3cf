/** The verb `serve` and its flags. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { model, verb } from "./Root.ts"

const port = (text: string): Option.Option<number> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none()

export const serve = Command.make(
  "serve",
  {
    host: Flag.String("host").pipe(
      Flag.withMetavar("ADDRESS"),
      Flag.withDescription("The address to listen on; 127.0.0.1 unless given"),
      Flag.withDefault("127.0.0.1")
    ),
    port: Flag.String("port").pipe(
      Flag.withMetavar("PORT"),
      Flag.withDescription("The port to listen on; 0 takes a free one; 4266 unless given"),
      Flag.filterMap(port, () => "a whole number from 0 to 65535"),
      Flag.withDefault(4266)
    ),
    logFormat: Flag.Literals("log-format", ["pretty", "json"]).pipe(
      Flag.withDescription("Whether the log is for people or one JSON document a line; settings.json says it too"),
      Flag.optional
    ),
    model
  },
  ({ host, logFormat, model, port }) =>
    verb(
      () => import("./Serve.ts"),
      (module, options) =>
        module.serve(options, {
          host,
          port,
          model: Option.getOrNull(model),
          logFormat: Option.getOrNull(logFormat)
        }),
      "Info"
    )
).pipe(Command.withDescription("Serve the chat page and its API"))
