import { NO_USAGE, type Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { boocode, status, tool } from "../support/Scripted.ts"

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

  it.effect("talks to the server that runs on the data folder, and with --local does not", () =>
    Effect.gen(function*() {
      const asked = new Array<string>()
      const script = {
        parts,
        ...WITH_MODEL,
        running: "http://127.0.0.1:4266",
        answer: (request: string) => {
          asked.push(request)
          return Effect.sync(() => Response.json({ _tag: "NotReady", detail: "busy", hint: "wait" }, { status: 503 }))
        }
      }
      const there = yield* boocode(["chat", "hello"], script)
      assert.deepStrictEqual(asked, ["POST /api/chats"])
      assert.include(there.stderr, "talking to the server at http://127.0.0.1:4266")
      assert.notInclude(there.log, "open")
      const here = yield* boocode(["chat", "hello", "--local"], script)
      assert.strictEqual(here.stdout, "Let me look.\nIt counts.\n")
      assert.strictEqual(asked.length, 1)
      assert.strictEqual((yield* boocode(["chat", "hi", "--local", "--url", "http://a"], script)).code, 2)
    }))

  it.effect("waits 3 seconds for servers before it goes on with a chat, and for none before a new one", () =>
    Effect.gen(function*() {
      const script = { parts, ...WITH_MODEL, settleMillis: 60_000 }
      const sent = (ended: { readonly log: ReadonlyArray<string> }) => ended.log.includes("send hello")
      assert.isTrue(sent(yield* boocode(["chat", "hello"], script)))
      const log = new Array<string>()
      const going = yield* Effect.forkChild(boocode(["chat", "hello", "--continue"], { ...script, log }))
      while (!log.includes("settled")) yield* Effect.promise(() => new Promise((seen) => setImmediate(seen)))
      yield* TestClock.adjust("2900 millis")
      assert.isUndefined(going.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      assert.isTrue(sent(yield* Fiber.join(going)))
    }))

  it.effect("greets at a terminal with agent, model, servers and what is missing", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "-i"], {
        ...TERMINAL,
        servers: [status("files"), status("shop", { state: "failed" }), status("off", { state: "disabled" })],
        tools: [tool("files", "read")],
        typed: []
      })
      assert.include(
        ended.stderr,
        "\n  BooCode  Assistant · openai/some-model · 1 server, 1 tool · /help\n  failed: shop. See boocode mcp list\n"
      )
    }))

  it.effect("shows in the greeting that tools may write here, and /write shows and changes it", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "-i"], {
        ...TERMINAL,
        write: { mode: "ask", until: null },
        typed: ["/write", "/write rules", "/write default"]
      })
      assert.include(ended.stderr, "0 servers, 0 tools · /help\n  write mode ask; /write changes it\n")
      assert.include(ended.stderr, "write mode ask; /write off, ask or rules changes it for this chat\n")
      assert.include(ended.stderr, "write mode rules\n")
      const updates = ended.log.filter((line) => line.startsWith("update"))
      assert.deepStrictEqual(updates, [
        "update {\"write\":{\"mode\":\"rules\",\"until\":null},\"agent\":null,\"model\":null}",
        "update {\"write\":null,\"agent\":null,\"model\":null}"
      ])
      const ruled = yield* boocode(["chat", "-i"], { ...TERMINAL, permissions: "{ \"write\": \"rules\" }", typed: [] })
      assert.include(ruled.stderr, "\n  write mode rules; /write changes it\n")
    }))

  it.effect("says that nobody can answer with --wait where no server runs and nobody types", () =>
    Effect.gen(function*() {
      const { code, log, stderr } = yield* boocode(["chat", "hello", "--wait"], { ...WITH_MODEL, parts })
      assert.strictEqual(code, 1)
      assert.include(stderr, "--wait is for an answer at the page, and no server runs on this data folder")
      assert.isFalse(log.some((line) => line.startsWith("send")))
    }))

  it.effect("shows Markdown as such at a terminal, calls as lines, and what goes on with its seconds", () =>
    Effect.gen(function*() {
      const said = parts.map((part) =>
        part.type === "text-delta" ? { ...part, text: part.text.replace("look", "**look**") } : part
      )
      const ended = yield* boocode(["chat", "hello"], { ...TERMINAL, parts: said })
      assert.strictEqual(ended.stdout, "\n  Let me look.\n\n  It counts.\n")
      assert.strictEqual(ended.stderr, "\n  ● Read  a  12 ms\n")
      assert.isTrue(ended.statuses.some((rows) => /⠋ Read {2}0 s$/.test(rows)), ended.statuses.join("\n"))
      assert.isTrue(ended.statuses.some((rows) => /It counts\.\n {2}⠋ writing {2}0 s$/.test(rows)))
      assert.strictEqual(ended.statuses.at(-1), "")
      // What is piped on stays as the model wrote it.
      const piped = yield* boocode(["chat", "hello"], { ...WITH_MODEL, parts: said })
      assert.strictEqual(piped.stdout, "Let me **look**.\nIt counts.\n")
    }))

  it.effect("says at a terminal how many writes of the answer can be undone", () =>
    Effect.gen(function*() {
      const write = (id: string, possible: boolean): Part => ({
        ...{
          type: "write",
          seq: 2,
          turn: 1,
          id,
          call: id,
          name: "write_file",
          server: null,
          class: "writes",
          args: {}
        },
        ...{ outcome: "done", allowedBy: "person", source: "", undo: { id, possible, why: possible ? null : "large" } }
      })
      const all = [write("a", true), write("b", false), write("c", true), ...parts.slice(-1)]
      const { stderr } = yield* boocode(["chat", "hello"], { ...TERMINAL, parts: all })
      assert.strictEqual(stderr, "\n  2 writes can be undone: boocode undo\n")
    }))

  it.effect("names servers that are missing in one line, and not again behind a greeting", () =>
    Effect.gen(function*() {
      const warnings: ReadonlyArray<Part> = ["shop", "bank"].map((name, at) => (
        { type: "warning", seq: at, turn: 1, message: `MCP server ${name} failed: command not found` }
      ))
      const all = [...warnings, ...parts.slice(4)]
      const once = yield* boocode(["chat", "hello"], { ...TERMINAL, parts: all })
      assert.include(once.stderr, "  2 servers are not available: shop, bank. See boocode mcp list\n")
      assert.notInclude(once.stderr, "command not found")
      const servers = [status("shop", { state: "failed" }), status("bank", { state: "failed" })]
      const greeted = yield* boocode(["chat", "-i"], { ...TERMINAL, servers, parts: all, typed: ["hello"] })
      assert.strictEqual(greeted.stderr.match(/shop/g)?.length, 1)
    }))

  it.effect("tells tokens and price above the prompt, from the first answer to a new chat", () =>
    Effect.gen(function*() {
      const usage = { ...NO_USAGE, inputTokens: 1200, outputTokens: 30, cost: 0.004 }
      const used = [1, 2].flatMap((turn) =>
        parts.map((part) => ({ ...part, turn, ...(part.type === "finish" ? { usage } : {}) }))
      )
      const typed = ["hello", "again", "/new"]
      const { statuses } = yield* boocode(["chat", "-i"], { ...TERMINAL, parts: used, typed })
      const rows = statuses.filter((status, at) => / tokens in, /.test(status) && status !== statuses[at - 1])
      assert.deepStrictEqual(rows.map((row) => row.trim()), [
        "1.2k tokens in, 30 out, about $0.004",
        "2.4k tokens in, 60 out, about $0.008"
      ])
      assert.strictEqual(statuses.at(-1), "")
    }))

  it.effect("keeps what is typed, tells tokens and price, and leaves with /exit", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "-i"], { ...TERMINAL, parts, typed: ["/cost", "/agent", "/exit", "never"] })
      assert.strictEqual(ended.code, 0)
      assert.include(ended.stderr, "nothing was used so far")
      assert.include(ended.stderr, "agent Assistant\n")
      assert.deepStrictEqual(ended.log.filter((line) => /^(remember|send)/.test(line)), [
        "remember /cost",
        "remember /agent",
        "remember /exit"
      ])
    }))
})

const TERMINAL = {
  isTerminal: true,
  columns: 80,
  variables: { BOOCODE_MODEL: "openai/some-model", NO_COLOR: "1" }
}
