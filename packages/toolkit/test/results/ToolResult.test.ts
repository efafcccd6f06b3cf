import type { CallResult } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isHandle, ResultFiles, ToolResult } from "../../src/index.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import { answer, tool } from "../support/ScriptedRegistry.ts"

const bytes = (text: string) => new TextEncoder().encode(text).length
const render = (result: Partial<CallResult>, maxBytes = 5_000_000, disk = new MemoryFiles()) =>
  Effect.provide(ToolResult.fromCall(tool("files", "read", { maxResultBytes: maxBytes }), answer(result)), disk.layer)
const text = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ type: "text", text }))
/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const withoutHandles = (text: string) => text.replaceAll(/result-[0-9a-f-]{36}/g, "HANDLE")
const total = ({ content, structuredContent, text }: ToolResult.ToolResult) =>
  [text, content, structuredContent].map((part) => bytes(JSON.stringify(part))).reduce((sum, size) => sum + size)

/** The same without the texts of blocks and of structured content that the text says already. */
const once = (result: ToolResult.ToolResult) => {
  const { content, structuredContent, text } = result
  return [...content.map((block) => block["text"]), Object(structuredContent).long]
    .filter((part) => typeof part === "string" && text.includes(part.toWellFormed()))
    .reduce((left, part) => left - bytes(JSON.stringify(part)) + 2, total(result))
}

/** A picture of one pixel with so many bytes of a comment before its end. */
const png = (comment: number) => {
  const whole = atob(PNG)
  const length = String.fromCharCode(0, 0, comment >> 8, comment & 255)
  return btoa(`${whole.slice(0, -12)}${length}tEXt${"a".repeat(comment)}crc!${whole.slice(-12)}`)
}

describe("the colours of a result", () => {
  const styles = [{ block: 0, from: 1, to: 2, bold: true }, { block: 1, from: 0, to: 3, colour: "#cd0000" }] as const

  it.effect("stand at the places of its whole text, and end where it is cut", () =>
    Effect.gen(function*() {
      const content = text("one", "two")
      assert.deepStrictEqual((yield* render({ content, styles })).styles, [
        { from: 1, to: 2, bold: true },
        { from: 4, to: 7, colour: "#cd0000" }
      ])
      const long = yield* render(
        { content: text("one", "two".repeat(300)), styles: [{ block: 1, from: 0, to: 900 }] },
        600
      )
      const [style = { from: 0, to: 0 }] = long.styles ?? []
      assert.strictEqual(long.text.slice(style.from, style.to).replaceAll("two", "").length < 3, true)
      assert.isTrue(long.text.slice(style.to).trimStart().startsWith("[cut here"))
      assert.notProperty(yield* render({ content: [], structuredContent: { a: 1 }, styles }), "styles")
    }))
})

describe("ToolResult.fromCall", () => {
  it.effect("joins text with newlines and keeps the rest of the answer (Decision 10)", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: text("one", "two"), isError: true, structuredContent: { n: 2 } })
      assert.deepStrictEqual(result, {
        isError: true,
        text: "one\ntwo",
        content: text("one", "two"),
        structuredContent: { n: 2 },
        truncated: null,
        origin: { server: "files", tool: "read", isTrusted: true },
        fault: "tool",
        diagnostics: [],
        millis: 3
      })
    }))

  it.effect("falls back to structured content, then to (no output), and is never blank (R60, R61)", () =>
    Effect.gen(function*() {
      for (const content of [[], text(""), text(" ", "\n")]) {
        assert.strictEqual((yield* render({ content, structuredContent: { a: [1] } })).text, "{\"a\":[1]}")
        assert.strictEqual((yield* render({ content })).text, "(no output)")
      }
    }))

  it.effect("takes linear time to say that data is no base64 (R64)", () =>
    Effect.gen(function*() {
      const { text } = yield* render({ content: [{ type: "audio", data: `${"=".repeat(2_000_000)}x` }] })
      assert.strictEqual(text, "[audio: unknown, 1500000 bytes, which could not be kept]")
    }), 10_000)

  it.effect("shows no base64 of structured content either, and loses none of it (R63)", () =>
    Effect.gen(function*() {
      const picture = `iVBORw0KGgo${"A".repeat(1000)}=`
      const code = `0x${"60806040".repeat(500)}`
      const structuredContent = { png: picture, page: [`data:application/pdf;base64,${picture}`], code }
      const result = yield* render({ content: [], structuredContent })
      assert.strictEqual(
        result.text,
        JSON.stringify({
          png: "[base64 left out, 1012 characters]",
          page: ["[base64 left out, 1040 characters]"],
          code
        })
      )
      assert.deepStrictEqual(result.structuredContent, structuredContent)
      const large = yield* render({
        content: [],
        structuredContent: { png: picture.replace("A", "A".repeat(6_000_000)) }
      })
      assert.isNull(large.structuredContent)
      assert.match(large.text, /structured content left out, \d+ bytes: read it with view_file/)
    }))

  it.effect("shows content alone when there is structured content too (R61)", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: text("21 degrees"), structuredContent: { degrees: 21 } })
      assert.strictEqual(result.text, "21 degrees")
      assert.deepStrictEqual(result.structuredContent, { degrees: 21 })
    }))

  it.effect("shows structured content alone where the entry prefers it, and content where there is no other (R61)", () =>
    Effect.gen(function*() {
      const both = { content: text("21 degrees"), structuredContent: { degrees: 21 } }
      const preferring = tool("weather", "now", { prefersStructured: true })
      const [structured, content] = yield* Effect.forEach(
        [both, { ...both, structuredContent: null }],
        (result) => Effect.provide(ToolResult.fromCall(preferring, answer(result)), new MemoryFiles().layer)
      )
      assert.deepStrictEqual([structured?.text, content?.text], [`{"degrees":21}`, "21 degrees"])
      assert.deepStrictEqual(structured?.content, both.content)
    }))

  it.effect("keeps images and audio as blocks and names them in one line, never as base64 (R63, R64)", () =>
    Effect.gen(function*() {
      const content = [
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" }
      ]
      const disk = new MemoryFiles()
      const result = yield* render({ content }, 5_000_000, disk)
      assert.strictEqual(
        withoutHandles(result.text),
        "[image: image/png, 1x1 pixels, 70 bytes, kept as HANDLE]\n[audio: audio/wav, 3 bytes, kept as HANDLE]"
      )
      const [image = "", audio = ""] = [...disk.files.keys()].map((path) => path.split("/").at(-1) ?? "")
      assert.include(result.text, `${image}]\n`)
      assert.deepStrictEqual(result.content, [
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "audio", data: { bytes: 3, mimeType: "audio/wav", file: audio }, mimeType: "audio/wav" }
      ])
    }))

  it.effect("shows an embedded resource as JSON of two spaces (R64)", () =>
    Effect.gen(function*() {
      const resource = { uri: "file:///a.txt", text: "hello" }
      const result = yield* render({ content: [{ type: "resource", resource }] })
      assert.strictEqual(result.text, "{\n  \"uri\": \"file:///a.txt\",\n  \"text\": \"hello\"\n}")
    }))

  it.effect("puts a blob into a file, and its size, type and handle in its place (Decision 10)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const resource = { uri: "file:///a.bin", mimeType: "application/pdf", blob: "aGVsbG8=" }
      const result = yield* render({ content: [{ type: "resource", resource }] }, 5_000_000, disk)
      const shown = JSON.parse(result.text)
      assert.isTrue(isHandle(shown.blob.file))
      assert.deepStrictEqual(shown.blob, { bytes: 5, mimeType: "application/pdf", file: shown.blob.file })
      assert.deepStrictEqual(result.content, [{ type: "resource", resource: shown }])
      assert.deepStrictEqual(disk.texts, ["hello"])
      assert.notInclude(JSON.stringify(result), "aGVsbG8=")
    }))

  it.effect("says that a blob which is no base64 could not be kept", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: [{ type: "resource", resource: { uri: "a:b", blob: "%%%%" } }] })
      assert.deepStrictEqual(JSON.parse(result.text).blob, { bytes: 3, mimeType: null, file: null })
    }))

  it.effect("gives a resource link one line, whatever its description holds (R64)", () =>
    Effect.gen(function*() {
      const block = { type: "resource_link", uri: "file:///a.md", name: "notes", mimeType: "text/markdown", size: 12 }
      const all = yield* render({ content: [{ ...block, description: "first\nsecond" }] })
      assert.strictEqual(
        all.text,
        "[resource link: notes, file:///a.md, text/markdown, 12 bytes: first second]"
      )
      const bare = yield* render({ content: [{ type: "resource_link", uri: "a:b" }] })
      assert.strictEqual(bare.text, "[resource link: a:b]")
    }))

  it.effect("says of every other block what was left out, always in the same words (R64)", () =>
    Effect.gen(function*() {
      const content = [{ type: "hologram", data: "x" }, { type: "text" }, { type: "image" }, {}]
      const result = yield* render({ content })
      assert.deepStrictEqual(result.text.split("\n"), [
        "[left out: a block of type hologram that is not understood, 30 bytes]",
        "[left out: a block of type text that is not understood, 15 bytes]",
        "[left out: a block of type image that is not understood, 16 bytes]",
        "[left out: a block of type unknown that is not understood, 2 bytes]"
      ])
      assert.deepStrictEqual(result, yield* render({ content }))
    }))

  it.effect("cuts long text, says so, and keeps the whole in a file (R35, R36)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const whole = "😀".repeat(1000)
      const result = yield* render({ content: text(whole) }, 1000, disk)
      const { truncated } = result
      assert.isNotNull(truncated)
      assert.isAtMost(bytes(result.text), 1000)
      assert.isAtMost(bytes(JSON.stringify(result.content)), 1000)
      assert.isFalse(result.text.includes("\ufffd"))
      assert.isFalse(JSON.stringify(result.content).includes("\ufffd"))
      const shown = result.text.slice(0, result.text.indexOf("\n[cut here"))
      assert.isTrue(whole.startsWith(shown))
      const file = truncated?.file ?? null
      assert.deepStrictEqual(truncated, { bytes: 4000, shownBytes: bytes(shown), file, text: { bytes: 4000, file } })
      // The text and the block that repeats it share the limit.
      assert.isAbove(bytes(shown), 400)
      assert.include(result.text, `the whole text has 4000 bytes: read it with view_file ${truncated?.file}`)
      const kept = yield* ResultFiles.use((files) => files.read(truncated?.file ?? "")).pipe(Effect.provide(disk.layer))
      assert.strictEqual(kept, whole)
    }))

  it.effect("keeps 10 MB within 5,000,000 bytes for text, content and structured content together (R36)", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: text("😀".repeat(2_500_000)) })
      assert.isAtMost(total(result), 5_000_000)
      assert.isAbove(total(result), 4_999_900)
      assert.isAbove(bytes(result.text), 2_999_000)
      assert.strictEqual(result.truncated?.bytes, 10_000_000)
      assert.isFalse(result.text.includes("\ufffd"))
    }))

  it.effect("keeps text whole that is repeated by blocks and structured content, counted once (R36)", () =>
    Effect.gen(function*() {
      const long = "é".repeat(2_450_000)
      const rows = { rows: Array.from({ length: 60_000 }, (_, row) => ({ row, word: `word ${row}` })) }
      const results: ReadonlyArray<Partial<CallResult>> = [
        { content: text(long) },
        { content: text(long.slice(1_000_000), long.slice(0, 1_000_000)) },
        { content: text(long), structuredContent: { result: long } },
        { content: text(JSON.stringify(rows, null, 1)), structuredContent: rows }
      ]
      for (const given of results) {
        const { content, structuredContent, text, truncated } = yield* render(given)
        assert.isNull(truncated)
        assert.strictEqual(text, (given.content ?? []).map((block) => block["text"]).join("\n"))
        assert.deepStrictEqual([content, structuredContent], [given.content ?? [], given.structuredContent ?? null])
      }
      // What is said twice by structured content alone, or is too much by itself, is not.
      for (
        const given of [
          { content: text("short"), structuredContent: { one: long, other: long } },
          { content: text(long), structuredContent: { other: "x".repeat(200_000) } },
          { content: text(`${long}${"é".repeat(100_000)}`) }
        ]
      ) {
        const cut = yield* render(given)
        assert.isNotNull(cut.truncated)
        assert.isAtMost(total(cut), 5_000_000)
      }
    }))

  it.effect("leaves the data of an image that does not fit to its file (R35, R63)", () =>
    Effect.gen(function*() {
      const image = { type: "image", data: png(4000), mimeType: "image/png" }
      const result = yield* render({ content: [...text("first"), image, image] }, 6500)
      const { data } = result.content[2] ?? {}
      assert.deepStrictEqual(result.content.slice(0, 2), [...text("first"), image])
      assert.isTrue(isHandle(result.truncated?.file ?? ""))
      assert.deepStrictEqual(data, { bytes: 4082, mimeType: "image/png", file: result.truncated?.file ?? null })
      assert.isTrue(
        result.text.endsWith(`[image: image/png, 1x1 pixels, 4082 bytes, kept as ${result.truncated?.file}]`)
      )
      assert.isAtMost(total(result), 6500)
    }))

  it.effect("says of an image that is none what is wrong with it, and gives its data up to a file (R63)", () =>
    Effect.gen(function*() {
      const image = (data: string) => ({ type: "image", data, mimeType: "image/png" })
      const content = [image(PNG.slice(0, 60)), image(btoa("<svg/>")), image("%")]
      const result = yield* render({ content })
      assert.deepStrictEqual(withoutHandles(result.text).split("\n"), [
        "[an image was left out: its data breaks off; it is declared as image/png, 45 bytes, kept as HANDLE]",
        "[an image was left out: its data is no PNG, JPEG, GIF or WebP; it is declared as image/png, 6 bytes, kept as HANDLE]",
        "[an image was left out: its data is not base64; it is declared as image/png, 0 bytes, which could not be kept]"
      ])
      assert.notInclude(JSON.stringify(result), PNG.slice(0, 60))
    }))

  it.effect("calls an image what its bytes say, whatever the server declares (R63)", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: [{ type: "image", data: PNG, mimeType: "text/html" }] })
      assert.deepStrictEqual(result.content, [{ type: "image", data: PNG, mimeType: "image/png" }])
    }))

  it.effect("makes no more than 64 files of one result, and says so (R64)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const content = Array.from({ length: 100 }, () => ({ type: "audio", data: "AAAA", mimeType: "a/b" }))
      const result = yield* render({ content }, 5_000_000, disk)
      assert.strictEqual(disk.files.size, 64)
      assert.isTrue(result.text.endsWith("[audio: a/b, 3 bytes, which could not be kept]"))
    }))

  it.effect("leaves out blocks that do not fit, keeps them in a file, and says so (R35)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const image = { type: "hologram", data: "A".repeat(2400) }
      const result = yield* render({ content: [...text("first"), image, ...text("last")] }, 1000, disk)
      const file = result.truncated?.file ?? ""
      assert.strictEqual(result.content.length, 2)
      assert.deepStrictEqual(result.content[0], { type: "text", text: "first" })
      assert.include(JSON.stringify(result.content[1]), `read it with view_file ${file}`)
      assert.match(result.text, /that is not understood, 24\d\d bytes\]\nlast\n\[1 blocks left out/)
      assert.include(result.text, file)
      assert.deepStrictEqual(disk.texts, [JSON.stringify([image])])
      assert.isNull(result.truncated?.text, "the file is not the text's")
    }))

  it.effect("leaves out structured content that does not fit, and keeps it in a file (R35, R61)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const structuredContent = { rows: Array.from({ length: 500 }, (_, row) => row) }
      const result = yield* render({ content: text("500 rows"), structuredContent }, 1000, disk)
      assert.isNull(result.structuredContent)
      assert.include(result.text, `read it with view_file ${result.truncated?.file}`)
      assert.deepStrictEqual(disk.texts, [JSON.stringify(structuredContent)])
    }))

  it.effect("keeps structured content once when it is the text too", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const structuredContent = { text: "é".repeat(2000) }
      const result = yield* render({ content: [], structuredContent }, 1000, disk)
      assert.isTrue(result.text.startsWith("{\"text\":\"éé"))
      assert.deepStrictEqual(disk.texts, [JSON.stringify(structuredContent)])
    }))

  it.effect("says that what came beyond could not be kept when the disk is full", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      disk.full = true
      const result = yield* render({ content: text("a".repeat(2000)) }, 1000, disk)
      assert.isNull(result.truncated?.file)
      assert.include(result.text, "could not be kept")
    }))

  it.effect.prop(
    "keeps every result within its limit, well-formed and never empty (R35, R36, R60)",
    {
      parts: Schema.Array(Schema.Literals(["a", "\"", "\\", "\u0001", "é", "€", "😀", "\ud83d", "\n"])),
      times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 }))
    },
    ({ limit, parts, times }) =>
      Effect.gen(function*() {
        const long = parts.join("").repeat(times)
        const content = [...text(long), { type: "image", data: long, mimeType: "a/b" }, ...text(long)]
        const result = yield* render({ content, structuredContent: { long } }, limit)
        // Empty brackets, null, quotes and one character are the least there can be.
        assert.isAtMost(once(result), Math.max(16, limit))
        assert.isTrue(result.text.isWellFormed())
        assert.notStrictEqual(result.text, "")
      }),
    { arbitrary: { runs: 80 } }
  )
})
