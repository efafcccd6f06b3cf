/** `undo`: what the tools of a chat wrote, and bringing back what was there before. */
import type { JournaledWrite } from "@boocode/chat-server/api/WritesApi"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { ChatBackend } from "../backend/ChatBackend.ts"
import { archived, connectedChats, runningServer } from "../backend/VerbContext.ts"
import * as ChatIds from "../lines/ChatIds.ts"
import { keptFlags, optional, optionalArgument, type Options, textFlag, verb } from "../options/Options.ts"
import { Failed } from "../terminal/Failure.ts"
import { wrapped } from "../terminal/Layout.ts"
import { local, oneLine, Output, type Paint } from "../terminal/Output.ts"
import { waiting } from "../terminal/Waiting.ts"

type Write = typeof JournaledWrite.Type

export const undo = Command.make(
  "undo",
  {
    write: optionalArgument(
      Argument.String("CALL").pipe(
        Argument.withDescription(
          "The write, as undo without CALL shows it, or its call; the first characters are enough"
        )
      )
    ),
    chat: optional(textFlag("chat", "ID", "The chat it belongs to; by default the chats that were used last")),
    ...keptFlags
  },
  ({ chat, write, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      const url = yield* runningServer(options, target)
      const place = { url, isLocal: url === null }
      if (write === null) return yield* archived(options, place, Effect.flatMap(chosen(chat), shown(options)))
      const undone = (id: string, found: string) =>
        Effect.gen(function*() {
          const text = yield* ChatBackend.use((chats) => chats.undo(id, found))
          const { document, lines } = yield* Output
          yield* options.json ? document({ undone: true, text }) : lines([oneLine(text, 2000)])
        })
      const found = yield* archived(options, place, find(chat, write))
      // Alone, only the server of the write is started.
      const server = found.write.server
      const use = undone(found.chat, found.write.id)
      if (url !== null || server === null) return yield* archived(options, place, use)
      yield* connectedChats(options, Effect.andThen(ready(server), use), server)
    }))
).pipe(
  Command.withDescription("Undo what a tool wrote; without CALL, show what the tools of a chat wrote"),
  Command.withExamples([{ command: "boocode undo", description: "What the tools of the last chat wrote" }])
)

const ready = (server: string) =>
  Effect.gen(function*() {
    const registry = yield* McpRegistry
    yield* Effect.ignore(waiting(registry.settledServer(server), registry.servers, [server]))
  })

/** The chat of an id, or the one that was used last. */
const chosen = Effect.fnUntraced(function*(chat: string | null) {
  const { list } = yield* ChatBackend
  if (chat !== null) return yield* ChatIds.whole(list, chat)
  const [last] = yield* list(null, 1)
  return last?.id ??
    (yield* new Failed({ tag: "UnknownChat", message: "there is no chat", hint: "boocode chat MESSAGE begins one" }))
})

/** So many chats are looked through for a write. */
const MOST = 100
/** Fewer characters would soon be those of another write as well. */
const FEWEST = 4

/** The one write whose id, or that of its call, is this one or begins so. */
const find = Effect.fnUntraced(function*(chat: string | null, typed: string) {
  const chats = yield* ChatBackend
  const ids = chat === null
    ? (yield* chats.list(null, MOST)).map(({ id }) => id)
    : [yield* ChatIds.whole(chats.list, chat)]
  for (const id of ids) {
    const writes = yield* chats.writes(id)
    const whole = writes.find((write) => write.id === typed || write.call === typed)
    const begun = typed.length < FEWEST
      ? []
      : writes.filter(({ call, id }) => [call, id].some((one) => one.startsWith(typed)))
    const [first, ...others] = whole === undefined ? begun : [whole]
    if (others.length > 0) return yield* several(typed, begun)
    if (first !== undefined) return { chat: id, write: first }
  }
  return yield* new Failed({
    tag: "NothingToUndo",
    message: `no write begins with ${oneLine(typed)}`,
    hint: chat === null
      ? `boocode undo shows those of the last chat; ${MOST} chats were looked through, --chat ID names another`
      : "boocode undo --chat ID shows the writes of that chat"
  })
})

const several = (typed: string, writes: ReadonlyArray<Write>) =>
  new Failed({
    tag: "NothingToUndo",
    message: `${writes.length} writes begin with ${oneLine(typed)}`,
    hint: `type more of one: ${writes.slice(0, 5).map(({ id }) => id).join(", ")}`
  })

const shown = (options: Options) =>
  Effect.fnUntraced(function*(chat: string) {
    const { columns, document, lines, paint } = yield* Output
    const { get, writes } = yield* ChatBackend
    const all = yield* writes(chat)
    if (options.json) return yield* document({ chat, writes: all })
    const { title } = yield* get(chat)
    const wide = yield* columns
    yield* lines([
      `${ChatIds.short(chat)}  ${paint.bold(oneLine(title))}`,
      ...(all.length === 0 ? ["  nothing was written"] : all.flatMap((write) => writeLines(write, paint, wide)))
    ])
  })

const writeLines = (
  { allowedBy, args, id, name, outcome, undo }: Write,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  const what = [
    id,
    oneLine(name),
    ...TELLING.flatMap((key) => typeof args[key] === "string" ? [oneLine(args[key])] : [])
  ]
  const state = undo.undoneAt !== null
    ? `undone ${local(undo.undoneAt, "short")}`
    : undo.possible
    ? paint.good("can be undone")
    : `cannot be undone: ${oneLine(undo.why ?? "", 400)}`
  return [
    ...wrapped(what.join("  "), columns, "  ", "      "),
    ...wrapped(`${OUTCOMES[outcome]}, allowed by ${ALLOWED[allowedBy]}; ${state}`, columns, "      ")
  ]
}

/** Arguments that say where something was written. */
const TELLING = ["path", "from", "to"]

const OUTCOMES = { done: "done", failed: "failed", unknown: "nobody knows whether it was done" } as const

const ALLOWED = { person: "you", grant: "an earlier yes", rule: "a rule", default: "default" } as const
