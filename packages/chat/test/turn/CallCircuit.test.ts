import { type CallResult, McpError, McpErrors } from "@boocode/mcp-registry"
import { type AgentTool, McpToolkit, ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TurnPart } from "../../src/model/Part.ts"
import * as Turn from "../../src/turn/Turn.ts"
import * as TurnTools from "../../src/turn/TurnTools.ts"
import { agent, calls, files, finish, mcpTool, model, registry, says, tool } from "../support/Scripted.ts"

type Step = ReadonlyArray<readonly [name: string, args?: unknown]>

/** A turn whose model makes these calls, answer by answer; what its calls were answered, in order. */
const turn = (
  steps: ReadonlyArray<Step>,
  tools: ReadonlyArray<AgentTool>,
  life: () => string | null = () => null
) =>
  Effect.gen(function*() {
    const answers = steps.map((step, at): ReadonlyArray<Response.StreamPartEncoded> => [
      ...step.map(([name, args], index) => calls(`c${at}-${index}`, name, args ?? { step: at, index })),
      finish("tool-calls")
    ])
    const { asked, model: scripted } = yield* model([...answers, [...says("ok"), finish()]])
    const parts: Array<TurnPart> = []
    const request = {
      agent: { ...agent, steps: steps.length + 1 },
      model: scripted,
      tools: { ...TurnTools.of(tools), life: () => Effect.sync(life) },
      history: [],
      text: "hi"
    }
    yield* Turn.run(request, (part) => Effect.sync(() => void parts.push(part))).pipe(Effect.provide(files()))
    const results = parts.flatMap((part) => part.type === "tool-result" ? [part] : [])
    return { asked, parts, results, texts: results.map(({ text }) => text) }
  })

/** A tool that answers what the script says, and the arguments of the calls that reached it. */
const scripted = (name: string, answer: (count: number) => ToolResult.ToolResult) => {
  const sent: Array<unknown> = []
  return { sent, tool: tool(name, (args) => Effect.sync(() => answer(sent.push(args)))) }
}

const down = (server: string) =>
  ToolResult.failure(`MCP server unreachable: ${server} (ECONNREFUSED)`, { fault: "server" })
const error = (text: string) => ToolResult.failure(text)
const times = (count: number, step: Step): ReadonlyArray<Step> => Array.from({ length: count }, () => step)

describe("CallCircuit", () => {
  it.effect("answers calls of a server that failed three times in a row here, says why and not to retry (R34)", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", () => down("files"))
      const list = scripted("files_list", () => ToolResult.success("never"))
      const { results } = yield* turn([...times(3, [["files_read"]]), [["files_list"]], [["files_read"]]], [
        read.tool,
        list.tool
      ])
      assert.strictEqual(read.sent.length, 3)
      assert.deepStrictEqual(list.sent, [], "no tool of the server is called")
      assert.strictEqual(
        results[3]?.text,
        "files_list was not called: MCP server files failed 3 times in a row in this turn. Do not retry: no tool of " +
          "files is called again in this turn. Go on without it, use another tool, or tell the person what is missing; " +
          "its last answer above says why."
      )
      assert.isTrue(results[3]?.isError)
      assert.include(results[4]?.text, "files_read was not called")
    }))

  it.effect("says so in its own words alone, outside of the marks whose instructions a model ignores (R34, R101)", () =>
    Effect.gen(function*() {
      const origin = { server: "files", tool: "read", isTrusted: false }
      for (const answer of [down("files"), error("no such file")]) {
        const read = { ...scripted("files_read", () => answer).tool, origin }
        const { results } = yield* turn(times(6, [["files_read", {}]]), [read])
        assert.include(results[5]?.text, `files_read was not called`)
        assert.notInclude(results[5]?.text, answer.text)
        assert.isNull(results[5]?.origin)
      }
    }))

  it.effect("sends a dead server three calls, however long the model goes on (R34)", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", () => down("files"))
      const { asked, parts, results } = yield* turn(times(90, [["files_read"]]), [read.tool])
      assert.strictEqual(read.sent.length, 3)
      assert.strictEqual(results.length, 90)
      assert.strictEqual(asked.length, 91)
      assert.strictEqual(parts.at(-1)?.type, "finish")
      assert.isBelow(Math.max(...results.map(({ text }) => text.length)), 1000)
    }))

  it.effect("counts the failures of calls that were made at once as one (R34)", () =>
    Effect.gen(function*() {
      const step = (count: number): Step => Array.from({ length: count }, () => ["files_read"] as const)
      const read = scripted("files_read", () => down("files"))
      yield* turn([step(5), step(5), step(5), step(5), step(1)], [read.tool])
      // The first failure of the third answer is the third in a row; the rest of that answer is not sent any more.
      assert.strictEqual(read.sent.length, 5 + 5 + 1)
    }))

  it.effect("begins to count anew after any answer of the server, an error of a tool too (R34)", () =>
    Effect.gen(function*() {
      for (const answer of [ToolResult.success("ok"), error("no such file")]) {
        const read = scripted("files_read", (count) => count % 3 === 0 ? answer : down("files"))
        const { texts } = yield* turn(times(12, [["files_read"]]), [read.tool])
        assert.strictEqual(read.sent.length, 12)
        assert.isFalse(texts.some((text) => text.includes("not called")))
      }
    }))

  it.effect("says nothing against a server for arguments that cannot be used (R34)", () =>
    Effect.gen(function*() {
      const bad = ToolResult.failure("bad arguments", { fault: "call" })
      const read = scripted("files_read", (count) => count === 3 ? bad : down("files"))
      yield* turn(times(5, [["files_read"]]), [read.tool])
      assert.strictEqual(read.sent.length, 4, "two failures before it and one after it are three")
    }))

  it.effect("leaves other servers and built-in tools alone, and tries again in the next turn (R34)", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", () => down("files"))
      const search = scripted("web_search", () => ToolResult.success("found"))
      const grep = { ...tool("grep", () => Effect.succeed(down("grep"))), server: null }
      const steps: ReadonlyArray<Step> = times(5, [["files_read"], ["web_search"], ["grep"]])
      const first = yield* turn(steps, [read.tool, search.tool, grep])
      assert.strictEqual(read.sent.length, 3)
      assert.strictEqual(search.sent.length, 5)
      assert.strictEqual(first.texts.filter((text) => text === down("grep").text).length, 5)
      yield* turn(steps, [read.tool, search.tool, grep])
      assert.strictEqual(read.sent.length, 6)
    }))

  it.effect("lets a server that was started again be tried once more, and once only (R34)", () =>
    Effect.gen(function*() {
      const lives = ["a", "a", null, "b", "b", "c", "d"]
      let step = 0
      const read = scripted("files_read", () => down("files"))
      const tick = tool("tick", () => Effect.sync(() => ToolResult.success(`${++step}`)))
      const steps = times(8, [["files_read"], ["tick"]])
      const { texts } = yield* turn(steps, [read.tool, { ...tick, server: null }], () => lives[step] ?? "z")
      assert.strictEqual(read.sent.length, 3 + 1)
      assert.strictEqual(texts.filter((text) => text.includes("not called")).length, 4)
      let life = "a"
      const back = scripted("files_read", (count) => count <= 3 ? down("files") : ToolResult.success("here again"))
      const restart = tool("restart", () => Effect.sync(() => ToolResult.success(life = "b")))
      const after = yield* turn(
        [...times(3, [["files_read"]]), [["restart"]], ...times(3, [["files_read"]])],
        [back.tool, { ...restart, server: null }],
        () => life
      )
      assert.deepStrictEqual(after.texts.slice(4), ["here again", "here again", "here again"])
    }))

  it.effect("answers the very same call here after the same error five times, and no other (R34)", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", () => error("no such file"))
      const same = { path: "a", limit: 1 }
      const turned = { limit: 1, path: "a" }
      const steps = Array.from({ length: 6 }, (_, at): Step => [["files_read", at % 2 === 0 ? same : turned]])
      const { texts } = yield* turn([...steps, [["files_read", { path: "b" }]]], [read.tool])
      assert.strictEqual(read.sent.length, 6)
      assert.strictEqual(
        texts[5],
        "files_read was not called: this very call failed 5 times in this turn with the same error. Do not retry it with " +
          "these arguments in this turn. Change them, use another tool, or go on without it."
      )
      assert.strictEqual(texts[6], "no such file")
    }))

  it.effect("answers it after three times when the arguments cannot be used: that will not change", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", () => ToolResult.failure("path is required", { fault: "call" }))
      yield* turn(times(6, [["files_read", {}]]), [read.tool])
      assert.strictEqual(read.sent.length, 3)
    }))

  it.effect("lets a tool be asked again for as long as others work in between: they may change its answer", () =>
    Effect.gen(function*() {
      const poll = scripted("jobs_status", (count) => count < 9 ? error("not ready yet") : ToolResult.success("ready"))
      const { texts } = yield* turn(
        Array.from({ length: 9 }, (): ReadonlyArray<Step> => [[["jobs_status", { id: 1 }]], [["clock_wait"]]]).flat(),
        [poll.tool, tool("clock_wait")]
      )
      assert.strictEqual(poll.sent.length, 9)
      assert.include(texts, "ready")
    }))

  it.effect("goes on with a call that fails differently each time, or works in between", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", (count) => error(`attempt ${count}`))
      const list = scripted("files_list", (count) => count % 3 === 0 ? ToolResult.success("ok") : error("busy"))
      yield* turn(times(9, [["files_read", {}], ["files_list", {}]]), [read.tool, list.tool])
      assert.deepStrictEqual([read.sent.length, list.sent.length], [9, 9])
    }))

  it.effect("counts what cannot be compared as one, and never breaks on it", () =>
    Effect.gen(function*() {
      const read = scripted("files_read", () => ToolResult.success("ok"))
      const { texts } = yield* turn([[["files_read", 1n]], [["files_read", "{\"half"]]], [read.tool])
      assert.deepStrictEqual(texts, ["ok", "ok"])
    }))
})

describe("A turn with tools of servers", () => {
  const fails = (reason: McpErrors.McpErrorReason) => Effect.fail(new McpError({ server: "files", reason }))
  const answered: CallResult = {
    content: [{ type: "text", text: "disk full" }],
    structuredContent: null,
    isError: true,
    millis: 1
  }

  const FAILURES = [
    ["isError of the tool", "tool", Effect.succeed(answered), "disk full"],
    [
      "a JSON-RPC error",
      "tool",
      fails(new McpErrors.RequestFailed({ method: "tools/call", code: -32602, detail: "path is required" })),
      "path is required"
    ],
    [
      "a timeout",
      "server",
      fails(new McpErrors.CallTimeout({ tool: "files_read", limitMillis: 60_000, limit: "timeout" })),
      "60 s"
    ],
    [
      "transport loss before",
      "server",
      fails(new McpErrors.ConnectionLost({ detail: "read ECONNRESET" })),
      "ECONNRESET"
    ],
    [
      "transport loss after",
      "server",
      fails(new McpErrors.OutcomeUnknown({ tool: "files_read", why: "the connection was lost" })),
      "the connection was lost"
    ],
    [
      "an answer that cannot be read",
      "server",
      fails(
        new McpErrors.ConnectionLost({
          detail: "it is no JSON-RPC message",
          unsent: false,
          happened: "its answer could not be used"
        })
      ),
      "its answer could not be used: it is no JSON-RPC message"
    ],
    [
      "a server that ended",
      "server",
      fails(new McpErrors.Exited({ during: "tools/call", exitCode: 3, signal: null, stderr: "out of memory" })),
      "out of memory"
    ],
    ["a mistake of ours", "tool", Effect.die(new Error("boom")), "an unexpected error here"]
  ] as const

  it.effect.each(FAILURES)(
    "goes on after %s, with the real words as an error result (R32)",
    ([, fault, outcome, words]) =>
      Effect.gen(function*() {
        const declared = mcpTool("files", "read")
        const world = registry({
          servers: [],
          tools: [declared],
          warnings: [],
          settled: Effect.void,
          call: () => outcome
        })
        const tools = yield* McpToolkit.agentTools([declared]).pipe(Effect.provide(Layer.merge(world, files())))
        const [first] = tools
        assert.strictEqual((yield* first?.run({}) ?? Effect.die("no tool")).fault, fault)
        const { asked, parts, results } = yield* turn([[["files_read", {}]]], tools)
        assert.isTrue(results[0]?.isError)
        assert.include(results[0]?.text, words)
        const sent = asked[1]?.prompt.content.at(-1)
        const [part] = sent?.role === "tool" ? sent.content : []
        assert.isTrue(part?.type === "tool-result" && part.isFailure && String(part.result).includes(words))
        assert.deepStrictEqual(parts.slice(-2).map(({ type }) => type), ["text-delta", "finish"])
      })
  )
})
