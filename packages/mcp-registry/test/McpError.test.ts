import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as McpError from "../src/McpError.ts"
import { StatusError } from "../src/ServerStatus.ts"

const reasons: ReadonlyArray<McpError.McpErrorReason> = [
  new McpError.InvalidEntry({ detail: "its url is no URL", try: "write it in full" }),
  new McpError.VariableUnset({ detail: "KEY is not set", try: "set KEY" }),
  new McpError.CommandNotFound({ command: "srv", searched: ["/bin", "/usr/bin"] }),
  new McpError.SpawnFailed({ command: "srv", detail: "PermissionDenied", cause: new Error("EACCES") }),
  new McpError.Exited({ during: "initialize", exitCode: 3, signal: null, stderr: "boom\n" }),
  new McpError.HandshakeTimeout({ method: "initialize", limitMillis: 30_000, stderr: "still starting\n", said: [] }),
  new McpError.HandshakeFailed({ method: "initialize", detail: "no", code: -32603, stderr: "" }),
  new McpError.ProtocolMismatch({ offered: ["2025-11-25"], supported: ["1999-01-01"] }),
  new McpError.ListFailed({ method: "tools/list", detail: "no", code: -32603, limitMillis: null, stderr: "" }),
  new McpError.AuthRequired({ code: 401 }),
  new McpError.AuthRejected({ code: 403 }),
  new McpError.HttpStatus({ method: "initialize", code: 502, detail: "Bad Gateway" }),
  new McpError.ConnectionLost({ detail: "ECONNRESET" }),
  new McpError.CrashLoop({ restarts: 6, exitCode: 1, stderr: "again\n" }),
  new McpError.NotApproved({ file: "/repo/.mcp.json" }),
  new McpError.AlreadyRunning({ state: "ready" }),
  new McpError.NotRunning({ state: "stopped" }),
  new McpError.UnknownServer({ name: "fils", nearest: ["files"] }),
  new McpError.UnknownTool({ name: "files_red", nearest: [] }),
  new McpError.RejectedByPolicy({ tool: "write_file", why: "declares itself not read-only" }),
  new McpError.NotReady({ state: "connecting", why: null }),
  new McpError.InvalidArguments({ tool: "files_read", detail: "they are an array" }),
  new McpError.CallTimeout({ tool: "read", limitMillis: 1500, limit: "timeout" }),
  new McpError.OutcomeUnknown({ tool: "send", why: "the server exited" }),
  new McpError.MessageTooLarge({ bytes: 20, limitBytes: 10 }),
  new McpError.RequestFailed({ method: "tools/call", code: -32602, detail: "bad" })
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
    const tags = McpError.McpErrorReason.members.map(({ identifier }) => identifier)
    assert.deepStrictEqual(reasons.map(({ _tag }) => _tag), [...tags])
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
    assert.strictEqual(status("UnknownTool").hint, "list the tools to see which there are")
    assert.strictEqual(
      status("HandshakeTimeout").message,
      "no answer to initialize within 30 s; it last wrote: still starting"
    )
    assert.strictEqual(status("CallTimeout").message, "read said nothing for 1500 ms")
    assert.strictEqual(
      status("OutcomeUnknown").message,
      "outcome unknown: send was sent, then the server exited; it was not sent again"
    )
  })

  it("tell how a process ended, and the last three lines it wrote (R40)", () => {
    const ended = (exit: Parameters<typeof exited>[0], stderr?: string) => exited(exit, stderr).message
    assert.strictEqual(
      ended({ exitCode: 3, signal: null }, "1\n2\nboom\nat x\n\n"),
      "the server exited with code 3 during its work; it last wrote: 2 | boom | at x"
    )
    assert.strictEqual(ended({ exitCode: 0, signal: null }), "the server exited with code 0 during its work")
    assert.strictEqual(ended({ exitCode: null, signal: "SIGKILL" }), "the server was ended by SIGKILL during its work")
    assert.strictEqual(ended({ exitCode: null, signal: null }), "the server was ended by a signal during its work")
  })

  it("survive a journey through JSON", () => {
    const codec = Schema.toCodecJson(McpError.McpErrorReason)
    for (const reason of reasons) {
      const encoded: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(codec)(reason)))
      const decoded = Schema.decodeUnknownSync(codec)(encoded)
      assert.strictEqual(decoded._tag, reason._tag)
      assert.strictEqual(decoded.message, reason.message)
      assert.strictEqual(decoded.hint, reason.hint)
    }
  })
})

describe("McpError", () => {
  it("leads the reason's words with the server's name, when there is one", () => {
    const reason = new McpError.ConnectionLost({ detail: "ECONNRESET" })
    const named = new McpError.McpError({ server: "files", reason })
    assert.strictEqual(named.message, "files: the connection was lost: ECONNRESET")
    assert.strictEqual(named.hint, reason.hint)
    assert.strictEqual(new McpError.McpError({ server: null, reason }).message, reason.message)
  })
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
