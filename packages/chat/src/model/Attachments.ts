/** Which attachments a message may have, and what the chat keeps of them. */
import { ImageHeader, PdfReader, type PdfText } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Attachment, NewAttachment } from "./Chat.ts"
import { AttachmentRefused } from "./ChatError.ts"
import * as FileKind from "./FileKind.ts"
import * as FileText from "./FileText.ts"

/** The limit on the attachments of one message. */
export const MOST = 8

/** The limit on the bytes of one image, and of one resource. */
export const MOST_BYTES = 5_000_000

/** The limit on the bytes of one text. */
export const MOST_TEXT_BYTES = 20_000_000

/** The limit on the bytes of one PDF, and of all attachments of a message together. */
export const MOST_PDF_BYTES = 50_000_000

/** An attachment beside its bytes. */
export interface AttachedFile {
  readonly attachment: Attachment
  readonly data: Uint8Array
}

/** An attachment that was examined, and has no place in a chat yet. */
export interface ExaminedFile {
  readonly attachment: Omit<Attachment, "id">
  readonly data: Uint8Array
  /** The text of a PDF; null for all else. */
  readonly text: string | null
}

/** The name under which a chat keeps the text of a PDF. */
export const textIdOf = (id: string): string => `${id}${TEXT}`

/** The id of the PDF whose text has this name; null for the name of anything else. */
export const pdfIdOf = (file: string): string | null => file.endsWith(TEXT) ? file.slice(0, -TEXT.length) : null

const TEXT = "-text"

/** The names of the files that a chat keeps for an attachment. */
export const filesOf = ({ id, kind }: Attachment): ReadonlyArray<string> => kind === "pdf" ? [id, textIdOf(id)] : [id]

/** Names examined attachments after the turn that they go with. */
export const idOf = (turn: number, at: number): string => `${turn}-${at + 1}`

/** Those of a message as it is sent. Reading a PDF may take seconds, in which the chat goes on. */
export const sent = (attachments: ReadonlyArray<NewAttachment> | undefined) =>
  attachments === undefined ? Effect.succeed(undefined) : Effect.interruptible(examined(attachments))

/**
 * Examines what goes with a message. An image's type is what its bytes say; so is that of a file, which becomes an
 * image, a PDF or a text. Fails when there is too much of it, and when something is neither: the error names the file
 * and its place, from 0.
 */
export const examined = Effect.fnUntraced(function*(
  given: ReadonlyArray<NewAttachment>
): Effect.fn.Return<ReadonlyArray<ExaminedFile>, AttachmentRefused> {
  const over = given[MOST]
  if (over !== undefined) {
    const why = { reason: "count" as const, detail: `a message takes at most ${MOST} attachments` }
    return yield* new AttachmentRefused({ name: over.name, index: MOST, advice: null, ...why })
  }
  let bytes = 0
  const last = given.findIndex(({ data }) => (bytes += data.length) > MOST_PDF_BYTES)
  const heavy = given[last]
  if (heavy !== undefined && heavy.data.length <= MOST_PDF_BYTES) {
    const detail = `the attachments of a message have at most ${MOST_PDF_BYTES} bytes together`
    const advice = "send some of them with another message"
    return yield* new AttachmentRefused({ name: heavy.name, index: last, reason: "size", detail, advice })
  }
  return yield* Effect.forEach(
    given,
    (one, index) =>
      Effect.mapError(examine(one), (why) => new AttachmentRefused({ name: one.name, index, advice: null, ...why }))
  )
})

interface Refusal {
  readonly reason: "size" | "type"
  readonly detail: string
  readonly advice?: string
}

const examine = Effect.fnUntraced(function*(
  { data, ...rest }: NewAttachment
): Effect.fn.Return<ExaminedFile, Refusal> {
  const found = rest.kind === "file" ? yield* fileKind(rest, data) : yield* givenKind(rest.kind, rest.mediaType, data)
  const { text = null, ...attachment } = found
  return { attachment: { ...rest, bytes: data.length, ...attachment }, data, text }
})

type Found = Pick<Attachment, "kind" | "mediaType" | "pages" | "note"> & { readonly text?: string }

const givenKind = Effect.fnUntraced(function*(
  kind: "image" | "resource",
  mediaType: string,
  data: Uint8Array
): Effect.fn.Return<Found, Refusal> {
  yield* notLarger(data, MOST_BYTES)
  if (kind === "resource") return { kind, mediaType }
  const picture = ImageHeader.read(data)
  if (Result.isSuccess(picture)) return { kind, mediaType: picture.success.mediaType }
  return yield* Effect.fail({ reason: "type" as const, detail: picture.failure })
})

const fileKind = Effect.fnUntraced(function*(
  { mediaType, name }: Omit<NewAttachment, "data">,
  data: Uint8Array
): Effect.fn.Return<Found, Refusal> {
  if (data.length === 0) {
    return yield* Effect.fail(refusal({ detail: "it is empty", hint: "attach a file with content" }))
  }
  if (ImageHeader.isImage(data)) return yield* givenKind("image", mediaType, data)
  if (FileKind.isPdf(data)) return yield* pdfKind(data)
  const known = FileKind.unreadable(name, data)
  if (known !== null) return yield* Effect.fail(refusal(known))
  yield* notLarger(data, MOST_TEXT_BYTES)
  const text = FileText.decode(data)
  if (text === null) return yield* Effect.fail(refusal(BINARY))
  return {
    kind: "text",
    mediaType: FileKind.textType(name, mediaType),
    ...text.note === null ? {} : { note: text.note }
  }
})

const BINARY = {
  detail: "its bytes are neither text nor an image nor a PDF",
  hint: "convert it to text, CSV, PDF, PNG or JPEG; text has to be UTF-8, or UTF-16 with its mark"
}

const refusal = ({ detail, hint }: FileKind.Unreadable): Refusal => ({ reason: "type", detail, advice: hint })

const notLarger = (data: Uint8Array, limit: number): Effect.Effect<void, Refusal> =>
  data.length <= limit
    ? Effect.void
    : Effect.fail({ reason: "size", detail: `it has ${data.length} bytes, more than ${limit}` })

const pdfKind = Effect.fnUntraced(function*(data: Uint8Array): Effect.fn.Return<Found, Refusal> {
  yield* notLarger(data, MOST_PDF_BYTES)
  const read = yield* Effect.mapError(Effect.flatMap(PdfReader, (reader) => reader.read(data)), refusal)
  const text = pdfText(read)
  const note = noteOn(read)
  return {
    kind: "pdf",
    mediaType: "application/pdf",
    pages: read.pages,
    text,
    ...note === null ? {} : { note }
  }
})

const noteOn = ({ pages, texts }: PdfText): string | null => {
  if (texts.every((text) => text.trim() === "")) {
    return "it has no text, as scanned pages have none: only models that take PDFs see what is on them"
  }
  return texts.length === pages ? null : `the text of its first ${texts.length} of ${pages} pages was read`
}

/** The text of a PDF, each page below its number; empty where no page has any. */
export const pdfText = ({ texts }: PdfText): string =>
  texts.every((text) => text.trim() === "")
    ? ""
    : texts.map((text, at) => `[page ${at + 1}]\n${text.trimEnd()}\n`).join("\n").toWellFormed()
