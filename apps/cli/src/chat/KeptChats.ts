/** The shared part of the verbs about kept chats: the chats themselves, the id that is typed, and how they are shown. */
import type { ChatSummary } from "@boocode/chat"
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import { ChatBackend, type ListedChat } from "../backend/ChatBackend.ts"
import { archived } from "../backend/VerbContext.ts"
import * as ChatIds from "../lines/ChatIds.ts"
import { type Options, type Target, verb } from "../options/Options.ts"
import type { Failed, Usage } from "../terminal/Failure.ts"
import { cut, wrapped } from "../terminal/Layout.ts"
import { counted, local, oneLine, Output, type Paint } from "../terminal/Output.ts"

/** Runs with the kept chats and the output. */
export const withChats = <A, E extends Failed | Usage, R>(
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

export const id = Argument.String("ID").pipe(
  Argument.withDescription("The chat, as chats list shows it; the first characters are enough")
)

/** One chat that was made or changed. */
export const told = (chat: ChatSummary, { document, lines }: typeof Output.Service, json: boolean) =>
  json ? document(chat) : lines([`${ChatIds.short(chat.id)}  ${oneLine(chat.title)}`])

/** A list of chats, as wide as the terminal. */
export const chatLines = (
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
