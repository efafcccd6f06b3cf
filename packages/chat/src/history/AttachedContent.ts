/** The texts and PDFs that a person attached, as a model reads them. */
import { Frame, Lines, ResultFiles, Utf8 } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import type { AttachedFile } from "../model/Attachments.ts"
import type { Attachment } from "../model/Chat.ts"
import * as FileText from "../model/FileText.ts"

export interface Reading {
  /** The bytes of text that the attachments of one message have together. `view_file` reads the rest. */
  readonly textBytes: number
  /** The PDFs that the model gets as they are, by id. It reads the text of all others. */
  readonly pdfs: ReadonlySet<string>
}

/** Texts that a model of which nothing is known can read. */
export const CAUTIOUS: Reading = { textBytes: 18_000, pdfs: new Set() }

/** Above what a page of text and the picture of it take, see platform.claude.com/docs/en/build-with-claude/pdf-support. */
const PAGE_TOKENS = 3000

/** A text has at least a third as many tokens as bytes, mostly fewer. */
const BYTES_A_TOKEN = 3
const MOST_TEXT_BYTES = 256_000
/** Anthropic takes 100 pages and 32 MB a request in all of its models. */
const MOST_PAGES = 100
const MOST_PDF_BYTES = 10_000_000

/**
 * How much goes into requests of at most so many tokens: texts of a message get a quarter, at most 256,000 bytes. PDFs
 * go as they are when the model takes them: the newest ones, of half of the tokens, 100 pages and 10,000,000 bytes
 * together at most.
 */
export const readingOf = (
  { readsPdf, tokens }: { readonly tokens: number; readonly readsPdf: boolean },
  attachments: ReadonlyArray<Attachment>
): Reading => {
  const most = readsPdf ? Math.min(MOST_PAGES, Math.floor(tokens / 2 / PAGE_TOKENS)) : 0
  const pdfs = new Set<string>()
  let [pages, bytes] = [0, 0]
  for (const pdf of attachments.filter(({ kind }) => kind === "pdf").toReversed()) {
    pages += Math.max(1, pdf.pages ?? most + 1)
    bytes += pdf.bytes
    if (pages > most || bytes > MOST_PDF_BYTES) break
    pdfs.add(pdf.id)
  }
  return { textBytes: Math.min(MOST_TEXT_BYTES, Math.floor(tokens / 4) * BYTES_A_TOKEN), pdfs }
}

/** A text or a PDF with the text that a model reads of it; null where there is none. */
interface Readable extends AttachedFile {
  readonly text: string | null
}

/**
 * The parts of one message for its texts and PDFs, by the id of the attachment. A small text stays whole, and large
 * ones share the room that is left; lines say what is not shown, and under which handle `view_file` reads the whole.
 * The parts of the same files are the same every time.
 */
export const parts = Effect.fnUntraced(function*(
  files: ReadonlyArray<Readable>,
  { pdfs, textBytes }: Reading
): Effect.fn.Return<ReadonlyMap<string, Prompt.UserMessagePart>, never, ResultFiles> {
  const rooms = shares(files.filter(({ attachment }) => !pdfs.has(attachment.id)), textBytes)
  const made = yield* Effect.forEach(files, (file) =>
    Effect.gen(function*() {
      const { attachment, data } = file
      const shown = yield* textPart(file, rooms.get(attachment.id) ?? textBytes)
      return [attachment.id, pdfs.has(attachment.id) ? pdfPart(attachment, data, shown) : shown] as const
    }))
  return new Map(made)
})

/** The text of an attached file; null where it is not text. */
export const textOf = (data: Uint8Array): string | null => FileText.decode(data)?.text ?? null

/** A small file leaves its room to the others. */
const shares = (files: ReadonlyArray<Readable>, bytes: number): ReadonlyMap<string, number> => {
  const sizes = files.map(({ attachment, text }) => ({ id: attachment.id, size: Utf8.byteLength(text ?? "") }))
    .toSorted((one, other) => one.size - other.size)
  let left = bytes
  return new Map(sizes.map(({ id, size }, at) => {
    const share = Math.floor(left / (sizes.length - at))
    left -= Math.min(size, share)
    return [id, share]
  }))
}

const textPart = Effect.fnUntraced(function*({ attachment, data, text }: Readable, room: number) {
  const { mediaType, name, note, pages } = attachment
  const facts = [
    mediaType,
    pages === undefined ? `${data.length} bytes` : `${pages} ${pages === 1 ? "page" : "pages"}`,
    ...note === undefined ? [] : [note]
  ]
  const lead = `The person attached ${name} (${facts.join("; ")})`
  if (text === null) return Prompt.textPart({ text: `[${lead}, but its text cannot be read]` })
  if (text.trim() === "") return Prompt.textPart({ text: `[${lead}; you cannot see it]` })
  if (Utf8.isWithin(text, room)) return Prompt.textPart({ text: yield* framed(lead, name, text) })
  const lines = Lines.of(text)
  const shown = Lines.within(lines, room)
  const handle = yield* (yield* ResultFiles).keep(text)
  const rest = handle === null
    ? "the rest could not be kept"
    : `read on with view_file ${handle} and offset ${shown.length + 1}`
  if (shown.length === 0) return Prompt.textPart({ text: `[${lead}; nothing of it has room here; ${rest}]` })
  const start = yield* framed(lead, name, shown.join("\n"))
  return Prompt.textPart({ text: `${start}\n[lines 1 to ${shown.length} of ${lines.length}; ${rest}]` })
})

const framed = Effect.fnUntraced(function*(lead: string, name: string, text: string) {
  const { after, before } = Frame.make(yield* Frame.Numbers, "attached_file", { name }, text)
  return `${lead}:\n${before}${text}${after}`
})

/** A PDF carries its pages and its text, for the count of tokens and for a provider that refuses it. */
const pdfPart = (attachment: Attachment, data: Uint8Array, text: Prompt.TextPart): Prompt.FilePart =>
  Prompt.filePart({
    mediaType: "application/pdf",
    fileName: attachment.name,
    data: Base64.encode(data),
    options: { [CARRIED]: { pages: Math.max(1, attachment.pages ?? 1), text: text.text } }
  })

const CARRIED = "boocode"

const decode = Schema.decodeUnknownOption(Schema.Struct({ pages: Schema.Int, text: Schema.String }))

const carried = (part: Prompt.UserMessagePart) =>
  part.type === "file" && part.mediaType === "application/pdf" ? decode(part.options[CARRIED]) : NOTHING

const NOTHING = decode(null)

/** The tokens of a PDF that is sent as it is; null for any other file. */
export const tokensOf = (part: Prompt.FilePart): number | null => {
  const found = carried(part)
  return found._tag === "None" ? null : found.value.pages * PAGE_TOKENS
}

/** Whether a PDF is in the messages as it is. */
export const hasPdfs = (messages: ReadonlyArray<Prompt.Message>): boolean =>
  messages.some((message) => message.role === "user" && message.content.some((part) => carried(part)._tag === "Some"))

export const withoutPdfs = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  messages.map((message) =>
    message.role === "user"
      ? Prompt.userMessage({
        ...message,
        content: message.content.map((part) => {
          const found = carried(part)
          return found._tag === "None" ? part : Prompt.textPart({ text: found.value.text })
        })
      })
      : message
  )
