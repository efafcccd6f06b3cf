import {
  type CallProgress,
  type CallResult,
  McpError,
  type McpErrorReason,
  McpErrors,
  type McpTool
} from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as AiTool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { ask } from "../examples/Agent.ts"
import { McpToolkit } from "../src/index.ts"
import * as Marks from "./support/Marks.ts"
import { MemoryFiles } from "./support/MemoryFiles.ts"
import { answer, layer, tool } from "./support/ScriptedRegistry.ts"

type Outcome = Effect.Effect<CallResult, McpError>

const world = (tools: ReadonlyArray<McpTool>, call: (name: string, args: unknown) => Outcome) =>
  Layer.mergeAll(layer(tools, call), new MemoryFiles().layer)

const fails = (reason: McpErrorReason): Outcome => Effect.fail(new McpError({ server: "files", reason }))

const runOne = (declared: McpTool, outcome: (args: unknown) => Outcome, args: unknown = {}) =>
  Effect.gen(function*() {
    const [first] = yield* McpToolkit.agentTools([declared])
    return yield* first?.run(args) ?? Effect.die("no tool")
  }).pipe(Effect.provide(world([declared], (_, sent) => outcome(sent))))

const call = (toolkit: McpToolkit.ModelToolkit, name: string, args: unknown) =>
  toolkit.handle(name, args).pipe(Stream.unwrap, Stream.runCollect, Effect.map((results) => results[0]))

const usage = {
  inputTokens: { total: 1, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined }
}

const modelThatCalls = (calls: ReadonlyArray<readonly [name: string, params: unknown]>) => {
  const parts: Array<Response.PartEncoded> = calls.map(([name, params], index) => ({
    type: "tool-call",
    id: `call-${index}`,
    name,
    params,
    providerExecuted: false
  }))
  const finish: Response.PartEncoded = { type: "finish", reason: "tool-calls", response: undefined, usage }
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.succeed([...parts, finish]),
      streamText: () => Stream.die("not asked for")
    })
  )
}

describe("McpToolkit.agentTools", () => {
  it.effect("keeps name, server, description and schema", () =>
    Effect.gen(function*() {
      const declared = tool("files", "read", { inputSchema: { type: "object" } })
      const tools = yield* McpToolkit.agentTools([declared, tool("files", "list", { description: null })])
      assert.deepInclude(tools[0], {
        name: "files_read",
        server: "files",
        description: "does read",
        inputSchema: { type: "object" }
      })
      assert.strictEqual(tools[1]?.description, "")
    }).pipe(Effect.provide(world([], () => Effect.succeed(answer())))))

  it.effect("sends {} for arguments that are missing, null or empty, and an object for its text (R57, R58)", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const record = (args: unknown) => Effect.sync(() => (sent.push(args), answer()))
      for (const args of [undefined, null, "", {}, "{\"a\":1}"]) yield* runOne(tool("files", "read"), record, args)
      assert.deepStrictEqual(sent, [{}, {}, {}, {}, { a: 1 }])
    }))

  it.effect("repairs arguments as the declared schema wants them (Decision 9, R58, R59)", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const properties = { paths: { type: "array" }, limit: { type: "integer" } }
      const declared = tool("files", "read", { inputSchema: { type: "object", properties } })
      yield* runOne(declared, (args) => Effect.sync(() => (sent.push(args), answer())), {
        paths: "[\"a\"]",
        limit: null
      })
      assert.deepStrictEqual(sent, [{ paths: ["a"] }])
    }))

  it.effect("answers bad arguments with an error result and sends nothing", () =>
    Effect.gen(function*() {
      const result = yield* runOne(tool("files", "read"), () => Effect.die("sent"), "{\"a\" 1}")
      assert.isTrue(result.isError)
      assert.match(
        result.text,
        /^files_read \(tool read of MCP server files\) failed: bad arguments for files_read: not JSON at line 1, column 6/
      )
      assert.match(result.text, /a colon/)
    }))

  it.effect("gives a tool's own error to the model as an error result (R32)", () =>
    Effect.gen(function*() {
      const content = [{ type: "text", text: "no such file" }]
      const result = yield* runOne(tool("files", "read"), () => Effect.succeed(answer({ isError: true, content })))
      assert.isTrue(result.isError)
      assert.strictEqual(result.text, "no such file")
    }))

  const ABOUT_THE_CALL: ReadonlyArray<McpErrorReason> = [
    new McpErrors.RequestFailed({ method: "tools/call", code: -32602, detail: "path is required" }),
    new McpErrors.CallTimeout({ tool: "files_read", limitMillis: 60_000, limit: "timeout" }),
    new McpErrors.OutcomeUnknown({ tool: "files_read", why: "the connection was lost" }),
    new McpErrors.MessageTooLarge({ bytes: 20_000_000, limitBytes: 16_777_216 }),
    new McpErrors.RejectedByPolicy({ tool: "files_read", why: "declares itself not read-only" }),
    new McpErrors.UnknownTool({ name: "files_read", nearest: ["files_reads"] }),
    new McpErrors.ToolsChanged({ server: "files", tool: "read", detail: "its description changed" })
  ]

  it.effect.each(ABOUT_THE_CALL)(
    "names server, tool, message and hint when a call fails with $_tag (R32, R33)",
    (reason) =>
      Effect.gen(function*() {
        const result = yield* runOne(tool("files", "read"), () => fails(reason))
        assert.isTrue(result.isError)
        assert.strictEqual(
          result.text,
          `files_read (tool read of MCP server files) failed: ${reason.message}; ${reason.hint}`
        )
      })
  )

  it.effect("does not blame the server for a changed tool that a person has not approved", () =>
    Effect.gen(function*() {
      const reason = new McpErrors.ToolsChanged({ server: "files", tool: "read", detail: "its description changed" })
      const result = yield* runOne(tool("files", "read"), () => fails(reason))
      assert.strictEqual(result.fault, "call")
    }))

  const UNREACHABLE: ReadonlyArray<McpErrorReason> = [
    new McpErrors.NotReady({ state: "failed", why: "command not found: mcp-files" }),
    new McpErrors.ConnectionLost({ detail: "read ECONNRESET" }),
    new McpErrors.Exited({ during: "tools/call", exitCode: 3, signal: null, stderr: "out\nof memory" }),
    new McpErrors.HttpStatus({ method: "tools/call", code: 503, detail: "down" }),
    new McpErrors.AuthRejected({ code: 401 })
  ]

  it.effect.each(UNREACHABLE)(
    "says in one line that a server is unreachable, and why: $_tag (Decision 10, R33)",
    (reason) =>
      Effect.gen(function*() {
        const result = yield* runOne(tool("files", "read"), () => fails(reason))
        assert.isTrue(result.isError)
        assert.match(result.text, /^MCP server unreachable: files \(calling read: .+\)$/)
        assert.include(result.text, reason.message)
        assert.include(result.text, reason.hint)
      })
  )

  it.effect("bounds what a server says about its error (R33)", () =>
    Effect.gen(function*() {
      const reason = new McpErrors.RequestFailed({ method: "tools/call", code: 1, detail: "é".repeat(1_000_000) })
      const result = yield* runOne(tool("files", "read"), () => fails(reason))
      assert.isBelow(result.text.length, 10_000)
    }))

  it.effect("answers a mistake of ours with an error result that hides its details (R32)", () =>
    Effect.gen(function*() {
      const result = yield* runOne(tool("files", "read"), () => Effect.die(new Error("secret-path")))
      assert.isTrue(result.isError)
      assert.include(result.text, "files_read (tool read of MCP server files) failed: an unexpected error")
      assert.notInclude(result.text, "secret-path")
    }))

  it.effect("cuts results at the limit of the server's entry (R35)", () =>
    Effect.gen(function*() {
      const content = [{ type: "text", text: "a".repeat(5000) }]
      const result = yield* runOne(
        tool("files", "read", { maxResultBytes: 1000 }),
        () => Effect.succeed(answer({ content }))
      )
      assert.isAtMost(result.text.length, 1000)
      assert.strictEqual(result.truncated?.bytes, 5000)
    }))

  it.effect("passes progress on, in order", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      const steps = layer([], (_name, _args, options) =>
        Effect.forEach([1, 2, 3], (progress) =>
          options?.onProgress?.({ progress, total: 3, message: null }) ?? Effect.void).pipe(Effect.as(answer())))
      const [first] = yield* McpToolkit.agentTools([tool("files", "read")]).pipe(
        Effect.provide([steps, new MemoryFiles().layer])
      )
      const onProgress = ({ progress }: CallProgress) =>
        Effect.sync(() =>
          void seen.push(progress)
        )
      yield* first?.run({}, { onProgress }) ?? Effect.void
      assert.deepStrictEqual(seen, [1, 2, 3])
    }))

  it.effect("cancels the call when it is interrupted (R30)", () =>
    Effect.gen(function*() {
      let cancelled = false
      const started = yield* Deferred.make<void>()
      const forever = Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.sync(() => void (cancelled = true)))
      )
      const fiber = yield* Effect.forkChild(runOne(tool("files", "read"), () => forever))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(cancelled)
    }))
})

describe("McpToolkit.toolkit", () => {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } }
  const tools = [tool("files", "read", { inputSchema }), tool("files", "list"), tool("web", "search")]
  const answers = world(tools, (name, args) =>
    name === "web_search"
      ? fails(new McpErrors.NotReady({ state: "failed", why: "it exited" }))
      : Effect.succeed(answer({ content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }] })))

  it.effect("defines each tool in the dialect of openai, not strict, unless told (R59)", () =>
    Effect.gen(function*() {
      const definition = Effect.fnUntraced(function*(settings?: Parameters<typeof McpToolkit.forAgent>[1]) {
        const toolkit = yield* McpToolkit.forAgent(undefined, settings)
        assert.deepStrictEqual(Object.keys(toolkit.tools), ["files_read", "files_list", "web_search"])
        const read = toolkit.tools["files_read"] ?? assert.fail("no files_read")
        assert.strictEqual(AiTool.getDescription(read), "does read")
        return { schema: AiTool.getJsonSchema(read), isStrict: Context.get(read.annotations, AiTool.Strict) }
      })
      assert.deepStrictEqual(yield* definition(), { schema: inputSchema, isStrict: false })
      assert.deepStrictEqual(yield* definition({ dialect: "raw" }), { schema: inputSchema, isStrict: false })
      const strict = yield* definition({ dialect: "openai-strict" })
      assert.isTrue(strict.isStrict)
      assert.deepInclude(strict.schema, { additionalProperties: false, required: ["path"] })
    }).pipe(Effect.provide(answers)))

  it.effect("leaves out a tool that no model could be told about, and it alone, and says why (R8)", () =>
    Effect.gen(function*() {
      const long = { type: "string", description: "x".repeat(100) }
      const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`p${at}`, long]))
      const huge = { type: "object", properties }
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      const toolkit = yield* McpToolkit.forAgent(undefined).pipe(
        Effect.provide([world([...tools, tool("web", "bomb", { inputSchema: huge })], () => Effect.die("called"))]),
        Effect.provide(Logger.layer([logger]))
      )
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["files_read", "files_list", "web_search"])
      assert.deepInclude(toolkit.unspeakable[0], { name: "web_bomb", server: "web" })
      assert.match(String(logged), /web_bomb of web was left out: its schema holds more than 5000 objects/)
    }))

  it.effect("offers what the patterns allow and no more (R50)", () =>
    Effect.gen(function*() {
      const toolkit = yield* McpToolkit.forAgent(["files_list"])
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["files_list"])
      const denied = yield* call(toolkit, "files_read", {})
      assert.isTrue(denied?.isFailure)
    }).pipe(Effect.provide(answers)))

  it.effect("answers a call with the text of its result (R61)", () =>
    Effect.gen(function*() {
      const result = yield* call(yield* McpToolkit.forAgent(undefined), "files_read", { path: "a" })
      const text = String(result?.result)
      assert.strictEqual(
        Marks.unnumbered(text),
        "<tool_result server=\"files\" tool=\"read\" trusted=\"yes\">\nfiles_read {\"path\":\"a\"}\n</tool_result>"
      )
      assert.deepStrictEqual(result, {
        result: text,
        encodedResult: text,
        isFailure: false,
        preliminary: false
      })
    }).pipe(Effect.provide(answers)))

  it.effect("answers failures and invented names as failed results, never as a failed stream (R32)", () =>
    Effect.gen(function*() {
      const toolkit = yield* McpToolkit.forAgent(undefined)
      const dead = yield* call(toolkit, "web_search", {})
      assert.isTrue(dead?.isFailure)
      assert.include(String(dead?.encodedResult), "MCP server unreachable: web (")
      const invented = yield* call(toolkit, "files_reed", {})
      assert.isTrue(invented?.isFailure)
      assert.strictEqual(invented?.encodedResult, "no tool is called files_reed; did you mean files_read?")
      const strange = yield* call(toolkit, "zzzzzzzzzzzz", {})
      const advice = "no tool is called zzzzzzzzzzzz; use only the tools you were given"
      assert.strictEqual(strange?.encodedResult, advice, "a model cannot list tools")
      for (const name of ["constructor", "__proto__", "toString", ""]) {
        assert.isTrue((yield* call(toolkit, name, {}))?.isFailure)
      }
    }).pipe(Effect.provide(answers)))

  it.effect("works with a model from prompt to results, as the example in the README does (R32)", () =>
    Effect.gen(function*() {
      const { results } = yield* ask("read a", ["files_read"]).pipe(
        Effect.provide(modelThatCalls([["files_read", { path: "a" }], ["files_write", {}], ["files_read", "nonsense"]]))
      )
      assert.deepStrictEqual(results.map(({ isFailure }) => isFailure), [false, true, true])
      assert.include(String(results[0]?.encodedResult), "files_read {\"path\":\"a\"}")
      assert.include(String(results[1]?.encodedResult), "no tool is called files_write")
      assert.include(String(results[2]?.encodedResult), "not JSON at line 1, column 1")
    }).pipe(Effect.provide(answers)))
})
