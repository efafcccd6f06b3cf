import type { CallResult } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isHandle, ResultFiles, ToolResult } from "../src/index.ts"
import { MemoryFiles } from "./support/MemoryFiles.ts"
import { answer, tool } from "./support/ScriptedRegistry.ts"

const bytes = (text: string) => new TextEncoder().encode(text).length
const render = (result: Partial<CallResult>, maxBytes = 5_000_000, disk = new MemoryFiles()) =>
  Effect.provide(ToolResult.fromCall(tool("files", "read", { maxResultBytes: maxBytes }), answer(result)), disk.layer)
const text = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ type: "text", text }))
const PNG = "iVBORw0KGgoAAAANSUhEUg=="

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

  it.effect("shows content alone when there is structured content too (R61)", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: text("21 degrees"), structuredContent: { degrees: 21 } })
      assert.strictEqual(result.text, "21 degrees")
      assert.deepStrictEqual(result.structuredContent, { degrees: 21 })
    }))

  it.effect("keeps images and audio as blocks and names them in one line, never as base64 (R63, R64)", () =>
    Effect.gen(function*() {
      const content = [
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" }
      ]
      const result = yield* render({ content })
      assert.strictEqual(result.text, "[image: image/png, 16 bytes]\n[audio: audio/wav, 3 bytes]")
      assert.deepStrictEqual(result.content, content)
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
      assert.isAbove(bytes(shown), 800)
      assert.include(result.text, `the whole text has 4000 bytes: read it with view_file ${truncated?.file}`)
      const kept = yield* ResultFiles.use((files) => files.read(truncated?.file ?? "")).pipe(Effect.provide(disk.layer))
      assert.strictEqual(kept, whole)
    }))

  it.effect("keeps the whole of 10 MB within 5,000,000 bytes of text and of content (R36)", () =>
    Effect.gen(function*() {
      const result = yield* render({ content: text("😀".repeat(2_500_000)) })
      assert.isAtMost(bytes(result.text), 5_000_000)
      assert.isAtMost(bytes(JSON.stringify(result.content)), 5_000_000)
      assert.strictEqual(result.truncated?.bytes, 10_000_000)
      assert.isFalse(result.text.includes("\ufffd"))
    }))

  it.effect("leaves out blocks that do not fit, keeps them in a file, and says so (R35)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const image = { type: "image", data: "A".repeat(2400), mimeType: "image/png" }
      const result = yield* render({ content: [...text("first"), image, ...text("last")] }, 1000, disk)
      const file = result.truncated?.file ?? ""
      assert.strictEqual(result.content.length, 2)
      assert.deepStrictEqual(result.content[0], { type: "text", text: "first" })
      assert.include(JSON.stringify(result.content[1]), `read it with view_file ${file}`)
      assert.include(result.text, "first\n[image: image/png, 1800 bytes]\nlast\n[1 blocks left out")
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
        assert.isAtMost(bytes(result.text), limit)
        assert.isAtMost(bytes(JSON.stringify(result.content)), Math.max(2, limit))
        assert.isAtMost(bytes(JSON.stringify(result.structuredContent)), Math.max(4, limit))
        assert.isTrue(result.text.isWellFormed())
        assert.notStrictEqual(result.text, "")
      }),
    { arbitrary: { runs: 200 } }
  )
})
