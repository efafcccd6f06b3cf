/** The verbs of `chats` and their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { verb } from "./Root.ts"
import * as Target from "./Target.ts"

const load = () => import("./ChatsVerbs.ts")

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
  { limit, ...Target.keptFlags },
  ({ limit, ...given }) => verb(load, (module, options) => module.list(options, Target.target(given), null, limit))
).pipe(
  Command.withDescription("Show the chats that are kept, the last used first")
)

const search = Command.make(
  "search",
  {
    words: Argument.String("WORDS").pipe(Argument.withDescription("What to look for"), Argument.atLeast(1)),
    limit,
    ...Target.keptFlags
  },
  ({ limit, words, ...given }) =>
    verb(load, (module, options) => module.list(options, Target.target(given), words.join(" "), limit))
).pipe(Command.withDescription("Show the chats with all these words in title, messages or answers"))

const show = Command.make(
  "show",
  { id, ...Target.keptFlags },
  ({ id, ...given }) => verb(load, (module, options) => module.show(options, Target.target(given), id))
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
    ...Target.keptFlags
  },
  ({ format, id, output, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.exported(options, Target.target(given), id, Option.getOrNull(format), Option.getOrNull(output))
    )
).pipe(Command.withDescription("Write a chat with its attachments as JSON, or as Markdown"))

const importing = Command.make(
  "import",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("What chats export wrote, or - for standard input")),
    format,
    ...Target.keptFlags
  },
  ({ file, format, ...given }) =>
    verb(load, (module, options) => module.imported(options, Target.target(given), file, Option.getOrNull(format)))
).pipe(Command.withDescription("Keep a new chat of an exported one; nothing in it runs, and nothing is allowed by it"))

const remove = Command.make(
  "delete",
  { id, ...Target.keptFlags },
  ({ id, ...given }) => verb(load, (module, options) => module.remove(options, Target.target(given), id))
).pipe(
  Command.withDescription("Forget a chat with all that belongs to it; what runs in it is stopped")
)

export const chats = Command.make("chats").pipe(
  Command.withDescription("Look at the chats that are kept, and carry them elsewhere"),
  Command.withSubcommands([list, search, show, exporting, importing, remove])
)
