/** The verb `chat` and its flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { agent, model, verb } from "./Root.ts"
import * as Target from "./Target.ts"

export const chat = Command.make(
  "chat",
  {
    agent: agent("The agent of AGENTS.md to talk to; without it the first one"),
    model,
    interactive: Flag.Boolean("interactive").pipe(
      Flag.withAlias("i"),
      Flag.withDescription("Have a conversation: each line of standard input is a message"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    message: Argument.String("MESSAGE").pipe(
      Argument.withDescription("What to say, or - to read it from standard input"),
      Argument.optional
    ),
    ...Target.remoteFlags
  },
  ({ agent, interactive, message, model, ...given }) =>
    verb(() => import("./Chat.ts"), (module, options) =>
      module.chat(options, Target.target(given), {
        agent: Option.getOrNull(agent),
        model: Option.getOrNull(model),
        interactive,
        message: Option.getOrNull(message)
      }))
).pipe(Command.withDescription("Send a message and show the answer as it comes"))
