/** `chats`: the chats that are kept: list, search, show, export, import, delete. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { Archive, type Format, type ListedChat } from "../backend/ChatConversation.ts"
import { archived } from "../backend/Connected.ts"
import type { Options, Target } from "../options/Options.ts"
import { Failed } from "../terminal/Failure.ts"
import { oneLine, Output, pad, type Paint } from "../terminal/Output.ts"

export const list = (options: Options, target: Target, words: string | null, limit: number) =>
  archived(
    options,
    target,
    Effect.gen(function*() {
      const output = yield* Output
      const chats = yield* (yield* Archive).list(words, limit)
      yield* options.json ? output.document({ chats }) : output.lines(chatLines(chats, words !== null, output.paint))
    })
  )

export const show = (options: Options, target: Target, id: string) =>
  archived(
    options,
    target,
    Effect.gen(function*() {
      const output = yield* Output
      const archive = yield* Archive
      yield* options.json
        ? Effect.flatMap(archive.get(id), output.document)
        : Effect.flatMap(archive.export(id, "markdown"), output.text)
    })
  )

/** To standard output, or into a file that is not there yet. */
export const exported = (options: Options, target: Target, id: string, given: Format | null, file: string | null) =>
  archived(
    options,
    target,
    Effect.gen(function*() {
      const output = yield* Output
      const text = yield* (yield* Archive).export(id, given ?? formatOf(file ?? ""))
      if (file === null) return yield* output.text(text)
      const fs = yield* FileSystem.FileSystem
      yield* Effect.mapError(fs.writeFileString(file, text, { flag: "wx", mode: 0o600 }), ({ message }) =>
        new Failed({
          tag: "NotWritten",
          message: `${file} cannot be written: ${message}`,
          hint: "give another name; a file that is there stays as it is"
        }))
    })
  )

export const imported = (options: Options, target: Target, file: string, given: Format | null) =>
  archived(
    options,
    target,
    Effect.gen(function*() {
      const output = yield* Output
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
      const chat = yield* (yield* Archive).import(text, given ?? (/^\s*[[{]/.test(text) ? "json" : "markdown"))
      yield* options.json ? output.document(chat) : output.lines([`${chat.id}  ${oneLine(chat.title)}`])
    })
  )

export const remove = (options: Options, target: Target, id: string) =>
  archived(
    options,
    target,
    Effect.gen(function*() {
      const output = yield* Output
      yield* (yield* Archive).remove(id)
      if (options.json) yield* output.document({ removed: id })
    })
  )

const formatOf = (file: string): Format => /\.json$/i.test(file) ? "json" : "markdown"

const chatLines = (chats: ReadonlyArray<ListedChat>, isSearch: boolean, paint: Paint): ReadonlyArray<string> => {
  if (chats.length === 0) return [isSearch ? "nothing was found" : "no chats"]
  return chats.flatMap((chat) => [
    [chat.id, paint.dim(local(chat.updatedAt)), paint.bold(oneLine(chat.title, 80)), paint.careful(doing(chat))]
      .filter((text) => text !== "").join("  "),
    ...(chat.excerpt === null ? [] : [`${pad("", 2)}${oneLine(chat.excerpt, 200)}`])
  ])
}

const doing = ({ approvals, running, waiting }: ListedChat): string =>
  [
    ...(approvals > 0
      ? [`${approvals} ask${approvals === 1 ? "s" : ""} for a yes`]
      : running === null
      ? []
      : ["answers"]),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? "message waits" : "messages wait"}`] : [])
  ].join(", ")

/** The clock on the wall of whoever reads. */
const local = (time: string): string => DateTime.formatLocal(DateTime.makeUnsafe(time), CLOCK)

const CLOCK = { locale: "sv-SE", dateStyle: "short", timeStyle: "short" } as const
