/** The message of a person, as a model reads and sees it. */
import { Fitting, ModelImage, ModelText, type ResultFiles, Utf8 } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { type AttachedFile, textIdOf } from "../model/Attachments.ts"
import type { Attachment, ChatTurn } from "../model/Chat.ts"
import * as AttachedContent from "./AttachedContent.ts"
import { GO_ON } from "./HistoryRepair.ts"

/** Gives the bytes of an attachment by its id, and the text of a PDF by `textIdOf`; null when they are not there any more. */
export type FileOf = (id: string) => Effect.Effect<Uint8Array | null>

export interface SentFile extends AttachedFile {
  readonly text?: string | null | undefined
}

export const filesOf = Effect.fnUntraced(function*(
  attachments: ReadonlyArray<Attachment>,
  file: FileOf
): Effect.fn.Return<ReadonlyArray<SentFile>> {
  const files: Array<SentFile> = []
  for (const attachment of attachments) {
    const data = yield* file(attachment.id)
    const text = data !== null && attachment.kind === "pdf" ? yield* file(textIdOf(attachment.id)) : null
    if (data !== null) files.push({ attachment, data, text: text === null ? null : new TextDecoder().decode(text) })
  }
  return files
})

/** The text of a message. Where it came from a server's prompt, `prompt` is read in its place. */
export type Asked = Pick<ChatTurn, "text" | "prompt">

/**
 * The messages of a person. The last one has the attachments in front: files and resources as text, PDFs where
 * `reading` says so, and images. A line stands for an attachment that the model cannot read. A prompt that ends with a message of the
 * assistant is followed by one that asks it to go on.
 */
export const messages = Effect.fnUntraced(function*(
  { prompt = [], text }: Asked,
  files: ReadonlyArray<SentFile>,
  reading: AttachedContent.Reading,
  notes: ReadonlyArray<string> = []
): Effect.fn.Return<ReadonlyArray<Prompt.Message>, never, ResultFiles> {
  const last = prompt.at(-1)
  if (last === undefined) return [yield* message(text, files, reading, notes)]
  const isAsked = last.role === "user"
  const before = (isAsked ? prompt.slice(0, -1) : prompt).map((one) => {
    const content = [Prompt.textPart({ text: one.text })]
    return one.role === "user" ? Prompt.userMessage({ content }) : Prompt.assistantMessage({ content })
  })
  return [...before, yield* message(isAsked ? last.text : GO_ON, files, reading, notes)]
})

const message = Effect.fnUntraced(function*(
  text: string,
  files: ReadonlyArray<SentFile>,
  reading: AttachedContent.Reading,
  notes: ReadonlyArray<string>
): Effect.fn.Return<Prompt.UserMessage, never, ResultFiles> {
  const own = files.filter(({ attachment: { kind } }) => kind === "text" || kind === "pdf").map((file) => ({
    ...file,
    text: file.attachment.kind === "text" ? AttachedContent.textOf(file.data) : file.text ?? null
  }))
  const made = yield* AttachedContent.parts(own, reading)
  const parts = yield* Effect.forEach(files, ({ attachment, data }) => {
    const part = made.get(attachment.id)
    if (part !== undefined) return Effect.succeed([part])
    return isImage(attachment) ? imageParts(attachment, data) : resourceParts(attachment, data)
  })
  return Prompt.userMessage({
    content: [...parts.flat(), ...notes.map((note) => Prompt.textPart({ text: note })), Prompt.textPart({ text })]
  })
})

/** The messages of an earlier turn, or of one that a turn took between two steps. People ask about images later, so the newest ones are shown again. */
export const again = Effect.fnUntraced(function*(
  { attachments, ...asked }: Asked & Pick<ChatTurn, "attachments">,
  shown: ReadonlySet<string>,
  file: FileOf,
  reading: AttachedContent.Reading
): Effect.fn.Return<ReadonlyArray<Prompt.Message>, never, ResultFiles> {
  const isLeftOut = (one: Attachment) => isImage(one) && !shown.has(one.id)
  const files = yield* filesOf(attachments.filter((one) => !isLeftOut(one)), file)
  const there = new Set(files.map(({ attachment }) => attachment.id))
  const notes = attachments.filter(({ id }) => !there.has(id)).map((one) =>
    `[${one.name} was attached here; ${isLeftOut(one) ? "newer images have come since" : "it is not there any more"}]`
  )
  return yield* messages(asked, files, reading, notes)
})

/** The ids of the images of earlier turns that are shown again: the newest 3, of 5,000,000 bytes together at most. */
export const imagesShown = (turns: ReadonlyArray<ChatTurn>): ReadonlySet<string> => {
  const newest = turns.flatMap((turn) => attachmentsOf(turn).filter(isImage)).slice(-MOST_IMAGES).toReversed()
  return new Set(newest.slice(0, Fitting.count(newest, MOST_BYTES, ({ bytes }) => bytes)).map(({ id }) => id))
}

/** The attachments of the message of a turn, and of the messages that it took later. */
export const attachmentsOf = ({ attachments, parts }: ChatTurn): ReadonlyArray<Attachment> => [
  ...attachments,
  ...parts.flatMap((part) => part.type === "message" ? part.attachments : [])
]

export const hasResources = (attachments: ReadonlyArray<Attachment>): boolean =>
  attachments.some(({ kind }) => kind === "resource")

const MOST_IMAGES = 3
const MOST_BYTES = 5_000_000

const isImage = ({ mediaType }: Attachment): boolean => /^image\/(png|jpeg|gif|webp)$/i.test(mediaType)

const imageParts = (attachment: Attachment, data: Uint8Array): Effect.Effect<ReadonlyArray<Prompt.UserMessagePart>> =>
  Effect.map(
    ModelImage.fromContent([{ type: "image", data: Base64.encode(data) }]),
    (found) =>
      found.map((image) =>
        Result.isSuccess(image)
          ? Prompt.filePart({
            mediaType: image.success.mediaType,
            fileName: attachment.name,
            data: Base64.encode(image.success.bytes)
          })
          : Prompt.textPart({ text: `${attachment.name}: ${image.failure}` })
      )
  )

const TEXT_BYTES = 90_000

const resourceParts = Effect.fnUntraced(function*({ name, server, uri }: Attachment, data: Uint8Array) {
  const text = textOf(data)
  const where = uri === null || uri === name ? name : `${name} (${uri})`
  if (text === null) {
    return [Prompt.textPart({ text: `[${where} was attached here; its ${data.length} bytes are no text]` })]
  }
  const origin = { server: server ?? "the person", tool: `resource ${uri ?? name}`, isTrusted: false }
  const framed = yield* ModelText.fromResult({ text: shortened(text), truncated: null, origin })
  return [Prompt.textPart({ text: `The person attached ${where}:\n${framed}` })]
})

const textOf = (data: Uint8Array): string | null =>
  Result.getOrNull(Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(data)))

const shortened = (text: string): string => {
  const bytes = Utf8.byteLength(text)
  return bytes <= TEXT_BYTES
    ? text
    : `${Utf8.prefix(text, TEXT_BYTES)}\n\n[${bytes - TEXT_BYTES} of ${bytes} bytes are left out here]`
}
