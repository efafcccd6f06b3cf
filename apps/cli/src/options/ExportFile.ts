/** A file of chats that somebody names: one chat as text, or the conversations of an export, which may be a zip. */
import { JsonElements } from "@boocode/chat"
import { JsonObjectText } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Unzip, UnzipInflate } from "fflate"
import { Failed } from "../terminal/Failure.ts"

export interface Chats {
  /** Whether the file is one chat. */
  readonly isOne: boolean
  /** Each as one text. A list is read while it is taken, so that one conversation at a time is in memory. */
  readonly texts: Stream.Stream<string, Failed>
}

const SNIFFED = 4096

export const read = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = ({ message, reason }: PlatformError) =>
    new Failed({
      tag: "NotRead",
      message: reason._tag === "NotFound" ? `there is no file ${file}` : `${file} cannot be read: ${message}`,
      hint: "give a file that boocode chats export wrote, or an export of ChatGPT or Claude; - is standard input",
      where: { file }
    })
  const head = yield* Effect.scoped(
    Effect.flatMap(fs.open(file), (opened) => opened.readAlloc(SNIFFED))
  ).pipe(Effect.mapError(unreadable))
  const start = new TextDecoder().decode(Option.getOrElse(head, () => new Uint8Array()))
  const bytes = Stream.mapError(fs.stream(file), unreadable)
  const isZip = start.startsWith("PK\u0003\u0004")
  if (!isZip && !/^\uFEFF?\s*\[/.test(start)) {
    const one: Chats = { isOne: true, texts: Stream.fromEffect(Effect.mapError(fs.readFileString(file), unreadable)) }
    return one
  }
  const texts = isZip ? unzipped(file, bytes) : Stream.decodeText(bytes)
  const many: Chats = {
    isOne: false,
    texts: Stream.suspend(() => {
      let number = 0
      return JsonElements.elements(texts).pipe(
        Stream.tap(() => Effect.sync(() => number += 1)),
        Stream.mapError((error) =>
          error._tag === "Failed" ? error : damaged(file, `conversation ${number + 1}: ${error.why}`)
        )
      )
    })
  }
  return many
})

/** Whether a failure is about what stands in the file. */
export const isRefused = ({ tag }: Failed): boolean => tag === "ImportRefused" || tag === "InvalidRequest"

/** The failure with its file, and where that is no JSON, with the place. */
export const placed = (file: string, text: string) => (error: Failed): Failed => {
  if (!isRefused(error)) return error
  const read = /^\s*\{/.test(text) && text.length < MOST_SEARCHED ? JsonObjectText.read(text) : null
  const at = read !== null && Result.isFailure(read) ? { line: read.failure.line, column: read.failure.column } : {}
  return new Failed({ tag: error.tag, message: error.message, hint: error.hint, where: { file, ...at } })
}

const MOST_SEARCHED = 5_000_000

/** ChatGPT splits large exports into several such files. */
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

/** The text of the conversations in a zip. Nothing else in it is unpacked, or written anywhere. */
const unzipped = (file: string, bytes: Stream.Stream<Uint8Array, Failed>): Stream.Stream<string, Failed> =>
  Stream.suspend(() => {
    const found: { readonly texts: Array<string>; error: Error | null; files: number } = {
      texts: [],
      error: null,
      files: 0
    }
    const zip = new Unzip((entry) => {
      if (!CONVERSATIONS.test(entry.name)) return
      found.files += 1
      const decoder = new TextDecoder()
      entry.ondata = (error, data, final) => {
        found.error ??= error
        if (error === null) found.texts.push(decoder.decode(data, { stream: !final }))
      }
      entry.start()
    })
    zip.register(UnzipInflate)
    const taken = (chunk: Uint8Array, final: boolean) =>
      Effect.try({
        try: () => {
          zip.push(chunk, final)
          return found.texts.splice(0)
        },
        catch: (cause) => damaged(file, cause instanceof Error ? cause.message : String(cause))
      }).pipe(Effect.filterOrFail(() => found.error === null, () => damaged(file, found.error?.message ?? "")))
    const texts = Stream.concat(
      Stream.mapEffect(bytes, (chunk) => taken(chunk, false)),
      Stream.fromEffect(Effect.suspend(() => taken(new Uint8Array(), true)))
    )
    const atEnd = Stream.suspend(() =>
      found.files > 0 ? Stream.empty : Stream.fail(damaged(file, "there is no conversations.json in it"))
    )
    return Stream.concat(Stream.flatMap(texts, Stream.fromIterable), atEnd)
  })

const damaged = (file: string, why: string): Failed =>
  new Failed({
    tag: "ImportRefused",
    message: `${file} cannot be imported: ${why}`,
    hint: "give the zip that ChatGPT or Claude made, or conversations.json of it: boocode chats import FILE",
    where: { file }
  })
