/** The verb `init` and its arguments. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { verb } from "./Root.ts"

export const init = Command.make(
  "init",
  {
    folder: Argument.String("DIR").pipe(
      Argument.withDescription("Where; ./data unless given"),
      Argument.optional
    )
  },
  ({ folder }) => verb(() => import("./Init.ts"), (module, options) => module.init(options, Option.getOrNull(folder)))
).pipe(Command.withDescription("Write a data folder to begin with; files that are there stay as they are"))
