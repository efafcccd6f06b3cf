/** The verb `chat` and its flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { switched } from "./Flags.ts"
import { agent, model, verb } from "./Root.ts"
import * as Target from "./Target.ts"

export const chat = Command.make(
  "chat",
  {
    agent: agent("The agent of AGENTS.md to talk to; without it the first one"),
    model,
    interactive: Flag.Boolean("interactive").pipe(
      Flag.withAlias("i"),
      Flag.withDescription("Have a conversation: each line of standard input is a message; /help tells what else"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    isContinued: switched("continue", "Go on with the chat that was used last"),
    chat: Flag.String("chat").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Go on with this chat; boocode chats list shows them"),
      Flag.optional
    ),
    images: Flag.String("image").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Attach an image to the message: PNG, JPEG, GIF or WebP; may be there several times"),
      Flag.atLeast(0)
    ),
    allow: Flag.String("allow").pipe(
      Flag.withMetavar("PATTERN"),
      Flag.withDescription(
        "Call tools that ask for a yes without a question, where the patterns allow it: * is any run of characters, " +
          "! denies, the last match decides"
      ),
      Flag.atLeast(0)
    ),
    words: Argument.String("MESSAGE").pipe(
      Argument.withDescription("What to say; - is standard input, and comes after the words"),
      Argument.variadic()
    ),
    ...Target.remoteFlags
  },
  ({ agent, chat, model, url, ...given }) =>
    verb(() => import("./Chat.ts"), (module, options) =>
      module.chat(options, Target.target({ url }), {
        ...given,
        agent: Option.getOrNull(agent),
        model: Option.getOrNull(model),
        chat: Option.getOrNull(chat)
      }))
).pipe(Command.withDescription("Send a message and show the answer as it comes"))
