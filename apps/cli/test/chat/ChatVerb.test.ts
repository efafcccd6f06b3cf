import { NO_USAGE, type Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, tool } from "../support/Scripted.ts"

const parts: ReadonlyArray<Part> = [
  { type: "text-delta", seq: 1, turn: 1, text: "Let me " },
  { type: "text-delta", seq: 2, turn: 1, text: "look." },
  { type: "tool-call", seq: 3, turn: 1, id: "1", name: "files_read", server: "files", args: { path: "a" } },
  {
    type: "tool-result",
    seq: 4,
    turn: 1,
    id: "1",
    isError: false,
    text: "1\n2\n3\n4\n5\n6\n7\n8\u001B[2J",
    content: [],
    truncated: null,
    origin: null,
    millis: 12.3
  },
  { type: "text-delta", seq: 5, turn: 1, text: "It counts." },
  { type: "finish", seq: 6, turn: 1, reason: "stop", usage: NO_USAGE }
]

const ending = (reason: "error" | "stopped"): ReadonlyArray<Part> => [
  { type: "error", seq: 1, turn: 1, _tag: "RateLimit", message: "too many requests", hint: "wait a little" },
  { type: "finish", seq: 2, turn: 1, reason, usage: NO_USAGE }
]

/** With a model configured; without one the command mode answers. */
const WITH_MODEL = { variables: { BOOCODE_MODEL: "openai/some-model" } }

describe("chat", () => {
  it.effect("streams text to standard output, and calls and results as lines to standard error", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "hello", "--agent", "Assistant"], { parts, ...WITH_MODEL })
      assert.strictEqual(ended.code, 0)
      assert.strictEqual(ended.stdout, "Let me look.\nIt counts.\n")
      assert.deepStrictEqual(ended.stderr.split("\n"), [
        "→ files_read {\"path\":\"a\"}",
        "← files_read 12 ms",
        "  1",
        "  2",
        "  3",
        "  4",
        "  5",
        "  6",
        "  … 2 more lines",
        ""
      ])
      assert.deepStrictEqual(ended.log, [
        "open",
        "create {\"agent\":\"Assistant\",\"model\":null}",
        "settled",
        "send hello",
        "close"
      ])
    }))

  it.effect("prints one part a line with --json, and nothing else on standard output", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "hello", "--json"], { parts, ...WITH_MODEL })
      assert.deepStrictEqual(ended.stdout, parts.map((part) => `${JSON.stringify(part)}\n`).join(""))
      assert.strictEqual(ended.stderr, "")
    }))

  it.effect("ends with exit 1 when the turn ends in error, with 130 when it was stopped", () =>
    Effect.gen(function*() {
      const failed = yield* boocode(["chat", "hello"], { parts: ending("error"), ...WITH_MODEL })
      assert.strictEqual(failed.code, 1)
      assert.strictEqual(failed.stdout, "")
      assert.include(failed.stderr, "too many requests")
      assert.include(failed.stderr, "wait a little")
      assert.strictEqual((yield* boocode(["chat", "hello"], { parts: ending("stopped") })).code, 130)
    }))

  it.effect("prints the whole result in command mode, where nobody will speak about it, and says how to get a model", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "/files_read"], {
        tools: [tool("files", "read")],
        parts: parts.slice(2, 4).concat(parts.slice(5))
      })
      assert.strictEqual(ended.stdout, "1\n2\n3\n4\n5\n6\n7\n8\u001B[2J\n")
      const [note, ...lines] = ended.stderr.split("\n")
      assert.match(note ?? "", /no model is configured.*OPENAI_API_KEY.*--model/)
      assert.deepStrictEqual(lines, ["→ files_read {\"path\":\"a\"}", "← files_read 12 ms", ""])
    }))

  it.effect("ends with exit 1 in command mode when the call failed, which to a model is a result like any other", () =>
    Effect.gen(function*() {
      const failing = parts.map((part) => part.type === "tool-result" ? { ...part, isError: true } : part)
      const tools = [tool("files", "read")]
      assert.strictEqual((yield* boocode(["chat", "/files_read"], { parts: failing, tools })).code, 1)
      assert.strictEqual((yield* boocode(["chat", "/files_read"], { parts: failing, tools, ...WITH_MODEL })).code, 1)
      assert.strictEqual((yield* boocode(["chat", "read it"], { parts: failing, ...WITH_MODEL })).code, 0)
    }))

  it.effect("shows the whole result of a call although a model is configured, and sends it to none", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "/files_read"], {
        tools: [tool("files", "read")],
        parts: parts.slice(2, 4).concat(parts.slice(5)),
        ...WITH_MODEL
      })
      assert.strictEqual(ended.stdout, "1\n2\n3\n4\n5\n6\n7\n8\u001B[2J\n")
      assert.deepStrictEqual(ended.stderr.split("\n"), [
        "→ files_read {\"path\":\"a\"}",
        "← files_read 12 ms",
        ""
      ])
      assert.include(ended.log, "send /files_read to command")
    }))

  it.effect("sends no word after a slash that names nothing, and tells the nearest", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "/files_reed it"], { tools: [tool("files", "read")], ...WITH_MODEL })
      assert.strictEqual(ended.code, 1)
      assert.match(ended.stderr, /no such command: \/files_reed\n.*did you mean \/files_read\?/)
      assert.isFalse(ended.log.some((line) => line.startsWith("send")))
    }))

  it.effect("reads the message from standard input for -", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "-"], { parts, stdin: "two\nlines\n" })
      assert.include(ended.log, "send two\nlines\n")
    }))

  it.effect("takes each line of standard input as a message with -i", () =>
    Effect.gen(function*() {
      const second = parts.map((part) => ({ ...part, turn: 2 }))
      const ended = yield* boocode(["chat", "-i"], {
        parts: [...parts, ...second],
        ...WITH_MODEL,
        stdin: "one\n\ntwo\n"
      })
      assert.deepStrictEqual(ended.log.filter((line) => line.startsWith("send")), ["send one", "send two"])
      assert.strictEqual(ended.stdout, "Let me look.\nIt counts.\n".repeat(2))
    }))

  it.effect("takes no message, and - together with -i, for wrong usage", () =>
    Effect.gen(function*() {
      for (const args of [["chat"], ["chat", "-"], ["chat", "-", "-i"], ["chat", "  "]]) {
        const ended = yield* boocode(args, { parts, ...WITH_MODEL })
        assert.strictEqual(ended.code, 2)
        assert.strictEqual(ended.stdout, "")
        assert.deepStrictEqual(ended.log, [])
      }
    }))
})
