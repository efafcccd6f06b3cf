/** The verb `chat` and its flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Options from "../options/Options.ts"
import { switched } from "../options/Options.ts"
import { agent, model, verb } from "./Root.ts"

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
    ...Options.remoteFlags
  },
  ({ agent, chat, model, url, ...given }) =>
    verb(() => import("../chat/ChatVerb.ts"), (module, options) =>
      module.chat(options, Options.target({ url }), {
        ...given,
        agent: Option.getOrNull(agent),
        model: Option.getOrNull(model),
        chat: Option.getOrNull(chat)
      }))
).pipe(Command.withDescription("Send a message and show the answer as it comes"))

// The verbs of `chats` and their flags.

const load = () => import("../chat/ChatsVerbs.ts")

const id = Argument.String("ID").pipe(Argument.withDescription("The chat, as chats list shows it"))

const limit = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("So many at most"),
  Flag.withDefault(50)
)

const format = Flag.Literals("format", ["json", "markdown"]).pipe(
  Flag.withDescription("json keeps all of a chat, markdown is for people; without it the name of the file tells"),
  Flag.optional
)

const list = Command.make(
  "list",
  { limit, ...Options.keptFlags },
  ({ limit, ...given }) => verb(load, (module, options) => module.list(options, Options.target(given), null, limit))
).pipe(
  Command.withDescription("Show the chats that are kept, the last used first")
)

const search = Command.make(
  "search",
  {
    words: Argument.String("WORDS").pipe(Argument.withDescription("What to look for"), Argument.atLeast(1)),
    limit,
    ...Options.keptFlags
  },
  ({ limit, words, ...given }) =>
    verb(load, (module, options) => module.list(options, Options.target(given), words.join(" "), limit))
).pipe(Command.withDescription("Show the chats with all these words in title, messages or answers"))

const show = Command.make(
  "show",
  { id, ...Options.keptFlags },
  ({ id, ...given }) => verb(load, (module, options) => module.show(options, Options.target(given), id))
).pipe(
  Command.withDescription("Print a chat: as Markdown, or with --json as it is kept")
)

const exporting = Command.make(
  "export",
  {
    id,
    format,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("FILE"),
      Flag.withDescription("The file to write, which must not be there yet; without it standard output"),
      Flag.optional
    ),
    ...Options.keptFlags
  },
  ({ format, id, output, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.exported(options, Options.target(given), id, Option.getOrNull(format), Option.getOrNull(output))
    )
).pipe(Command.withDescription("Write a chat with its attachments as JSON, or as Markdown"))

const importing = Command.make(
  "import",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("What chats export wrote, or - for standard input")),
    format,
    ...Options.keptFlags
  },
  ({ file, format, ...given }) =>
    verb(load, (module, options) => module.imported(options, Options.target(given), file, Option.getOrNull(format)))
).pipe(Command.withDescription("Keep a new chat of an exported one; nothing in it runs, and nothing is allowed by it"))

const remove = Command.make(
  "delete",
  { id, ...Options.keptFlags },
  ({ id, ...given }) => verb(load, (module, options) => module.remove(options, Options.target(given), id))
).pipe(
  Command.withDescription("Forget a chat with all that belongs to it; what runs in it is stopped")
)

export const chats = Command.make("chats").pipe(
  Command.withDescription("Look at the chats that are kept, and carry them elsewhere"),
  Command.withSubcommands([list, search, show, exporting, importing, remove])
)
