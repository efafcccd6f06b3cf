import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as McpError from "../../src/errors/McpError.ts"
import { StatusError } from "../../src/errors/StatusError.ts"

const unauthorized = new McpError.AuthRequired({ code: 401 })

const reasons: ReadonlyArray<McpError.McpErrorReason> = [
  new McpError.InvalidEntry({ detail: "its url is no URL", try: "write it in full" }),
  new McpError.VariableUnset({ detail: "KEY is not set", try: "set KEY" }),
  new McpError.TokenNeeded({ server: "mail", name: "MAIL_TOKEN" }),
  new McpError.TooManyInstances({ most: 20 }),
  new McpError.CommandNotFound({ command: "srv", searched: ["/bin", "/usr/bin"] }),
  new McpError.SpawnFailed({ command: "srv", detail: "PermissionDenied", cause: new Error("EACCES") }),
  new McpError.Exited({ during: "initialize", exitCode: 3, signal: null, stderr: "boom\n" }),
  new McpError.HandshakeTimeout({ method: "initialize", limitMillis: 30_000, stderr: "still starting\n", said: [] }),
  new McpError.HandshakeFailed({ method: "initialize", detail: "no", code: -32603, stderr: "" }),
  new McpError.ProtocolMismatch({ offered: ["2025-11-25"], supported: ["1999-01-01"] }),
  new McpError.ListFailed({ method: "tools/list", detail: "no", code: -32603, limitMillis: null, stderr: "" }),
  unauthorized,
  new McpError.AuthRejected({ code: 403 }),
  new McpError.AuthorizationFailed({ detail: "the authorization server says access_denied" }),
  new McpError.HeadersHelperFailed({ detail: "exited with code 3", exitCode: 3, stderr: "no ticket\n" }),
  new McpError.HttpStatus({ method: "initialize", code: 502, detail: "Bad Gateway" }),
  new McpError.ConnectionLost({ detail: "ECONNRESET" }),
  new McpError.CrashLoop({ restarts: 6, exitCode: 1, stderr: "again\n" }),
  new McpError.Unresponsive({ limitMillis: 10_000 }),
  new McpError.NotApproved({ server: "files", file: "/repo/.mcp.json" }),
  new McpError.Rejected({ server: "files" }),
  new McpError.DecisionNotKept({ detail: "/state/approvals.json cannot be written" }),
  new McpError.EntryChanged({ file: "/repo/.mcp.json" }),
  new McpError.ApprovalNotNeeded({ file: "data/mcp.json" }),
  new McpError.ToolsChanged({ server: "files", tool: "read", detail: "its description changed" }),
  new McpError.AlreadyRunning({ state: "ready" }),
  new McpError.NotRunning({ state: "stopped" }),
  new McpError.UnknownServer({ name: "fils", nearest: ["files"] }),
  new McpError.UnknownTool({ name: "files_red", nearest: [] }),
  new McpError.UnknownPrompt({ name: "reveiw", nearest: ["review"] }),
  new McpError.UnknownResource({ uri: "file:///nots.md", nearest: [], detail: "no such file" }),
  new McpError.NotOffered({ what: "log messages" }),
  new McpError.RejectedByPolicy({ tool: "write_file", why: "declares itself not read-only" }),
  new McpError.NotReady({ state: "connecting", why: null }),
  new McpError.InvalidArguments({ tool: "files_read", detail: "they are an array" }),
  new McpError.CallTimeout({ tool: "read", limitMillis: 1500, limit: "timeout" }),
  new McpError.OutcomeUnknown({ tool: "send", why: "the server exited" }),
  new McpError.MessageTooLarge({ bytes: 20, limitBytes: 10 }),
  new McpError.RequestFailed({ method: "tools/call", code: -32602, detail: "bad" })
]

/** Each of them as JSON. */
const AS_JSON = [
  { _tag: "InvalidEntry", detail: "its url is no URL", try: "write it in full" },
  { _tag: "VariableUnset", detail: "KEY is not set", try: "set KEY" },
  { _tag: "TokenNeeded", server: "mail", name: "MAIL_TOKEN" },
  { _tag: "TooManyInstances", most: 20 },
  { _tag: "CommandNotFound", command: "srv", searched: ["/bin", "/usr/bin"] },
  { _tag: "SpawnFailed", command: "srv", detail: "PermissionDenied", cause: {} },
  { _tag: "Exited", during: "initialize", exitCode: 3, signal: null, stderr: "boom\n" },
  { _tag: "HandshakeTimeout", method: "initialize", limitMillis: 30_000, stderr: "still starting\n", said: [] },
  { _tag: "HandshakeFailed", method: "initialize", detail: "no", code: -32603, stderr: "" },
  { _tag: "ProtocolMismatch", offered: ["2025-11-25"], supported: ["1999-01-01"] },
  { _tag: "ListFailed", method: "tools/list", detail: "no", code: -32603, limitMillis: null, stderr: "" },
  { _tag: "AuthRequired", code: 401 },
  { _tag: "AuthRejected", code: 403 },
  { _tag: "AuthorizationFailed", detail: "the authorization server says access_denied" },
  { _tag: "HeadersHelperFailed", detail: "exited with code 3", exitCode: 3, stderr: "no ticket\n" },
  { _tag: "HttpStatus", method: "initialize", code: 502, detail: "Bad Gateway" },
  { _tag: "ConnectionLost", detail: "ECONNRESET" },
  { _tag: "CrashLoop", restarts: 6, exitCode: 1, stderr: "again\n" },
  { _tag: "Unresponsive", limitMillis: 10_000 },
  { _tag: "NotApproved", server: "files", file: "/repo/.mcp.json" },
  { _tag: "Rejected", server: "files" },
  { _tag: "DecisionNotKept", detail: "/state/approvals.json cannot be written" },
  { _tag: "EntryChanged", file: "/repo/.mcp.json" },
  { _tag: "ApprovalNotNeeded", file: "data/mcp.json" },
  { _tag: "ToolsChanged", server: "files", tool: "read", detail: "its description changed" },
  { _tag: "AlreadyRunning", state: "ready" },
  { _tag: "NotRunning", state: "stopped" },
  { _tag: "UnknownServer", name: "fils", nearest: ["files"] },
  { _tag: "UnknownTool", name: "files_red", nearest: [] },
  { _tag: "UnknownPrompt", name: "reveiw", nearest: ["review"] },
  { _tag: "UnknownResource", uri: "file:///nots.md", nearest: [], detail: "no such file" },
  { _tag: "NotOffered", what: "log messages" },
  { _tag: "RejectedByPolicy", tool: "write_file", why: "declares itself not read-only" },
  { _tag: "NotReady", state: "connecting", why: null },
  { _tag: "InvalidArguments", tool: "files_read", detail: "they are an array" },
  { _tag: "CallTimeout", tool: "read", limitMillis: 1500, limit: "timeout" },
  { _tag: "OutcomeUnknown", tool: "send", why: "the server exited" },
  { _tag: "MessageTooLarge", bytes: 20, limitBytes: 10 },
  { _tag: "RequestFailed", method: "tools/call", code: -32602, detail: "bad" }
]

/** The reason of this list with that tag, as statuses show it. */
const status = (tag: McpError.McpErrorReason["_tag"]): StatusError =>
  McpError.toStatusError(reasons.find(({ _tag }) => _tag === tag) ?? assert.fail(tag))

const applying = (tag: McpError.McpErrorReason["_tag"]) => {
  const { _tag, hint, message, ...rest } = status(tag)
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
}

const exited = (exit: { readonly exitCode: number | null; readonly signal: string | null }, stderr = "") =>
  new McpError.Exited({ during: "its work", ...exit, stderr })

describe("McpError reasons", () => {
  it("are all in this test", () => {
    assert.sameMembers(reasons.map(({ _tag }): string => _tag), Object.keys(McpError.REASONS))
  })

  it("each have a message and a hint, without holes (R40)", () => {
    for (const reason of reasons) {
      for (const text of [reason.message, reason.hint]) {
        assert.match(text, /^\S.*\S$/, reason._tag)
        assert.notMatch(text, /undefined|null|NaN|\[object/, reason._tag)
      }
    }
  })

  it("say what happened and what to try", () => {
    const { hint, message } = status("CommandNotFound")
    assert.strictEqual(message, "command not found: srv (searched /bin:/usr/bin)")
    assert.strictEqual(hint, "install srv, or write its full path as \"command\"")
    assert.strictEqual(status("AuthRequired").message, "the server asks for authorization (HTTP 401)")
    assert.include(status("AuthRequired").hint, "\"Bearer ${TOKEN}\"")
    assert.strictEqual(status("UnknownServer").hint, "did you mean files?")
    assert.strictEqual(status("UnknownTool").hint, "boocode mcp tools shows which there are")
    const files = ["mcp.json is not there"]
    const missed = new McpError.UnknownTool({ name: "files_read", nearest: [], files })
    assert.strictEqual(missed.hint, "mcp.json is not there; boocode mcp tools shows which there are")
    assert.strictEqual(status("UnknownPrompt").hint, "did you mean review?")
    assert.strictEqual(status("UnknownResource").message, "it has no resource file:///nots.md: no such file")
    assert.strictEqual(
      status("HandshakeTimeout").message,
      "no answer to initialize within 30 s (\"startupTimeout\"); it last wrote to standard error: still starting"
    )
    assert.strictEqual(status("CallTimeout").message, "read said nothing for 1500 ms")
    assert.strictEqual(
      status("OutcomeUnknown").message,
      "outcome unknown: send was sent, then the server exited; it was not sent again"
    )
  })

  it("tell how a process ended, when, and the last three lines it wrote (R40)", () => {
    const ended = (exit: Parameters<typeof exited>[0], stderr?: string) => exited(exit, stderr).message
    assert.strictEqual(
      ended({ exitCode: 3, signal: null }, "1\n2\nboom\nat x\n\n"),
      "the server exited with code 3, while it was ready; it last wrote to standard error: 2 | boom | at x"
    )
    const silent = ", while it was ready; it wrote nothing to standard error"
    assert.strictEqual(ended({ exitCode: 0, signal: null }), `the server exited with code 0${silent}`)
    assert.strictEqual(ended({ exitCode: null, signal: "SIGKILL" }), `the server was ended by SIGKILL${silent}`)
    assert.strictEqual(ended({ exitCode: null, signal: null }), `the server was ended by a signal${silent}`)
    const atStart = { during: "initialize", exitCode: 3, signal: null }
    assert.strictEqual(
      new McpError.Exited({ ...atStart, stderr: "boom", afterMillis: 1243, said: ["skipped 1 line: x"] }).message,
      "the server exited with code 3 after 1.2 s, during initialize; it last wrote to standard error: boom"
    )
    assert.strictEqual(
      new McpError.Exited({ ...atStart, stderr: "", afterMillis: 43, said: ["skipped 1 line: Usage: x"] }).message,
      "the server exited with code 3 after 43 ms, during initialize; skipped 1 line: Usage: x"
    )
  })

  it("tell how long a process lived as closely as a person cares", () => {
    const times = [[0, "0 ms"], [999, "999 ms"], [1000, "1 s"], [59_940, "59.9 s"], [60_000, "1 min"]] as const
    const more = [[90 * 60_000, "90 min"], [49 * 3_600_000, "49 h"]] as const
    for (const [afterMillis, words] of [...times, ...more]) {
      const { message } = new McpError.Exited({ during: "x", exitCode: 1, signal: null, stderr: "e", afterMillis })
      assert.include(message, `after ${words},`)
    }
  })

  it("advise by how a process ended (R40)", () => {
    const hint = (exit: Parameters<typeof exited>[0], stderr?: string) => exited(exit, stderr).hint
    assert.match(hint({ exitCode: 0, signal: null }), /--stdio/)
    assert.match(hint({ exitCode: 127, signal: null }), /no such command/)
    assert.match(hint({ exitCode: 126, signal: null }), /may not be executed/)
    assert.match(hint({ exitCode: null, signal: "SIGKILL" }), /too little memory/)
    assert.match(hint({ exitCode: 1, signal: null }), /by hand/)
    assert.match(hint({ exitCode: 127, signal: null }, "sh: 1: srv: not found"), /its last lines/)
  })

  it("pick the lines that name the error, and shorten them (R40)", () => {
    const words = (stderr: string) =>
      exited({ exitCode: 1, signal: null }, stderr).message.split("it last wrote to standard error: ")[1]
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["a\nError: Cannot find module 'x'\n    at y\n  code: 'Z'\n}\n\nNode.js v24", "Error: Cannot find module 'x'"],
      [
        "Traceback (most recent call last):\n  x\nModuleNotFoundError: No module named 'y'\n",
        "ModuleNotFoundError: No module named 'y'"
      ],
      [
        "error: unexpected argument '-x'\n\nUsage: srv\n\nFor more information, try '--help'.",
        "error: unexpected argument '-x'"
      ],
      [
        "npm error code E404\nnpm error 404 Not Found - x\nnpm error A complete log of this run can be found in: y",
        "npm error code E404 | npm error 404 Not Found - x"
      ],
      ["no\nerrors here\nterror\n", "no | errors here | terror"],
      [`Error: ${"x".repeat(500)}`, `Error: ${"x".repeat(293)}…`],
      [`${"x".repeat(299)}😀`, `${"x".repeat(299)}…`],
      [`${"x".repeat(500)}\nshort\n${"y".repeat(500)}`, `${"x".repeat(100)}… | short | ${"y".repeat(100)}…`]
    ]
    for (const [stderr, expected] of cases) assert.strictEqual(words(stderr), expected)
  })

  it("name the step, the code and the limit of what failed at the start (R40)", () => {
    const failed = { method: "initialize", stderr: "" }
    const listing = { method: "tools/list", stderr: "" }
    const cases: ReadonlyArray<readonly [McpError.McpErrorReason, string, RegExp]> = [
      [
        new McpError.HandshakeFailed({ ...failed, detail: "no database", code: -32603 }),
        "the server refused initialize: no database (-32603)",
        /server's own/
      ],
      [
        new McpError.HandshakeFailed({ ...failed, detail: "its answer is no JSON", code: null }),
        "initialize failed: its answer is no JSON",
        /MCP server/
      ],
      [
        new McpError.ListFailed({ ...listing, detail: "no database", code: -32603, limitMillis: null }),
        "tools/list failed: no database (-32603)",
        /its own log/
      ],
      [
        new McpError.ListFailed({ ...listing, detail: "no answer in time", code: null, limitMillis: 2500 }),
        "no answer to tools/list within 2500 ms (\"startupTimeout\")",
        /raise "startupTimeout"/
      ],
      [
        new McpError.CrashLoop({ restarts: 6, exitCode: null, signal: "SIGSEGV", stderr: "e", during: "initialize" }),
        "the server died 6 times in a row; the last time it was ended by SIGSEGV, during initialize; it last wrote to standard error: e",
        /once a minute.*its last lines/
      ]
    ]
    for (const [reason, message, hint] of cases) {
      assert.strictEqual(reason.message, message)
      assert.match(reason.hint, hint)
    }
  })

  it("tell a lost connection from one that never was", () => {
    assert.strictEqual(new McpError.ConnectionLost({ detail: "x" }).message, "the connection was lost: x")
    const never = new McpError.ConnectionLost({ detail: "x", happened: "could not connect", try: "look there" })
    assert.deepStrictEqual([never.message, never.hint], ["could not connect: x", "look there"])
  })

  it("advise by the command that is not there (R69)", () => {
    const hint = (command: string) => new McpError.CommandNotFound({ command, searched: [] }).hint
    assert.match(hint("npx"), /comes with Node\.js/)
    assert.match(hint("uvx"), /comes with uv/)
    assert.match(hint("npx -y server"), /"args"/)
    assert.match(hint("./bin/server"), /check the path/)
    assert.match(hint("server"), /install server/)
    const relative = new McpError.CommandNotFound({ command: "./server", searched: ["/data"] })
    assert.strictEqual(relative.message, "command not found: ./server (there is no such file in /data)")
  })

  it("advise by the status that a url answered with", () => {
    const hint = (code: number) => new McpError.HttpStatus({ method: "initialize", code, detail: "" }).hint
    assert.match(hint(307), /write its address as "url"/)
    assert.match(hint(400), /its words say why/)
    assert.match(hint(404), /path/)
    assert.match(hint(405), /"type": "sse"/)
    assert.match(hint(429), /wait/)
    assert.match(hint(502), /later/)
  })

  it("advise by which side has the newer revisions (R90)", () => {
    const hint = (offered: ReadonlyArray<string>, supported: ReadonlyArray<string>) =>
      new McpError.ProtocolMismatch({ offered, supported }).hint
    const all = ["2026-07-28", "2025-11-25"]
    assert.match(hint(all, ["2027-03-01"]), /update BooCode/)
    assert.match(hint(all, ["1999-01-01"]), /^update the server$/)
    assert.match(hint(["2026-07-28"], []), /"auto"/)
    assert.match(hint(["2025-11-25", "2025-06-18"], ["2026-07-28"]), /"auto"/)
    const none = new McpError.ProtocolMismatch({ offered: ["2026-07-28"], supported: [] })
    assert.strictEqual(none.message, "no common protocol revision: we ask for 2026-07-28; it names none")
  })

  it("are, as JSON, their name and what they were made of, and nothing else", () => {
    assert.deepStrictEqual(reasons.map((reason) => JSON.parse(JSON.stringify(reason))), AS_JSON)
  })

  it("are told from all else that is caught", () => {
    for (const reason of reasons) {
      assert.isTrue(McpError.isReason(reason))
      assert.isFalse(McpError.isReason({ ...reason }))
    }
    assert.isFalse(McpError.isReason(new Error("no")))
    assert.isFalse(McpError.isReason(new McpError.McpError({ server: null, reason: unauthorized })))
  })

  it("keep their cause", () => {
    const cause = new Error("EACCES")
    assert.strictEqual(new McpError.SpawnFailed({ command: "srv", detail: "no", cause }).cause, cause)
  })
})

describe("McpError", () => {
  it("leads the reason's words with the server's name, when there is one", () => {
    const reason = new McpError.ConnectionLost({ detail: "ECONNRESET" })
    const named = new McpError.McpError({ server: "files", reason })
    assert.strictEqual(named.message, "files: the connection was lost: ECONNRESET")
    assert.strictEqual(String(named), "McpError: files: the connection was lost: ECONNRESET")
    assert.strictEqual(named.hint, reason.hint)
    assert.strictEqual(new McpError.McpError({ server: null, reason }).message, reason.message)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(named)), {
      _tag: "McpError",
      server: "files",
      reason: { _tag: "ConnectionLost", detail: "ECONNRESET" }
    })
  })

  it.effect("is caught by its name, and by that of its reason", () =>
    Effect.gen(function*() {
      const failing = Effect.fail(new McpError.McpError({ server: "files", reason: unauthorized }))
      const named = Effect.catchTag(failing, "McpError", ({ reason, server }) => Effect.succeed([server, reason._tag]))
      assert.deepStrictEqual(yield* named, ["files", "AuthRequired"])
      const caught = Effect.catchReason(failing, "McpError", "AuthRequired", ({ code }) => Effect.succeed(code))
      assert.strictEqual(yield* caught, 401)
      const passed = Effect.catchReason(failing, "McpError", "AuthRejected", () => Effect.succeed(0))
      assert.strictEqual((yield* Effect.flip(passed)).reason, unauthorized)
    }))
})

describe("McpError.toStatusError", () => {
  it("has exactly the fields of a status, for every reason", () => {
    const isStatusError = Schema.is(StatusError)
    for (const reason of reasons) {
      const found = McpError.toStatusError(reason)
      assert.isTrue(isStatusError(found), reason._tag)
      assert.sameMembers(Object.keys(found), Object.keys(StatusError.fields))
      assert.deepStrictEqual([found._tag, found.message, found.hint], [reason._tag, reason.message, reason.hint])
    }
  })

  it("has null for what does not apply", () => {
    const expected: Partial<Record<McpError.McpErrorReason["_tag"], object>> = {
      Exited: { exitCode: 3, stderr: "boom\n" },
      HandshakeTimeout: { method: "initialize", limitMillis: 30_000, stderr: "still starting\n" },
      HandshakeFailed: { method: "initialize", code: -32603 },
      ListFailed: { method: "tools/list", code: -32603 },
      AuthRequired: { code: 401 },
      AuthRejected: { code: 403 },
      Unresponsive: { limitMillis: 10_000 },
      HeadersHelperFailed: { exitCode: 3, stderr: "no ticket\n" },
      HttpStatus: { method: "initialize", code: 502 },
      CrashLoop: { exitCode: 1, stderr: "again\n" },
      CallTimeout: { limitMillis: 1500 },
      RequestFailed: { method: "tools/call", code: -32602 }
    }
    for (const { _tag } of reasons) assert.deepStrictEqual(applying(_tag), expected[_tag] ?? {}, _tag)
  })

  it("keeps an exit code of 0 and a signal", () => {
    assert.strictEqual(McpError.toStatusError(exited({ exitCode: 0, signal: null })).exitCode, 0)
    assert.strictEqual(McpError.toStatusError(exited({ exitCode: null, signal: "SIGSEGV" })).signal, "SIGSEGV")
  })
})
