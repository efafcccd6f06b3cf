import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json, type Script, status, tool } from "../support/Scripted.ts"

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

const servers = () => Effect.sync(() => Response.json({ servers: [status("files")], problems: [], write: "off" }))

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

const WRITER = { ...tool("files", "write"), class: "destroys" as const, needsApproval: true }

const DONE = { isError: false, content: [{ type: "text", text: "written" }], structuredContent: null, millis: 3 }

const ARGS = ["--args", "{\"path\":\"notes/a\",\"content\":\"one\\ntwo\"}"]

/** Calls a tool that is left out because it writes. What reached the server is in `sent`. */
const calling = Effect.fnUntraced(function*(script: Script, ...flags: ReadonlyArray<string>) {
  const sent = new Array<unknown>()
  const ended = yield* boocode(["mcp", "call", "files_write", ...ARGS, ...flags], {
    servers: [status("files")],
    writers: [WRITER],
    call: (name, args, options) =>
      Effect.sync(() => {
        sent.push([name, args, options?.writes])
        return DONE
      }),
    ...script
  })
  return { ...ended, sent }
})

const SENT = [["files_write", { path: "notes/a", content: "one\ntwo" }, true]]

const LAST = "{ \"rules\": [{ \"deny\": \"*\", \"where\": { \"path\": \"notes/*\" } }] }"

describe("mcp call of a tool that writes", () => {
  it.effect("asks at a terminal, with class and arguments, and calls after a yes", () =>
    Effect.gen(function*() {
      const asked = yield* calling({ typed: ["y"] })
      assert.deepStrictEqual([asked.code, asked.stdout, asked.sent], [0, "written\n", SENT])
      assert.deepStrictEqual(asked.stderr.split("\n").slice(0, 4), [
        "  ? files_write destroys, so a call of it needs a person's yes",
        "    path     notes/a",
        "    content  one",
        "             two"
      ])
    }))

  it.effect("sends nothing after a no, and at the end of the input", () =>
    Effect.gen(function*() {
      for (const typed of [["n"], [""], []]) {
        const asked = yield* calling({ typed })
        assert.deepStrictEqual([asked.code, asked.stdout, asked.sent], [1, "", []])
        assert.include(asked.stderr, "you did not say yes")
      }
    }))

  it.effect("is refused without a terminal, unless --allow names it", () =>
    Effect.gen(function*() {
      const refused = yield* calling({}, "--json")
      assert.deepStrictEqual([refused.code, refused.sent], [1, []])
      const { error } = Object(json(refused.stdout))
      assert.deepStrictEqual([error._tag, error.hint], [
        "YesNeeded",
        "there is no terminal to say yes in; the same command with --allow files_write allows it"
      ])
      assert.deepStrictEqual((yield* calling({}, "--allow", "web_*")).sent, [])
      const allowed = yield* calling({}, "--allow", "files_*")
      assert.deepStrictEqual([allowed.code, allowed.stdout, allowed.sent], [0, "written\n", SENT])
    }))

  it.effect("is denied by a rule, whatever the person says, and tells which", () =>
    Effect.gen(function*() {
      const denied = yield* calling({ permissions: LAST, typed: ["y"] }, "--allow", "*")
      assert.deepStrictEqual([denied.code, denied.sent], [1, []])
      assert.include(denied.stderr, "permissions.jsonc:1 says deny * where path is notes/*")
      const other = yield* boocode(["mcp", "call", "files_read", "--args", "{\"path\":\"notes/a\"}"], {
        servers: [status("files")],
        tools: [tool("files", "read")],
        permissions: LAST
      })
      assert.deepStrictEqual([other.code, other.stdout], [1, ""])
    }))

  it.effect("needs no yes where a rule allows it and write mode is not off", () =>
    Effect.gen(function*() {
      const allow = (write: string) => JSON.stringify({ write, rules: [{ allow: "files_write" }] })
      assert.deepStrictEqual((yield* calling({ permissions: allow("rules") })).sent, SENT)
      assert.deepStrictEqual((yield* calling({ permissions: allow("off") })).sent, [])
    }))

  it.effect("asks the running server in the same way, and sends it the yes", () =>
    Effect.gen(function*() {
      const problem = { ...PROBLEM, status: 403, _tag: "YesNeeded", detail: "files_write writes, so it needs a yes" }
      const bodies = new Array<unknown>()
      const script: Script = {
        running: URL,
        typed: ["yes"],
        answer: (asked, body) => {
          if (asked === "GET /api/mcp/servers") return servers()
          assert.strictEqual(asked, "POST /api/tools/files_write/call")
          bodies.push(body)
          return Effect.sync(() =>
            Object(body).approved === true ? Response.json(RESULT) : Response.json(problem, { status: 403 })
          )
        }
      }
      const ended = yield* boocode(["mcp", "call", "files_write", "--args", "{\"a\":1}"], script)
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "hello\n"])
      assert.deepStrictEqual(bodies, [{ args: { a: 1 } }, { args: { a: 1 }, approved: true }])
      assert.include(ended.stderr, "? files_write writes, so it needs a yes")
    }))
})
