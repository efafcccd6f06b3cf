import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import type { Attempt } from "../../../mcp-client/src/connect/Connect.ts"
import * as McpError from "../../../mcp-client/src/errors/McpError.ts"
import { SILENCE } from "../../../mcp-client/src/stdio/ServerOutput.ts"
import { config, http, stdio } from "../../../mcp-client/test/support/ServerConfigs.ts"
import * as AttemptFailure from "../../src/state/AttemptFailure.ts"

const attempt = (step: string, more: Partial<Attempt> = {}): Attempt => ({
  step,
  elapsed: () => 1234,
  stderr: () => "",
  said: () => [],
  ...more
})

const startupTimeout = Duration.seconds(2)
const startedBy = (command: string) => config({ startupTimeout, transport: { ...stdio(), command } })
const exited = new McpError.Exited({ during: McpError.AT_WORK, exitCode: 3, signal: null, stderr: "boom" })

describe("AttemptFailure.tookTooLong", () => {
  it("names the step, the limit, and what the server wrote instead (R40)", () => {
    const said = ["skipped 1 line on standard output that is no message: hi"]
    const stderr = () => "starting\n"
    const found = AttemptFailure.tookTooLong(startedBy("server"), attempt("initialize", { said: () => said, stderr }))
    assert.strictEqual(
      found.message,
      `no answer to initialize within 2 s ("startupTimeout"); ${said[0]}; it last wrote to standard error: starting`
    )
  })

  it("is about the listing when that is the step", () => {
    const found = AttemptFailure.tookTooLong(startedBy("server"), attempt("tools/list"))
    assert.deepStrictEqual([found._tag, found.message], [
      "ListFailed",
      `no answer to tools/list within 2 s ("startupTimeout")`
    ])
  })

  it("advises by what was written, by what was started, and by the transport (R18, R40)", () => {
    const hint = (command: string, ...said: ReadonlyArray<string>) =>
      AttemptFailure.tookTooLong(startedBy(command), attempt("initialize", { said: () => said })).hint
    assert.match(hint("server", SILENCE), /only slow to start, raise "startupTimeout"; else run it by hand/)
    assert.match(hint("server", "skipped 7 lines"), /standard output is for MCP messages alone/)
    assert.match(hint("npx", SILENCE), /^npx may still be downloading it/)
    assert.match(hint("/usr/local/bin/uvx", `${SILENCE} to standard output`), /^uvx may still be downloading it/)
    assert.match(hint("npx", "skipped 7 lines"), /standard output is for MCP messages alone/)
    const offline = {
      said: () => [SILENCE],
      stderr: () => "npm error code ENOTFOUND\nnpm error network request failed"
    }
    for (const command of ["npx", "server"]) {
      const { hint } = AttemptFailure.tookTooLong(startedBy(command), attempt("initialize", offline))
      assert.match(hint, /^its standard error names a network error \(ENOTFOUND\)/)
      assert.notMatch(hint, /startupTimeout/)
    }
    const remote = config({ transport: http("https://mcp.example/mcp") })
    assert.match(AttemptFailure.tookTooLong(remote, attempt("initialize")).hint, /check that the url/)
  })
})

describe("AttemptFailure.ofListing", () => {
  it("takes a refusal and an answer above the cap for a failed listing, with advice that can help (R37, R40)", () => {
    const refused = new McpError.RequestFailed({ method: "tools/list", code: -32603, detail: "no database" })
    const large = new McpError.MessageTooLarge({ bytes: 20, limitBytes: 10 })
    const [first, second] = [refused, large].map((reason) => AttemptFailure.ofListing(reason, attempt("tools/list")))
    assert.strictEqual(first?.message, "tools/list failed: no database (-32603)")
    assert.strictEqual(
      second?.message,
      "tools/list failed: the answer has 20 bytes, more than the 10 a message may have"
    )
    assert.match(second?.hint ?? "", /raise "maxMessageBytes"/)
    assert.notMatch(second?.hint ?? "", /ask for less/)
  })

  it("leaves every other reason as it is", () => {
    assert.strictEqual(AttemptFailure.ofListing(exited, attempt("tools/list")), exited)
  })
})

describe("AttemptFailure.judge", () => {
  it("adds the step and the time to how a process ended, and what it wrote (R40, R42)", () => {
    const found = AttemptFailure.judge(exited, attempt("initialize"), 0)
    assert.strictEqual(
      found.message,
      "the server exited with code 3 after 1.2 s, during initialize; it last wrote to standard error: boom"
    )
    const silent = new McpError.Exited({ ...exited, stderr: "" })
    const said = () => ["skipped 1 line on standard output that is no message: Usage: server --stdio"]
    assert.include(AttemptFailure.judge(silent, attempt("initialize", { said }), 0).message, "Usage: server --stdio")
  })

  it("says that it keeps coming, how it ended the last time and during what (R20, R40)", () => {
    const found = AttemptFailure.judge(exited, attempt("initialize"), 5)
    assert.strictEqual(
      found.message,
      "the server died 5 times in a row; the last time it exited with code 3, during initialize; it last wrote to standard error: boom"
    )
  })

  it("names the step at which a connection was lost, unless it was never made or the server was ready", () => {
    const judged = (reason: McpError.ConnectionLost, step: string) =>
      AttemptFailure.judge(reason, attempt(step), 0).message
    const lost = new McpError.ConnectionLost({ detail: "the server hung up", unsent: false })
    const never = new McpError.ConnectionLost({ detail: "nobody listens", happened: "could not connect" })
    assert.strictEqual(judged(lost, "initialize"), "the connection was lost during initialize: the server hung up")
    assert.strictEqual(judged(lost, McpError.AT_WORK), "the connection was lost: the server hung up")
    assert.strictEqual(judged(never, "initialize"), "could not connect: nobody listens")
  })

  it("takes an answer above the cap for a failed handshake (R37)", () => {
    const large = new McpError.MessageTooLarge({ bytes: 20, limitBytes: 10 })
    const found = AttemptFailure.judge(large, attempt("initialize"), 0)
    assert.deepStrictEqual([found._tag, /maxMessageBytes/.test(found.hint)], ["HandshakeFailed", true])
  })
})

describe("AttemptFailure.ofCause", () => {
  it("gives a reason as it is, and owns up to a defect of ours", () => {
    assert.strictEqual(AttemptFailure.ofCause(Cause.fail(exited), attempt("initialize")), exited)
    const defect = AttemptFailure.ofCause(Cause.die(new TypeError("x is not a function")), attempt("initialize"))
    assert.include(defect.message, "x is not a function")
    assert.match(defect.hint, /fault of BooCode/)
  })
})
