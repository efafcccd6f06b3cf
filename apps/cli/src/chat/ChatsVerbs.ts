/** `chats list`, `search`, `show`, `export`, `import` and `delete`: the chats that are kept. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { ChatBackend, type Format, type ListedChat } from "../backend/ChatBackend.ts"
import { archived } from "../backend/VerbContext.ts"
import * as ChatIds from "../lines/ChatIds.ts"
import { keptFlags, optional, type Options, type Target, textFlag, verb } from "../options/Options.ts"
import { Failed } from "../terminal/Failure.ts"
import { cut, wrapped } from "../terminal/Layout.ts"
import { counted, local, oneLine, Output, type Paint } from "../terminal/Output.ts"

/** Runs with the kept chats and the output. */
const withChats = <A, E extends Failed, R>(
  target: Target,
  use: (chats: ChatBackend["Service"], output: Output["Service"], options: Options) => Effect.Effect<A, E, R>
) =>
  verb((options) =>
    archived(
      options,
      target,
      Effect.gen(function*() {
        yield* use(yield* ChatBackend, yield* Output, options)
      })
    )
  )

const id = Argument.String("ID").pipe(
  Argument.withDescription("The chat, as chats list shows it; the first characters are enough")
)

const limit = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("The number of chats at most; 50 by default"),
  Flag.withDefault(50)
)

const format = Flag.Literals("format", ["json", "markdown"]).pipe(
  Flag.withDescription("json keeps all of a chat, markdown is for people; by default the name of the file decides"),
  optional
)

const listed = (target: Target, words: string | null, limit: number) =>
  withChats(
    target,
    Effect.fnUntraced(function*(backend, { columns, document, lines, paint }, { json }) {
      const chats = yield* backend.list(words, limit)
      yield* json ? document({ chats }) : lines(chatLines(chats, words !== null, paint, yield* columns))
    })
  )

const list = Command.make("list", { limit, ...keptFlags }, ({ limit, ...target }) => listed(target, null, limit)).pipe(
  Command.withDescription("Show the chats that are kept, the last used first")
)

const search = Command.make(
  "search",
  {
    words: Argument.String("WORDS").pipe(Argument.withDescription("What to look for"), Argument.atLeast(1)),
    limit,
    ...keptFlags
  },
  ({ limit, words, ...target }) => listed(target, words.join(" "), limit)
).pipe(Command.withDescription("Show the chats with all these words in title, messages or answers"))

const show = Command.make(
  "show",
  { id, ...keptFlags },
  ({ id, ...target }) =>
    withChats(
      target,
      (chats, { document, text }, { json }) =>
        Effect.flatMap(ChatIds.whole(chats.list, id), (id) =>
          json
            ? Effect.flatMap(chats.get(id), document)
            : Effect.flatMap(chats.export(id, "markdown"), text))
    )
).pipe(
  Command.withDescription("Print a chat as Markdown, or with --json as it is kept")
)

const exporting = Command.make(
  "export",
  {
    id,
    format,
    file: Flag.withAlias(textFlag("output", "FILE", "The new file to write; by default standard output"), "o").pipe(
      optional
    ),
    ...keptFlags
  },
  ({ file, format, id, ...target }) =>
    withChats(
      target,
      Effect.fnUntraced(function*(chats, output) {
        const text = yield* chats.export(yield* ChatIds.whole(chats.list, id), format ?? formatOf(file ?? ""))
        if (file === null) return yield* output.text(text)
        const fs = yield* FileSystem.FileSystem
        yield* Effect.mapError(fs.writeFileString(file, text, { flag: "wx", mode: 0o600 }), ({ message }) =>
          new Failed({
            tag: "NotWritten",
            message: `${file} cannot be written: ${message}`,
            hint: "give another name; an existing file stays as it is"
          }))
      })
    )
).pipe(Command.withDescription("Write a chat with its attachments as JSON, or as Markdown"))

const importing = Command.make(
  "import",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("What chats export wrote, or - for standard input")),
    format,
    ...keptFlags
  },
  ({ file, format, ...target }) =>
    withChats(
      target,
      Effect.fnUntraced(function*(chats, output, { json }) {
        const fs = yield* FileSystem.FileSystem
        const text = file === "-" ? yield* output.input : yield* Effect.mapError(
          fs.readFileString(file),
          ({ message }) =>
            new Failed({
              tag: "NotRead",
              message: `${file} cannot be read: ${message}`,
              hint: "give a file that chats export wrote, or - for standard input"
            })
        )
        const chat = yield* chats.import(text, format ?? (/^\s*[[{]/.test(text) ? "json" : "markdown"))
        yield* json ? output.document(chat) : output.lines([`${ChatIds.short(chat.id)}  ${oneLine(chat.title)}`])
      })
    )
).pipe(Command.withDescription("Keep a new chat from an exported one; it runs nothing and allows nothing"))

const remove = Command.make(
  "delete",
  { id, ...keptFlags },
  ({ id, ...target }) =>
    withChats(
      target,
      Effect.fnUntraced(function*(chats, { document }, { json }) {
        const removed = yield* ChatIds.whole(chats.list, id)
        yield* chats.remove(removed)
        if (json) yield* document({ removed })
      })
    )
).pipe(
  Command.withDescription("Delete a chat with everything in it; its running turn is stopped")
)

export const chats = Command.make("chats").pipe(
  Command.withDescription("Look at the chats that are kept, and carry them elsewhere"),
  Command.withSubcommands([list, search, show, exporting, importing, remove])
)

const formatOf = (file: string): Format => /\.json$/i.test(file) ? "json" : "markdown"

const chatLines = (
  chats: ReadonlyArray<ListedChat>,
  isSearch: boolean,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  if (chats.length === 0) return [isSearch ? "nothing was found" : "no chats"]
  return chats.flatMap((chat) => {
    const [id, time] = [ChatIds.short(chat.id), local(chat.updatedAt, "short")]
    const now = [chat.pinned ? "pinned" : "", activity(chat)].filter((text) => text !== "").join(", ")
    const title = chat.folder === null ? chat.title : `${chat.folder}: ${chat.title}`
    const room = Math.min(80, columns - id.length - time.length - 4 - (now === "" ? 0 : now.length + 2))
    const row = [id, paint.dim(time), paint.bold(cut(title, room)), ...(now === "" ? [] : [paint.careful(now)])]
    return [
      row.join("  "),
      ...(chat.excerpt === null ? [] : wrapped(cut(chat.excerpt, 200), columns, "  "))
    ]
  })
}

const activity = ({ approvals, running, waiting }: ListedChat): string =>
  [
    ...(approvals > 0
      ? [counted(approvals, "asks for a yes", "ask for a yes")]
      : running === null
      ? []
      : ["answers"]),
    ...(waiting > 0 ? [counted(waiting, "message waits", "messages wait")] : [])
  ].join(", ")
