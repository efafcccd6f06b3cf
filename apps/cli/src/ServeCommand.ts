/** The verb `serve` and its flags. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { model, verb } from "./Root.ts"

export const serve = Command.make(
  "serve",
  {
    host: Flag.String("host").pipe(
      Flag.withDescription("The address to listen on"),
      Flag.withDefault("127.0.0.1")
    ),
    port: Flag.Int("port").pipe(
      Flag.filter((port) => port >= 0 && port <= 65_535, (port) => `${port} is no port: give 0 to 65535`),
      Flag.withDescription("The port to listen on; 0 takes a free one"),
      Flag.withDefault(4266)
    ),
    model
  },
  ({ host, model, port }) =>
    verb(
      () => import("./Serve.ts"),
      (module, options) => module.serve(options, { host, port, model: Option.getOrNull(model) }),
      "Info"
    )
).pipe(Command.withDescription("Serve the chat page and its API"))
