import { type ConfiguredServer, InvalidEntry } from "@boocode/mcp-config"
import { McpErrors, type ServerStatus } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Diagnosis } from "../../../src/mcp/doctor/Doctor.ts"
import { DECLARED } from "../../support/Declared.ts"
import { boocode, EMPTY, json, type Script, status, tool } from "../../support/Scripted.ts"

const STEPS = [
  { step: "start", millis: 12.2 },
  { step: "server/discover", millis: 100 },
  { step: "initialize", millis: 50 },
  { step: "tools/list", millis: 30 }
]
const SSE = [{ step: "initialize over HTTP+SSE", millis: 5 }, { step: "tools/list", millis: 3 }]
const FILES = status("files", { steps: STEPS, tokens: 2100 })
const LEFT = { class: "undeclared", openWorld: false, writer: false } as const
const OFF = status("off", { state: "disabled", tools: 0, connectMillis: null })

const failing = (
  reason: McpErrors.McpErrorReason,
  steps: ServerStatus["steps"] = [],
  more: Partial<ServerStatus> = {}
) => status("it", { state: "failed", tools: 0, steps, error: McpErrors.toStatusError(reason), ...more })

const doctor = (script: Script, ...args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const ended = yield* boocode(["mcp", "doctor", "--json", ...args], script)
    const found: Diagnosis = Object(json(ended.stdout))
    return { ...ended, found }
  })

/** The steps of one server, each with its outcome. */
const outcomes = (server: ServerStatus) =>
  Effect.map(
    doctor({ servers: [server] }),
    ({ found }) =>
      Object.fromEntries(found.servers.flatMap(({ steps }) => steps.map(({ outcome, step }) => [step, outcome])))
  )

const findings = (found: Diagnosis, step: string) =>
  found.servers.flatMap(({ steps }) => steps).filter((one) => one.step === step).flatMap((one) => one.findings)

describe("mcp doctor", () => {
  it.effect("ends with 0 when every server is healthy or disabled, and tells the time of each step", () =>
    Effect.gen(function*() {
      const { code, found, log } = yield* doctor({ servers: [FILES, OFF], tools: [tool("files", "read")] })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(found.servers.map(({ name, verdict }) => [name, verdict]), [
        ["files", "healthy"],
        ["off", "disabled"]
      ])
      assert.isTrue(found.healthy)
      const times = found.servers[0]?.steps.filter(({ millis }) => millis !== null)
      assert.deepStrictEqual(times?.map(({ millis, step }) => [step, millis]), [
        ["start", 12.2],
        ["handshake", 150],
        ["listing", 30]
      ])
      assert.deepStrictEqual(log, ["open", "settled", "close"])
    }))

  it.effect("names the step that a server did not get past, for each way of failing, and ends with 1", () =>
    Effect.gen(function*() {
      const exited = { exitCode: 3, signal: null, stderr: "boom" }
      const at = (...names: ReadonlyArray<string>) => names.map((step) => ({ step, millis: 1 }))
      const http = { transport: "streamableHttp" } as const
      const cases: ReadonlyArray<readonly [string, ServerStatus]> = [
        ["entry", failing(new McpErrors.InvalidEntry({ detail: "no", try: "yes" }))],
        ["variables", failing(new McpErrors.VariableUnset({ detail: "no", try: "yes" }))],
        ["approval", failing(new McpErrors.NotApproved({ server: "it", file: "x" }), [], { state: "needs-approval" })],
        ["command", failing(new McpErrors.CommandNotFound({ command: "x", searched: [] }), at("start"))],
        ["start", failing(new McpErrors.SpawnFailed({ command: "x", detail: "no" }), at("start"))],
        ["start", status("it", { state: "stopped" })],
        ["handshake", failing(new McpErrors.Exited({ during: "initialize", ...exited }), at("start", "initialize"))],
        [
          "protocol",
          failing(new McpErrors.ProtocolMismatch({ offered: [], supported: [] }), at("start", "initialize"))
        ],
        ["listing", failing(new McpErrors.Exited({ during: "tools/list", ...exited }), at("start", "tools/list"))],
        ["behaviour", failing(new McpErrors.Exited({ during: "its work", ...exited }), at("start", "its work"))],
        ["handshake", failing(new McpErrors.ConnectionLost({ detail: "refused" }), at("start"), http)],
        [
          "authentication",
          failing(new McpErrors.AuthRequired({ code: 401 }), at("start", "initialize"), {
            ...http,
            state: "needs-auth"
          })
        ],
        [
          "authentication",
          failing(
            new McpErrors.AuthorizationFailed({ detail: "the refresh token is over" }),
            at("start", "initialize"),
            {
              ...http,
              state: "needs-auth"
            }
          )
        ]
      ]
      for (const [step, server] of cases) {
        const { code, found } = yield* doctor({ servers: [server] })
        const steps = found.servers.flatMap((one) => one.steps)
        const failed = steps.findIndex(({ outcome }) => outcome === "problem")
        assert.strictEqual(steps[failed]?.step, step)
        assert.isTrue(steps.slice(0, failed).every(({ outcome }) => outcome === "ok"), step)
        assert.isTrue(steps.slice(failed + 1).every(({ outcome }) => outcome === "skipped"), step)
        assert.isNotNull(steps[failed]?.findings[0]?.hint, step)
        assert.deepStrictEqual([code, found.healthy], [1, false])
      }
      assert.notProperty(yield* outcomes(failing(new McpErrors.ConnectionLost({ detail: "" }), [], http)), "command")
    }))

  it.effect("tells what schemas lose at a provider, of names, and of what the tools cost, and ends with 0", () =>
    Effect.gen(function*() {
      const server = status("files", {
        tokens: 12_000,
        rejected: [{ tool: "twin", reason: "listed more than once; the first one is kept", ...LEFT }],
        warnings: ["data/mcp.json:3:5: mcpServers.files.timout: unknown key, not read", "it missed a ping"]
      })
      const tags = { type: "array", uniqueItems: true }
      const inputSchema = { type: "object", properties: { tags, path: { type: "string", format: "uri" } } }
      const plain = { type: "object", properties: { a: { type: "string" } } }
      const { code, found } = yield* doctor({
        servers: [server, status("files_two")],
        tools: [{ ...tool("files", "tag"), inputSchema }, {
          ...tool("files", "big"),
          inputSchema: { ...plain, additionalProperties: false },
          tokens: 9000
        }, {
          ...tool("files", "plain"),
          inputSchema: plain
        }]
      }, "files")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(findings(found, "schemas").map(({ level, message }) => [level, message]), [
        [
          "note",
          "Gemini has no place for some of what 2 tools declare, which is said in words where it can be: " +
          "additionalProperties (1 tool); format (1 tool); uniqueItems (1 tool)"
        ]
      ])
      assert.deepStrictEqual(findings(found, "names").map(({ level, message }) => [level, message]), [
        ["warning", "left out twin: listed more than once; the first one is kept"],
        ["note", "the pattern files_* of an agent allows the tools of files_two too"]
      ])
      assert.match(findings(found, "tokens")[0]?.message ?? "", /the largest are files_big \(9000\), files_tag \(5\)/)
      assert.deepStrictEqual(findings(found, "entry").map(({ message }) => message), server.warnings.slice(0, 1))
      assert.deepStrictEqual(findings(found, "behaviour").map(({ message }) => message), ["it missed a ping"])
    }))

  it.effect("counts tools that were left out and are not named", () =>
    Effect.gen(function*() {
      const rejected = [{ tool: "write", reason: "declares itself not read-only", ...LEFT }]
      const { found } = yield* doctor({ servers: [status("many", { rejected, rejectedMore: 9900 })] })
      const listing = found.servers[0]?.steps.find(({ step }) => step === "listing")
      assert.strictEqual(listing?.detail, "1 tool, 9901 left out")
      assert.deepStrictEqual(listing?.findings.map(({ message }) => message), [
        "left out write: declares itself not read-only",
        "left out 9900 more tools"
      ])
    }))

  it.effect("warns of a tool that no provider takes in any form, and says that requests go without it (R8)", () =>
    Effect.gen(function*() {
      const field = { type: "string", description: "d".repeat(500) }
      const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`p${index}`, field]))
      const tools = [{ ...tool("files", "vast"), inputSchema: { type: "object", properties } }]
      const { code, found } = yield* doctor({ servers: [status("files", {})], tools }, "files")
      assert.strictEqual(code, 0)
      const warned = findings(found, "schemas").filter(({ level }) => level === "warning")
      assert.deepStrictEqual(
        warned.map(({ message }) => /^(\w+) takes files_vast in no form: .+ bytes/.exec(message)?.[1]),
        [
          "OpenAI",
          "Anthropic",
          "Gemini"
        ]
      )
      assert.match(warned[0]?.hint ?? "", /goes without/)
      const step = found.servers.flatMap(({ steps }) => steps).find(({ step }) => step === "schemas")
      assert.deepStrictEqual([step?.outcome, step?.detail], ["warning", "not all for OpenAI and Anthropic and Gemini"])
    }))

  it.effect("tells of an entry which variables it uses and what it hides, and no value", () =>
    Effect.gen(function*() {
      const secret = Redacted.make("${TOKEN} CANARY $${NOT_ONE} ${HOST:-x}")
      const entry: ConfiguredServer = {
        name: "files",
        transport: "stdio",
        source: "data/mcp.json",
        enabled: true,
        needsApproval: false,
        config: Result.fail(
          new InvalidEntry({ server: "files", file: "", line: 1, column: 1, key: "", detail: "", hint: "" })
        ),
        warnings: [],
        declared: {
          ...DECLARED,
          file: "/data/mcp.json",
          folder: "/data",
          scope: "data",
          command: Redacted.make("run"),
          args: [secret]
        }
      }
      const source = { file: ".mcp.json", scope: "project", state: "read", hidden: ["files"], error: null } as const
      const configuration = { ...EMPTY, servers: [entry], sources: [source] }
      const { found, stdout } = yield* doctor({ servers: [FILES], configuration })
      assert.strictEqual(found.servers[0]?.steps[1]?.detail, "HOST, TOKEN")
      assert.deepStrictEqual(findings(found, "entry").map(({ message }) => message), [
        "hides the server of this name in .mcp.json"
      ])
      assert.notInclude(stdout, "CANARY")
    }))

  it.effect("asks a running server, starts nothing, and tells what its statuses tell", () =>
    Effect.gen(function*() {
      const failed = failing(new McpErrors.CommandNotFound({ command: "x", searched: [] }), STEPS.slice(0, 1))
      const asleep = status("files", { transport: "streamableHttp", idle: true, steps: SSE })
      const answers: Readonly<Record<string, Schema.Json>> = {
        "GET /api/mcp/servers": { servers: [asleep, failed], problems: [], write: "off" },
        "GET /api/tools": { tools: [], warnings: [] }
      }
      const script: Script = { answer: (asked) => Effect.sync(() => Response.json(answers[asked] ?? null)) }
      const { code, found, log } = yield* doctor(script, "--url", "http://127.0.0.1:4266")
      assert.deepStrictEqual(found.servers.map(({ verdict }) => verdict), ["healthy", "problem"])
      assert.strictEqual(code, 1)
      assert.match(findings(found, "listing")[0]?.message ?? "", /^it sleeps until it is called/)
      assert.strictEqual(found.servers[0]?.steps[3]?.detail, "2025-11-25 over HTTP+SSE")
      assert.notInclude(log, "open")
    }))

  it.effect("begins with the files that a running server cannot use, and ends with 1 for them", () =>
    Effect.gen(function*() {
      const trouble = { file: "mcp.json", line: 3, column: 5, message: "mcp.json:3:5: not JSON", hint: "correct it" }
      const answers: Readonly<Record<string, Schema.Json>> = {
        "GET /api/mcp/servers": { servers: [FILES], problems: [trouble], write: "off" },
        "GET /api/tools": { tools: [], warnings: [] }
      }
      const script: Script = { answer: (asked) => Effect.sync(() => Response.json(answers[asked] ?? null)) }
      const { code, found } = yield* doctor(script, "--url", "http://127.0.0.1:4266")
      assert.strictEqual(code, 1)
      assert.isFalse(found.healthy)
      assert.deepStrictEqual(found.problems.map(({ hint, message }) => [message, hint]), [[
        trouble.message,
        "correct it"
      ]])
      const plain = yield* boocode(["mcp", "doctor", "--url", "http://127.0.0.1:4266"], script)
      assert.strictEqual(plain.code, 1)
      assert.isTrue(plain.stdout.startsWith("problem  mcp.json:3:5: not JSON\n         correct it\n\nfiles  healthy"))
    }))

  it.effect("notes a server that was rejected, which is no problem, and list does not ask for its approval", () =>
    Effect.gen(function*() {
      const rejected = failing(new McpErrors.Rejected({ server: "it" }), [], { state: "needs-approval" })
      const { code, found } = yield* doctor({ servers: [rejected] })
      assert.strictEqual(code, 0)
      assert.strictEqual(found.servers[0]?.verdict, "disabled")
      assert.deepStrictEqual(findings(found, "approval"), [{
        level: "note",
        message: "it was rejected, so it does not start",
        hint: "boocode mcp revoke it forgets that",
        stderr: null
      }])
      const { stdout } = yield* boocode(["mcp", "list"], { servers: [rejected] })
      assert.match(stdout, /^ {2}it  rejected  /)
      assert.include(stdout, "boocode mcp revoke it forgets that")
      assert.notInclude(stdout, "approve")
    }))

  it.effect("says a name that nobody has before it starts to wait, and that there are no servers", () =>
    Effect.gen(function*() {
      const unknown = yield* boocode(["mcp", "doctor", "file", "--json"], { servers: [FILES] })
      assert.strictEqual(unknown.code, 1)
      assert.deepStrictEqual(Object(json(unknown.stdout)).error._tag, "UnknownServer")
      assert.notInclude(unknown.log, "settled file")
      const none = yield* boocode(["mcp", "doctor"])
      assert.deepStrictEqual([none.code, none.stdout], [0, "no servers are configured\n"])
      assert.strictEqual((yield* boocode(["mcp", "doctor", "a", "b"])).code, 2)
    }))

  it.effect("shows people one line for a server with which nothing is wrong, and every step with --verbose", () =>
    Effect.gen(function*() {
      const left = {
        ...FILES,
        name: "web",
        rejected: [{ tool: "write", reason: "declares itself not read-only", ...LEFT }]
      }
      const warned = status("odd", { warnings: ["it wrote lines that are no messages"] })
      const { stdout } = yield* boocode(["mcp", "doctor"], { servers: [FILES, left, warned, OFF] })
      const lines = stdout.split("\n")
      assert.deepStrictEqual(lines.slice(0, 5), [
        "files  healthy  1 tool  2100 tokens  240 ms",
        "web  healthy  1 tool  2100 tokens  240 ms  1 note",
        "",
        "odd  healthy  1 tool  10 tokens  240 ms",
        "  ok       entry           data/mcp.json"
      ])
      assert.include(lines, "  warning  behaviour")
      assert.deepStrictEqual(lines.slice(-5), [
        "",
        "off  off",
        "",
        "4 servers: 3 healthy, 1 off, 0 with a problem; --verbose shows every step",
        ""
      ])
      const verbose = yield* boocode(["mcp", "doctor", "--verbose"], { servers: [FILES] })
      assert.match(verbose.stdout, /^files {2}healthy.*\n {2}ok {7}entry[^]*ok {7}behaviour\n\n1 server: [^;]*\n$/)
    }))

  it.effect("shows people a line a step, with what to do, and lets no escape of a server through (R100)", () =>
    Effect.gen(function*() {
      const dead = failing(
        new McpErrors.Exited({ during: "initialize", exitCode: 3, signal: null, stderr: "\u001B[31mboom\u001B[0m" }),
        [{ step: "start", millis: 12 }, { step: "initialize", millis: 300 }]
      )
      const { code, stdout } = yield* boocode(["mcp", "doctor"], { servers: [dead, OFF] })
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(stdout.split("\n"), [
        "it  problem",
        "  ok       entry           data/mcp.json",
        "  ok       variables",
        "  ok       command",
        "  ok       start           12 ms",
        "  problem  handshake       300 ms",
        "           the server exited with code 3, during initialize; it last wrote to standard error: boom",
        "           its last lines on standard error say why; correct that and start it again",
        "             | boom",
        "           not come to: protocol, listing",
        "",
        "off  off",
        "",
        "2 servers: 0 healthy, 1 off, 1 with a problem; --verbose shows every step",
        ""
      ])
      const coloured = yield* boocode(["mcp", "doctor"], { servers: [dead], isTerminal: true })
      assert.include(coloured.stdout, "\u001B[31mproblem")
      assert.notInclude(coloured.stdout, "\u001B[31mboom")
    }))
})
