/** `chats`: the chats that are kept, listed, shown, carried elsewhere and deleted; `ChatChangeVerbs` changes them. */
import type { ChatSummary } from "@boocode/chat"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import type { ChatBackend, Format } from "../backend/ChatBackend.ts"
import * as ChatIds from "../lines/ChatIds.ts"
import { keptFlags, optional, type Target, textFlag } from "../options/Options.ts"
import { Failed } from "../terminal/Failure.ts"
import { counted, type Output, plain } from "../terminal/Output.ts"
import * as ChatChangeVerbs from "./ChatChangeVerbs.ts"
import { chatLines, id, told, withChats } from "./KeptChats.ts"

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
    file: Argument.String("FILE").pipe(
      Argument.withDescription("What chats export wrote, an export of ChatGPT or Claude, or - for standard input")
    ),
    format,
    ...keptFlags
  },
  ({ file, format, ...target }) =>
    withChats(
      target,
      Effect.fnUntraced(function*(chats, output, { json }) {
        const take = (text: string) => chats.import(text, format ?? (/^\s*[[{]/.test(text) ? "json" : "markdown"))
        if (file === "-") return yield* told(yield* Effect.flatMap(output.input, take), output, json)
        // The reader of zips is loaded where a file is imported.
        const { isRefused, placed, read } = yield* Effect.promise(() => import("../options/ExportFile.ts"))
        const { isOne, texts } = yield* read(file)
        if (isOne) {
          return yield* Stream.runForEach(
            texts,
            (text) =>
              Effect.flatMap(Effect.mapError(take(text), placed(file, text)), (chat) => told(chat, output, json))
          )
        }
        yield* importedAll(texts, take, { chats, isRefused, output, json })
      })
    )
).pipe(
  Command.withDescription(
    "Keep new chats from an exported one, or from an export of ChatGPT or Claude; nothing in them runs"
  )
)

const SHOWN = 5

/** One conversation that cannot be read is left out, and the others are not. */
const importedAll = Effect.fnUntraced(function*(
  texts: Stream.Stream<string, Failed>,
  take: (text: string) => Effect.Effect<ChatSummary, Failed>,
  { chats, isRefused, json, output }: {
    readonly chats: typeof ChatBackend.Service
    readonly isRefused: (error: Failed) => boolean
    readonly output: typeof Output.Service
    readonly json: boolean
  }
) {
  const { document, lines, notePaint, notes, notesAreTerminal, status } = output
  const present = new Set((yield* chats.list(null, Infinity)).map(({ id }) => id))
  const count = { imported: 0, present: 0 }
  const refused = new Map<string, { readonly times: number; readonly first: number }>()
  let number = 0
  yield* Stream.runForEach(texts, (text) =>
    take(text).pipe(
      Effect.map(({ id }) => {
        count[present.has(id) ? "present" : "imported"] += 1
        present.add(id)
      }),
      Effect.catchIf(isRefused, ({ message }) =>
        Effect.sync(() => {
          const { first, times } = refused.get(message) ?? { first: number + 1, times: 0 }
          refused.set(message, { first, times: times + 1 })
        })),
      Effect.tap(() => Effect.sync(() => number += 1)),
      Effect.andThen(Effect.suspend(() =>
        notesAreTerminal && count.imported % 100 === 0 ? status([`${count.imported} chats imported`]) : Effect.void
      ))
    ))
  if (notesAreTerminal) yield* status([])
  const all = [...refused].map(([message, found]) => ({ message, ...found }))
  yield* json
    ? document({ ...count, refused: all })
    : lines([`imported ${counted(count.imported, "chat")}, ${count.present} there already`])
  yield* notes(
    all.slice(0, SHOWN).map(({ first, message, times }) =>
      `${notePaint.careful("left out")}  ${
        times === 1 ? `conversation ${first}` : `${times} conversations, first number ${first}`
      }: ${plain(message)}`
    )
  )
  if (count.imported + count.present > 0) return
  return yield* new Failed({
    tag: "ImportRefused",
    message: `no chat could be imported: ${all[0]?.message ?? "there is no conversation in the file"}`,
    hint: "give the zip that ChatGPT or Claude made, or conversations.json of it: boocode chats import FILE"
  })
})

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
  Command.withDescription("Look at the chats that are kept, change them, and carry them elsewhere"),
  Command.withSubcommands([list, search, show, ...ChatChangeVerbs.all, exporting, importing, remove])
)

const formatOf = (file: string): Format => /\.json$/i.test(file) ? "json" : "markdown"
