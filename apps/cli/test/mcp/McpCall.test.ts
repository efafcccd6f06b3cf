import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, type Script, status, tool } from "../support/Scripted.ts"

const URL = "http://127.0.0.1:4266"

const RESULT = {
  isError: false,
  text: "hello",
  content: [],
  structuredContent: null,
  truncated: null,
  origin: null,
  fault: null,
  diagnostics: [],
  millis: 3
}
const PROBLEM = {
  type: "about:blank",
  title: "Gateway Timeout",
  status: 504,
  detail: "files: read said nothing for 1 s",
  _tag: "CallTimeout",
  hint: "raise it",
  state: null,
  why: null,
  limit: null
}

const servers = () => Effect.sync(() => Response.json({ servers: [status("files")], problems: [] }))

/** A running server that streams these documents for a call. */
const streaming = (...documents: ReadonlyArray<object>): Script => ({
  isTerminal: true,
  running: URL,
  answer: (asked) =>
    asked === "POST /api/tools/files_read/stream"
      ? Effect.sync(() => {
        const body = documents.map((document) => `data: ${JSON.stringify(document)}\n\n`).join("")
        return new Response(body, { headers: { "content-type": "text/event-stream" } })
      })
      : asked === "GET /api/mcp/servers"
      ? servers()
      : Effect.die(`nobody expects ${asked}`)
})

const call = (script: Script) => boocode(["mcp", "call", "files_read"], script)

describe("The progress of mcp call", () => {
  it.effect("stands on one line of a terminal, without what it would obey, and is gone at the end (R100)", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* call({
        isTerminal: true,
        variables: { NO_COLOR: "1" },
        servers: [status("files")],
        tools: [tool("files", "read")],
        call: (_name, _args, options) =>
          Effect.as(
            options?.onProgress?.({ progress: 1, total: 3, message: "rea\u001B[31mding" }) ?? Effect.void,
            { isError: false, content: [{ type: "text", text: "hello" }], structuredContent: null, millis: 3 }
          )
      })
      assert.strictEqual(stdout, "hello\n")
      assert.include(stderr, "\r\u001B[K1 of 3: reading\r\u001B[K")
    }))

  it.effect("comes from a running server too, whose result or problem is that of the call", () =>
    Effect.gen(function*() {
      const progress = { type: "progress", progress: 2, total: null, message: null }
      const done = yield* call(streaming(progress, { type: "result", result: RESULT }))
      assert.deepStrictEqual([done.code, done.stdout], [0, "hello\n"])
      assert.match(done.stderr, /\r\u001B\[K[^\r]*2[^\r]*\r\u001B\[K/)
      const failed = yield* call(streaming({ type: "problem", problem: PROBLEM }))
      assert.deepStrictEqual([failed.code, failed.stdout], [1, ""])
      assert.include(failed.stderr, PROBLEM.detail)
      const cut = yield* call(streaming(progress))
      assert.strictEqual(cut.code, 1)
      assert.match(cut.stderr, /outcome unknown/)
    }))

  it.effect("is nothing to a script, which is answered at once", () =>
    Effect.gen(function*() {
      const ended = yield* call({
        running: URL,
        answer: (asked) =>
          asked === "POST /api/tools/files_read/call" ? Effect.sync(() => Response.json(RESULT)) : servers()
      })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "hello\n"])
      assert.notInclude(ended.stderr, "\u001B")
    }))
})
