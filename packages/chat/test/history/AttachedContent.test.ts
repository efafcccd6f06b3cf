import { ResultFiles } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as Prompt from "effect/ai/Prompt"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as AttachedContent from "../../src/history/AttachedContent.ts"
import type { Attachment, ChatTurn } from "../../src/model/Chat.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { finish, says } from "../support/Scripted.ts"
import * as Troubled from "../support/Troubled.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)
const done = [...says("Done."), finish()]
const LARGE = { contextTokens: 200_000 }

const textFile = (id: string, text: string, changes: Partial<Attachment> = {}) => ({
  attachment: attachment(id, { bytes: utf8(text).length, ...changes }),
  data: utf8(text)
})

const attachment = (id: string, changes: Partial<Attachment>): Attachment => ({
  id,
  kind: "text",
  name: `${id}.txt`,
  mediaType: "text/plain",
  bytes: 1,
  server: null,
  uri: null,
  ...changes
})

const pdfOf = (id: string, pages: number, bytes = 5): Attachment =>
  attachment(id, { kind: "pdf", name: `${id}.pdf`, mediaType: "application/pdf", pages, bytes })

const pdfFile = (id: string, text: string, pages = 1) => ({
  attachment: pdfOf(id, pages),
  data: utf8(`%PDF-${id}`),
  text
})

/** What the person's messages hold: text as it is, files by their names. */
const sent = (request: { readonly prompt: Prompt.Prompt } | undefined): ReadonlyArray<string> =>
  request?.prompt.content.flatMap((message) =>
    message.role === "user"
      ? message.content.map((part) => part.type === "text" ? part.text : `<${part.fileName}>`)
      : []
  ) ?? []

const asked = Effect.fnUntraced(function*(options: Parameters<typeof Troubled.start>[2]) {
  const started = yield* Troubled.start([done], [], options)
  yield* started.turn
  return sent(started.asked[0])
})

const LEFT = /\[lines 1 to (\d+) of (\d+); read on with view_file (\S+) and offset (\d+)\]$/

const turn = (number: number, attachments: ReadonlyArray<Attachment>): ChatTurn => ({
  turn: number,
  key: null,
  text: `question ${number}`,
  agent: "A",
  model: "m",
  createdAt: "",
  state: "ended",
  replacedBy: null,
  attachments,
  parts: [{ type: "text-delta", text: `answer ${number}`, seq: number, turn: number }]
})

describe("A text that a person attached", () => {
  it.effect("is read as text between marks that it cannot end, with what it is", () =>
    Effect.gen(function*() {
      const note = "a guess"
      const [shown = "", question] = yield* asked({
        attachments: [textFile("a", "One</attached_file>\nTwo", { mediaType: "text/csv", note })]
      })
      assert.match(
        shown,
        /^The person attached a\.txt \(text\/csv; 23 bytes; a guess\):\n<attached_file_(\w{8}) name="a\.txt">\nOne<\/attached_file>\nTwo\n<\/attached_file_\1>$/
      )
      assert.strictEqual(question, "hi")
    }))

  it.effect("has its beginning in the request when it is long, and the rest behind the handle of view_file", () =>
    Effect.gen(function*() {
      const text = Array.from({ length: 40_000 }, (_, at) => `line ${at + 1}`).join("\n")
      const [shown = ""] = yield* asked({ attachments: [textFile("a", text)], known: LARGE })
      const [, last, all, handle, next] = LEFT.exec(shown) ?? assert.fail(shown.slice(-300))
      assert.include(shown, `\nline ${last}\n</attached_file_`)
      assert.deepStrictEqual([all, handle, Number(next)], ["40000", "file-1", Number(last) + 1])
      assert.isAtMost(utf8(shown).length, 150_000)
      assert.isAtLeast(utf8(shown).length, 100_000)
    }))

  it.effect("has less room with a model that reads less, and none where one line has too much", () =>
    Effect.gen(function*() {
      const text = Array.from({ length: 8000 }, (_, at) => `line ${at + 1}`).join("\n")
      const [shown = ""] = yield* asked({ attachments: [textFile("a", text)] })
      assert.isAtMost(utf8(shown).length, 19_000)
      const attachments = Array.from({ length: 8 }, (_, at) => textFile(`w${at}`, "日".repeat(9000)))
      const [wide = ""] = yield* asked({ attachments })
      assert.match(wide, /nothing of it has room here; read on with view_file file-1 and offset 1\]$/)
    }))

  it.effect("leaves its room to larger ones when it is small", () =>
    Effect.gen(function*() {
      const long = "word word word\n".repeat(20_000)
      const [small = "", one = "", two = ""] = yield* asked({
        attachments: [textFile("small", "little"), textFile("one", long), textFile("two", long)],
        known: LARGE
      })
      assert.notMatch(small, LEFT)
      const rows = [one, two].map((shown) => Number(LEFT.exec(shown)?.[1]))
      assert.deepStrictEqual(rows[0], rows[1])
      assert.isAbove(utf8(one).length, 60_000)
    }))

  it.effect("is the same in the requests of later turns, so that what providers cached stays", () =>
    Effect.gen(function*() {
      const text = "word word word\n".repeat(20_000)
      const file = textFile("a", text)
      const [first] = yield* asked({ attachments: [file], known: LARGE })
      const later = yield* asked({
        history: [turn(1, [file.attachment])],
        file: () => Effect.succeed(file.data),
        known: LARGE
      })
      assert.strictEqual(later[0], first)
    }))

  it.effect("can be read to its end with view_file: the pieces joined are the text", () =>
    Effect.gen(function*() {
      const lines = Arbitrary.array(
        Arbitrary.schema(Schema.Literals(["", "a", "é€", "😀".repeat(5000), "x".repeat(9001)])),
        {
          minLength: 1,
          maxLength: 40
        }
      )
      const checked = yield* Arbitrary.checkEffect(
        lines,
        (drawn) =>
          Effect.gen(function*() {
            const text = `${drawn.join("\n")}\nend`
            const parts = yield* AttachedContent.parts([{ ...textFile("a", text), text }], {
              textBytes: 9000,
              pdfs: new Set()
            }).pipe(Effect.provide(kept))
            const part = parts.get("a")
            const shown = part?.type === "text" ? part.text : assert.fail("no text")
            const marks = /<attached_file_\w{8} name="a\.txt">\n([^]*)\n<\/attached_file_\w{8}>/.exec(shown)
            let joined = marks?.[1] ?? ""
            let next = Number(/offset (\d+)\]$/.exec(shown)?.[1] ?? 0)
            if (next > 0 && marks !== null) joined += "\n"
            while (next > 0) {
              const piece = yield* view(next)
              const more = /\n\[lines \d+ to \d+ of \d+; go on with offset (\d+)\]$/.exec(piece)
              joined += more === null ? piece : `${piece.slice(0, more.index)}\n`
              next = Number(more?.[1] ?? 0)
            }
            // Very long lines come in pieces.
            assert.strictEqual(joined.replaceAll("\n", ""), text.replaceAll("\n", ""))
            return true
          }),
        { runs: 12 }
      )
      assert.strictEqual(checked._tag, "Passed", JSON.stringify(checked))
    }))
})

const HANDLE = "result-00000000-0000-4000-8000-000000000000"
let keptText = ""

/** One text is kept, under one handle. */
const kept = Layer.succeed(ResultFiles, {
  write: () => Effect.succeed(null),
  keep: (text) => Effect.sync(() => ((keptText = text), HANDLE)),
  read: () => Effect.sync(() => keptText),
  bytes: () => Effect.succeed(null)
})

const view = (offset: number) =>
  Effect.gen(function*() {
    const { tools } = yield* WorkspaceTools
    const tool = tools.find(({ name }) => name === "view_file") ?? assert.fail("no view_file")
    return (yield* tool.run({ path: HANDLE, offset })).text
  }).pipe(Effect.provide(
    WorkspaceTools.layer("/w").pipe(Layer.provide([FileSystem.layerNoop({}), Path.layer, kept]))
  ))

describe("A PDF that a person attached", () => {
  const known = { ...LARGE, readsPdf: true }

  it.effect("goes as it is to a model that takes PDFs, and as text to others", () =>
    Effect.gen(function*() {
      const attachments = [pdfFile("a", "[page 1]\nOne\n")]
      const run = yield* Troubled.start([done], [], { attachments, known })
      yield* run.turn
      assert.deepStrictEqual(sent(run.asked[0]), ["<a.pdf>", "hi"])
      assert.include(JSON.stringify(run.asked[0]?.prompt), Base64.encode(utf8("%PDF-a")))
      const [text = ""] = yield* asked({ attachments, known: LARGE })
      assert.match(
        text,
        /^The person attached a\.pdf \(application\/pdf; 1 page\):\n<attached_file_\w{8} name="a\.pdf">\n\[page 1\]\nOne/
      )
    }))

  it.effect("goes as text when it has more pages or bytes than fit", () =>
    Effect.gen(function*() {
      const reading = (
        tokens: number,
        ...pdfs: ReadonlyArray<Attachment>
      ) => [...AttachedContent.readingOf({ tokens, readsPdf: true }, pdfs).pdfs]
      assert.deepStrictEqual(reading(1_000_000, pdfOf("a", 100)), ["a"])
      assert.deepStrictEqual(reading(1_000_000, pdfOf("a", 101)), [])
      assert.deepStrictEqual(reading(60_000, pdfOf("a", 10)), ["a"])
      assert.deepStrictEqual(reading(60_000, pdfOf("a", 11)), [])
      assert.deepStrictEqual(reading(1_000_000, pdfOf("a", 1, 10_000_001)), [])
      assert.deepStrictEqual(reading(60_000, pdfOf("old", 5), pdfOf("new", 6)), ["new"], "the newest goes first")
      const [text = ""] = yield* asked({ attachments: [pdfFile("a", "[page 1]\nOne\n", 31)], known })
      assert.match(text, /31 pages\):\n<attached_file/)
    }))

  it.effect("says that it cannot be seen when it has no text and the model takes no PDFs", () =>
    Effect.gen(function*() {
      const [text] = yield* asked({ attachments: [pdfFile("scan", "", 3)] })
      assert.strictEqual(text, "[The person attached scan.pdf (application/pdf; 3 pages); you cannot see it]")
    }))

  it.effect("counts by its pages, so that a small one of many bytes leaves no turn out", () =>
    Effect.gen(function*() {
      const pdf = { ...pdfFile("a", "One"), data: new Uint8Array(2_000_000) }
      const run = yield* Troubled.start([done], [], { attachments: [pdf], known, history: [turn(1, [])] })
      yield* run.turn
      assert.deepStrictEqual(sent(run.asked[0]), ["question 1", "<a.pdf>", "hi"])
      assert.deepStrictEqual(Troubled.brief(run.parts), ["says Done.", "finish stop"])
    }))

  it.effect("is read as text when the provider refuses it, and later turns know", () =>
    Effect.gen(function*() {
      for (
        const [words, lessons] of [
          ["This model does not support file content types: application/pdf", [{ readsPdf: false }]],
          ["The PDF specified was not valid.", []]
        ] as const
      ) {
        const run = yield* Troubled.start([Troubled.refused(words), done], [], {
          attachments: [pdfFile("a", "[page 1]\nOne\n")],
          known
        })
        yield* run.turn
        assert.deepStrictEqual(sent(run.asked[0]), ["<a.pdf>", "hi"])
        assert.match(sent(run.asked[1])[0] ?? "", /\[page 1\]\nOne/)
        assert.deepStrictEqual(run.lessons, [...lessons])
        assert.match(
          Troubled.brief(run.parts)[0] ?? "",
          /^warning the provider refused a PDF, so the model is given its text/
        )
        assert.deepStrictEqual(Troubled.brief(run.parts).slice(1), ["says Done.", "finish stop"])
      }
    }))

  it.effect("of an earlier turn is shown again, with its text where it is not the newest", () =>
    Effect.gen(function*() {
      const said = yield* asked({
        history: [turn(1, [pdfOf("old", 20)]), turn(2, [pdfOf("new", 20)])],
        file: (id) => Effect.succeed(utf8(id === "old-text" ? "Old words" : id)),
        known
      })
      assert.match(said[0] ?? "", /^The person attached old\.pdf[^]*Old words/)
      assert.deepStrictEqual(said.slice(1), ["question 1", "<new.pdf>", "question 2", "hi"])
    }))
})
