import { PdfReader, type PdfText, PdfUnreadable } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Attachments from "../../src/model/Attachments.ts"
import type { NewAttachment } from "../../src/model/Chat.ts"
import * as FileText from "../../src/model/FileText.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)
const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const utf16 = (text: string, isBig: boolean) =>
  Uint8Array.from([...`\uFEFF${text}`].flatMap((character) => {
    const pair = [character.charCodeAt(0) & 0xff, character.charCodeAt(0) >> 8]
    return isBig ? pair.toReversed() : pair
  }))

const file = (name: string, data: Uint8Array, mediaType = ""): NewAttachment => ({
  kind: "file",
  name,
  mediaType,
  data,
  server: null,
  uri: null
})

const GIF = latin("GIF89a\x01\x00\x01\x00\x00\x00\x00;")
const PDF = latin("%PDF-1.7\n…")

/** Any text that files hold: characters of one, two, three and four bytes, without a leading mark. */
const TEXT = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "é", "€", "\n", "\r\n", ",", "日", "z z"])), {
    maxLength: 60
  }),
  (pieces) => pieces.join("")
)

const examined = (given: ReadonlyArray<NewAttachment>, pdf: Effect.Effect<PdfText, PdfUnreadable> = Effect.never) =>
  Effect.provideService(Attachments.examined(given), PdfReader, { read: () => pdf })

describe("The bytes of a text", () => {
  const words = "name,città\nAnna,München"

  it("are read in the encoding that they have", () => {
    for (
      const [bytes, text, isGuessed] of [
        [utf8(words), words, false],
        [utf8(`\uFEFF${words}`), words, false],
        [utf16(words, false), words, false],
        [utf16(words, true), words, false],
        [latin("name,citt\xe0"), "name,città", true],
        [latin("5 \x80 \x96 caf\xe9"), "5 € – café", true],
        [utf8("\x1b[31mred\x1b[0m\tand\ftab\r\n"), "\x1b[31mred\x1b[0m\tand\ftab\r\n", false],
        [utf8("日本語 😀"), "日本語 😀", false]
      ] as const
    ) {
      const read = FileText.decode(bytes) ?? assert.fail(text)
      assert.strictEqual(read.text, text)
      assert.strictEqual(read.note !== null, isGuessed, text)
    }
  })

  it("are no text when they hold a NUL, many control characters, or half of UTF-16", () => {
    for (
      const bytes of [
        latin("text\0more"),
        utf16("text", false).subarray(2),
        Uint8Array.from({ length: 400 }, (_, at) => at % 32 || 1),
        latin("\xff\xfea"),
        Uint8Array.from({ length: 256 }, (_, at) => 255 - at)
      ]
    ) assert.isNull(FileText.decode(bytes))
  })

  it.prop("in UTF-8 or UTF-16 give the text again", { text: TEXT }, ({ text }) => {
    assert.strictEqual(FileText.decode(utf8(text))?.text, text)
    assert.strictEqual(FileText.decode(utf16(text, true))?.text, text)
    return true
  })
})

describe("A file that a person attaches", () => {
  for (
    const [name, data, given, kind, mediaType] of [
      ["a.csv", utf8("a,b"), "", "text", "text/csv"],
      ["A.CSV", utf8("a,b"), "application/vnd.ms-excel", "text", "text/csv"],
      ["main.rs", utf8("fn main() {}"), "", "text", "text/plain"],
      ["main.ts", utf8("let a = 1"), "video/mp2t", "text", "text/plain"],
      ["data", utf8("{}"), "application/json; charset=utf-8", "text", "application/json"],
      ["page.svg", utf8("<svg/>"), "image/svg+xml", "text", "text/plain"],
      ["notes.md", utf8("# Notes"), "text/markdown", "text", "text/markdown"],
      ["dot.txt", GIF, "text/plain", "image", "image/gif"]
    ] as const
  ) {
    it.effect(`is ${kind} of type ${mediaType} as ${name}`, () =>
      Effect.gen(function*() {
        const [only] = yield* examined([file(name, data, given)])
        assert.deepInclude(only?.attachment, { kind, mediaType, name, bytes: data.length, server: null, uri: null })
        assert.isNull(only?.text)
        assert.notProperty(only?.attachment, "note")
      }))
  }

  it.effect("says when its encoding is a guess", () =>
    Effect.gen(function*() {
      const [only] = yield* examined([file("old.txt", latin("caf\xe9"))])
      assert.match(only?.attachment.note ?? "", /not UTF-8.*Windows-1252/)
    }))

  it.effect("is a PDF with the text of its pages, wherever its mark stands in the beginning", () =>
    Effect.gen(function*() {
      const read = Effect.succeed({ pages: 2, texts: ["One\n", "Two"] })
      for (const data of [PDF, latin(`junk\n${"%PDF-1.4"}`)]) {
        const [only] = yield* examined([file("a.bin", data, "text/plain")], read)
        assert.deepInclude(only?.attachment, { kind: "pdf", mediaType: "application/pdf", pages: 2 })
        assert.strictEqual(only?.text, "[page 1]\nOne\n\n[page 2]\nTwo\n")
      }
    }))

  it.effect("is a PDF that says so when no page has text, or not all were read", () =>
    Effect.gen(function*() {
      const [scan] = yield* examined([file("scan.pdf", PDF)], Effect.succeed({ pages: 3, texts: ["", " ", "\n"] }))
      assert.match(scan?.attachment.note ?? "", /it has no text, as scanned pages have none/)
      assert.strictEqual(scan?.text, "")
      const [part] = yield* examined([file("long.pdf", PDF)], Effect.succeed({ pages: 3, texts: ["One"] }))
      assert.strictEqual(part?.attachment.note, "the text of its first 1 of 3 pages was read")
    }))

  for (
    const [name, start, detail, hint] of [
      ["a.docx", "PK\x03\x04", /document of a word processor/, /save it as PDF or as text/],
      ["a.xlsx", "PK\x03\x04", /a spreadsheet/, /PDF or as CSV/],
      ["a.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", /a spreadsheet/, /PDF or as CSV/],
      ["a.pptx", "PK\x03\x04", /a presentation/, /PDF/],
      ["a.rtf", "{\\rtf1", /an RTF document/, /PDF/],
      ["a.zip", "PK\x03\x04", /a ZIP archive/, /unpack it/],
      ["a.tar.gz", "\x1f\x8b\x08", /a gzip archive/, /unpack it/],
      ["a.mp3", "ID3\x03", /audio/, /transcript/],
      ["a.mp4", "\0\0\0\x20ftypisom", /a video/, /transcript/],
      ["a.exe", "MZ\0\0", /neither text nor an image nor a PDF/, /convert it/],
      ["a.txt", "", /it is empty/, /with content/],
      ["a.png", "\x89PNG\r\n\x1a\n", /its data breaks off/, /PNG, JPEG/]
    ] as const
  ) {
    it.effect(`is refused as ${name} that ${detail.source}`, () =>
      Effect.gen(function*() {
        const refused = yield* Effect.flip(examined([file("a.txt", utf8("a")), file(name, latin(start))]))
        assert.deepInclude(refused, { _tag: "AttachmentRefused", name, index: 1, reason: "type" })
        assert.match(refused.message, detail)
        assert.match(refused.hint, hint)
        assert.include(refused.message, `${name} cannot be attached`)
      }))
  }

  it.effect("is refused when its PDF cannot be read, with what to try", () =>
    Effect.gen(function*() {
      const locked = new PdfUnreadable({ detail: "it is locked", hint: "unlock it" })
      const refused = yield* Effect.flip(examined([file("a.pdf", PDF)], Effect.fail(locked)))
      assert.deepStrictEqual([refused.message, refused.hint, refused.reason], [
        "a.pdf cannot be attached: it is locked",
        "unlock it",
        "type"
      ])
    }))

  it.effect("is refused when it is too large, alone or with the others", () =>
    Effect.gen(function*() {
      const sized = (name: string, bytes: number, start: Uint8Array) => {
        const data = new Uint8Array(bytes).fill(0x61)
        data.set(start)
        return file(name, data)
      }
      const read = Effect.succeed({ pages: 1, texts: ["a"] })
      const refused = (...given: ReadonlyArray<NewAttachment>) => Effect.flip(examined(given, read))
      const text = yield* refused(sized("a.txt", Attachments.MOST_TEXT_BYTES + 1, utf8("a")))
      assert.deepInclude(text, { reason: "size", index: 0 })
      const pdf = yield* refused(sized("a.pdf", Attachments.MOST_PDF_BYTES + 1, PDF))
      assert.deepInclude(pdf, { reason: "size", index: 0 })
      const image = yield* refused(sized("a.gif", Attachments.MOST_BYTES + 1, GIF))
      assert.deepInclude(image, { reason: "size", index: 0 })
      const half = (Attachments.MOST_PDF_BYTES / 2) + 1
      const both = yield* refused(sized("a.pdf", half, PDF), sized("b.pdf", half, PDF))
      assert.deepInclude(both, { reason: "size", index: 1, name: "b.pdf" })
      assert.match(both.message, /at most 50000000 bytes together/)
      assert.match(both.hint, /another message/)
    }))
})
