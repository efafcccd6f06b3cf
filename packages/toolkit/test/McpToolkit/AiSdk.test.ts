import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { type CallProgress, McpError, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import { generateText, isStepCount, type LanguageModel, streamText, type ToolSet } from "ai"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ask } from "../../examples/AiSdk.ts"
import { AiSdkTools } from "../../src/ai-sdk/index.ts"
import { type AgentTool, Approval, ToolResult } from "../../src/index.ts"
import { scripted, type Step, toldLast } from "../support/AiModel.ts"
import { heldTool } from "../support/HeldTool.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import { answer, layer, tool } from "../support/ScriptedRegistry.ts"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const stopWhen = isStepCount(5)

const files = new MemoryFiles().layer

/** The whole way of one request: the model's calls, the tools, and what the model then reads. */
const generate = Effect.fnUntraced(function*(
  tools: ReadonlyArray<AgentTool>,
  steps: ReadonlyArray<Step>,
  settings: Parameters<typeof AiSdkTools.make>[1] = {},
  abortSignal?: AbortSignal
) {
  const model = scripted(steps)
  const made = yield* AiSdkTools.make(tools, settings).pipe(Effect.provide(files))
  const result = yield* Effect.promise(() =>
    generateText({ model, tools: made, prompt: "go", stopWhen, ...(abortSignal ? { abortSignal } : {}) })
  )
  return { model, told: toldLast(model), result }
})

const progress = (count: number): CallProgress => ({ progress: count, total: 3, message: "reading" })

const hangs = (started: Deferred.Deferred<void>, cancelled: { value: boolean }): AgentTool["run"] => () =>
  Effect.onInterrupt(
    Effect.andThen(Deferred.succeed(started, undefined), Effect.never),
    () => Effect.sync(() => void (cancelled.value = true))
  )

const collect = async <A>(parts: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const collected: Array<A> = []
  for await (const part of parts) collected.push(part)
  return collected
}

/** What one call gives the SDK, from its first progress to its result. */
const outputs = (tools: ToolSet, name: string, abortSignal?: AbortSignal) =>
  Effect.promise(async () => {
    const all = await collect<unknown>(tools[name]?.execute?.({}, { ...CALL, ...(abortSignal ? { abortSignal } : {}) }))
    return all.map((output) => AiSdkTools.isToolOutput(output) ? output : assert.fail("not a ToolOutput"))
  })

const CALL = { toolCallId: "1", messages: [], context: {} }

const isReleased = () => {
  const state = { value: false }
  const release = Effect.sync(() => void (state.value = true))
  return { state, layer: Layer.effectDiscard(Effect.acquireRelease(Effect.void, () => release)) }
}

describe("AiSdkTools.make", () => {
  it.effect("gives the model each tool with its description and schema, and says which server it is of", () =>
    Effect.gen(function*() {
      const inputSchema = { type: "object", properties: { path: { type: "string" } } }
      const tool = { ...heldTool("files_read").tool, inputSchema }
      const { model } = yield* generate([tool], ["hello"], { dialect: "openai-strict" })
      const [given] = model.doGenerateCalls[0]?.tools ?? []
      assert.strictEqual(given?.type, "function")
      assert.deepInclude(given, { name: "files_read", description: "does read", strict: true })
      const plain = (yield* generate([tool], ["hello"])).model.doGenerateCalls[0]?.tools?.[0]
      assert.deepInclude(plain, { inputSchema, strict: false })
      const made = yield* Effect.provide(AiSdkTools.make([tool]), files)
      assert.deepStrictEqual(made["files_read"]?.metadata, { server: "files", tool: "read" })
    }))

  it.effect("answers calls side by side, each by its own result", () =>
    Effect.gen(function*() {
      const both = yield* Deferred.make<void>()
      let running = 0
      const { tool } = heldTool("files_read", (args) =>
        Effect.gen(function*() {
          if (++running === 2) yield* Deferred.succeed(both, undefined)
          yield* Deferred.await(both)
          return ToolResult.success(JSON.stringify(args))
        }))
      const calls: Step = [["1", "files_read", "{\"path\":\"a\"}"], ["2", "files_read", "{\"path\":\"b\"}"]]
      const { result, told } = yield* generate([tool], [calls, "done"])
      assert.deepStrictEqual(told, [
        { id: "1", type: "text", value: "{\"path\":\"a\"}" },
        { id: "2", type: "text", value: "{\"path\":\"b\"}" }
      ])
      assert.strictEqual(result.text, "done")
    }))

  it.effect("gives errors, unknown names and bad JSON to the model as errors, and the run goes on (R32)", () =>
    Effect.gen(function*() {
      const { tool: own } = heldTool("files_read", () => Effect.succeed(ToolResult.failure("no such file")))
      const { tool: broken } = heldTool("files_break", () => Effect.die(new Error("secret-path")))
      const calls: Step = [
        ["1", "files_read", "{}"],
        ["2", "files_break", ""],
        ["3", "files_reed", "{}"],
        ["4", "files_read", "{\"a\" 1}"]
      ]
      const { result, told } = yield* generate([own, broken], [calls, "sorry"])
      assert.deepStrictEqual(told.map(({ id, type }) => [id, type]), [
        ["1", "error-text"],
        ["2", "error-text"],
        ["3", "error-text"],
        ["4", "error-text"]
      ])
      assert.deepInclude(told[0], { value: "{error: true}\nno such file" })
      assert.include(JSON.stringify(told[1]), "files_break failed: an unexpected error")
      assert.notInclude(JSON.stringify(told), "secret-path")
      assert.strictEqual(result.text, "sorry")
    }))

  it.effect("streams progress as preliminary results, at most one in 200 ms, and the result last", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const { tool } = heldTool("files_read", (_args, options) => {
        const report = (count: number) => options?.onProgress?.(progress(count)) ?? Effect.void
        return Effect.gen(function*() {
          for (const count of [1, 2, 3]) yield* report(count)
          yield* Deferred.succeed(started, undefined)
          yield* Effect.sleep("1 second")
          return ToolResult.success("all of it")
        })
      })
      const model = scripted([[["1", "files_read", "{}"]], "done"])
      const tools = yield* Effect.provide(AiSdkTools.make([tool]), files)
      const { fullStream } = streamText({ model, tools, prompt: "go", stopWhen })
      const fiber = yield* Effect.forkChild(Effect.promise(() => collect(fullStream)))
      yield* Deferred.await(started)
      yield* TestClock.adjust("200 millis")
      yield* TestClock.adjust("800 millis")
      const results = (yield* Fiber.join(fiber)).flatMap((part) => part.type === "tool-result" ? [part] : [])
      assert.deepStrictEqual(
        results.map(({ output, preliminary }) => [preliminary, Object(output).type, Object(output).text]),
        [
          [true, "progress", "1 of 3: reading"],
          [true, "progress", "3 of 3: reading"],
          [true, "result", "all of it"],
          [undefined, "result", "all of it"]
        ]
      )
      assert.deepStrictEqual(toldLast(model), [{ id: "1", type: "text", value: "all of it" }])
    }))

  it.effect("cancels the call when the request is aborted, and makes none after that (R30)", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const cancelled = { value: false }
      const { sent, tool } = heldTool("files_read", hangs(started, cancelled))
      const controller = new AbortController()
      const request = generate([tool], [[["1", "files_read", "{}"]], "done"], {}, controller.signal)
      const fiber = yield* Effect.forkChild(Effect.exit(request), { startImmediately: true })
      yield* Deferred.await(started)
      controller.abort("a secret of the program")
      yield* Fiber.join(fiber)
      assert.isTrue(cancelled.value)

      const tools = yield* Effect.provide(AiSdkTools.make([tool]), files)
      const [late] = yield* outputs(tools, "files_read", controller.signal)
      assert.deepInclude(late, { isError: true, text: "files_read was cancelled: the request was aborted" })
      const [slow] = yield* outputs(tools, "files_read", AbortSignal.abort(new DOMException("", "TimeoutError")))
      assert.deepInclude(slow, { isError: true, text: "files_read was cancelled: its time is over" })
      assert.strictEqual(sent.length, 1)
    }))

  it.effect("cancels the call when the SDK stops reading it (R30)", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const cancelled = { value: false }
      const { tool } = heldTool("files_read", (args, options) =>
        Effect.andThen(options?.onProgress?.(progress(1)) ?? Effect.void, hangs(started, cancelled)(args)))
      const tools = yield* Effect.provide(AiSdkTools.make([tool]), files)
      yield* Effect.promise(async () => {
        const execute = tools["files_read"]?.execute ?? assert.fail("no files_read")
        for await (const _ of execute({}, CALL)) {
          break
        }
      })
      assert.isTrue(cancelled.value)
    }))

  it.effect("ends a call at its time limit with an error that says so, and cancels it (R30)", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const cancelled = { value: false }
      const { tool } = heldTool("files_read", hangs(started, cancelled))
      const request = generate([tool], [[["1", "files_read", "{}"]], "done"], { maxTotalTimeout: "5 seconds" })
      const fiber = yield* Effect.forkChild(request, { startImmediately: true })
      yield* Deferred.await(started)
      yield* TestClock.adjust("5 seconds")
      const { result, told } = yield* Fiber.join(fiber)
      assert.isTrue(cancelled.value)
      assert.include(JSON.stringify(told), "files_read failed: it was not done after 5 s and was cancelled")
      assert.strictEqual(result.text, "done")
    }))

  it.effect("says how long a server may be silent", () =>
    Effect.gen(function*() {
      const limits: Array<unknown> = []
      const { tool } = heldTool("files_read", (_args, options) =>
        Effect.sync(() => (limits.push(String(options?.timeout)), ToolResult.success("done"))))
      yield* generate([tool], [[["1", "files_read", "{}"]], "done"], { timeout: "5 seconds" })
      yield* generate([tool], [[["1", "files_read", "{}"]], "done"])
      assert.deepStrictEqual(limits, ["5000 millis", "undefined"])
    }))

  it.effect("asks by its hook while the call waits: two calls of one tool are two requests (R106)", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const seen: Array<Approval.Request> = []
      const decide = (request: Approval.Request) =>
        Effect.sync(() => (seen.push(request), request.args["path"] === "a" ? Approval.approve : Approval.deny("no b")))
      const calls: Step = [["1", "files_write", "{\"path\":\"a\"}"], ["2", "files_write", "{\"path\":\"b\"}"]]
      const { told } = yield* generate([tool], [calls, "done"], { approval: { ask: ["files_write"], decide } })
      assert.deepStrictEqual(told, [
        { id: "1", type: "text", value: "done" },
        {
          id: "2",
          type: "error-text",
          value: "{error: true}\nfiles_write was not called: the person who was asked said no: no b"
        }
      ])
      assert.deepStrictEqual(seen.map(({ callId }) => callId), ["1", "2"])
      assert.strictEqual(new Set(seen.map(({ id }) => id)).size, 2)
      assert.deepStrictEqual(sent, [{ path: "a" }])
    }))

  it.effect("leaves asking to the SDK for the tools that needsApproval names (R106)", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const { sent: read, tool: reading } = heldTool("files_read")
      const calls: Step = [["1", "files_write", "{}"], ["2", "files_write", "{}"], ["3", "files_read", "{}"]]
      const { result } = yield* generate([tool, reading], [calls, "done"], { needsApproval: ["*", "!*_read"] })
      const requests = result.content.flatMap((part) => part.type === "tool-approval-request" ? [part] : [])
      assert.deepStrictEqual(requests.map(({ toolCall }) => toolCall.toolCallId), ["1", "2"])
      assert.strictEqual(new Set(requests.map(({ approvalId }) => approvalId)).size, 2)
      assert.deepStrictEqual([sent.length, read.length], [0, 1])
    }))

  it.effect("gives images to models that see, and their line to those that do not (R61)", () =>
    Effect.gen(function*() {
      const image = { type: "image", mimeType: "image/jpeg", data: PNG }
      const bad = { type: "image", mimeType: "image/png", data: "AAAA" }
      const { tool } = heldTool("files_show", () =>
        Effect.succeed({ ...ToolResult.success("a picture"), content: [image, bad] }))
      const steps: ReadonlyArray<Step> = [[["1", "files_show", "{}"]], "nice"]
      const seen = yield* generate([tool], steps)
      // Through JSON, as the SDK writes out what is undefined.
      assert.deepStrictEqual(JSON.parse(JSON.stringify(seen.told)), [{
        id: "1",
        type: "content",
        value: [
          { type: "text", text: "a picture\n[an image was left out: its data is no PNG, JPEG, GIF or WebP]" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } }
        ]
      }])
      const blind = yield* generate([tool], steps, { images: false })
      assert.deepStrictEqual(blind.told, [{ id: "1", type: "text", value: "a picture" }])
    }))

  it.effect("gives outputs that are JSON, so that they can be stored and sent to a page", () =>
    Effect.gen(function*() {
      const { tool } = heldTool("files_read")
      const { result } = yield* generate([tool], [[["1", "files_read", "{}"]], "done"])
      const [output] = result.steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))
      assert.isTrue(AiSdkTools.isToolOutput(output))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(output)), output)
    }))
})

/** A provider that answers these in turn, and the bodies that it was sent. */
const answering = (answers: ReadonlyArray<object>) => {
  const sent: Array<Record<string, ReadonlyArray<Record<string, unknown>>>> = []
  const fetch: typeof globalThis.fetch = (_, init) => {
    sent.push(JSON.parse(String(init?.body)))
    return Promise.resolve(Response.json(answers[sent.length - 1]))
  }
  return { settings: { apiKey: "none", fetch }, sent }
}

const used = { input_tokens: 1, output_tokens: 1 }

const response = (...output: ReadonlyArray<object>) => ({ id: "r", created_at: 1, model: "m", output, usage: used })

const says = {
  id: "m",
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "done", annotations: [] }]
}

/** The tools that are left to search, with the search of a provider beside them. */
const searching = Effect.fnUntraced(function*(model: LanguageModel, search: ToolSet) {
  const { sent, tool } = heldTool("files_read")
  const always = { ...heldTool("files_list").tool, isAlwaysLoaded: true }
  const made = yield* Effect.provide(AiSdkTools.make([tool, always], { deferLoading: true }), files)
  const { text } = yield* Effect.promise(() =>
    generateText({ model, tools: { ...made, ...search }, prompt: "go", stopWhen })
  )
  return { sent, text }
})

const isDeferred = (body: Record<string, ReadonlyArray<Record<string, unknown>>> | undefined) =>
  Object.fromEntries((body?.["tools"] ?? []).map(({ defer_loading, name, type }) => [name ?? type, defer_loading]))

describe("AiSdkTools.make with deferLoading", () => {
  it.effect("leaves tools to the search of OpenAI, and the call of one that it found is run", () =>
    Effect.gen(function*() {
      const item = { execution: "server", call_id: null, status: "completed" }
      const { sent: bodies, settings } = answering([
        response(
          { ...item, id: "s1", type: "tool_search_call", arguments: { paths: ["files_read"] } },
          { ...item, id: "s2", type: "tool_search_output", tools: [{ type: "function", name: "files_read" }] },
          { id: "c", type: "function_call", call_id: "1", name: "files_read", arguments: "{\"path\":\"a\"}" }
        ),
        response(says)
      ])
      const openai = createOpenAI(settings)
      const { sent, text } = yield* searching(openai("gpt-5.4-mini"), { search: openai.tools.toolSearch() })
      assert.deepStrictEqual(sent, [{ path: "a" }])
      assert.strictEqual(text, "done")
      assert.deepStrictEqual(isDeferred(bodies[0]), {
        files_read: true,
        files_list: undefined,
        tool_search: undefined
      })
    }))

  it.effect("leaves tools to the search of Anthropic", () =>
    Effect.gen(function*() {
      const message = { type: "message", id: "m", role: "assistant", model: "m", usage: used }
      const { sent: bodies, settings } = answering([
        {
          ...message,
          content: [{ type: "tool_use", id: "1", name: "files_read", input: {} }],
          stop_reason: "tool_use"
        },
        { ...message, content: [{ type: "text", text: "done" }], stop_reason: "end_turn" }
      ])
      const anthropic = createAnthropic(settings)
      const search = { search: anthropic.tools.toolSearchBm25_20251119() }
      const { sent, text } = yield* searching(anthropic("claude-sonnet-4-5"), search)
      assert.deepStrictEqual([sent.length, text], [1, "done"])
      assert.deepStrictEqual(isDeferred(bodies[0]), {
        files_read: true,
        files_list: undefined,
        tool_search_tool_bm25: undefined
      })
    }))

  it.effect("leaves those alone that patterns name, and none without the setting", () =>
    Effect.gen(function*() {
      const tools = ["files_read", "web_find"].map((name) => heldTool(name).tool)
      const deferred = Effect.fnUntraced(function*(settings: Parameters<typeof AiSdkTools.make>[1]) {
        const made = yield* Effect.provide(AiSdkTools.make(tools, settings), files)
        return Object.keys(made).filter((name) => made[name]?.providerOptions !== undefined)
      })
      assert.deepStrictEqual(yield* deferred({ deferLoading: ["*", "!files_*"] }), ["web_find"])
      assert.deepStrictEqual(yield* deferred({}), [])
    }))
})

describe("AiSdkTools.open", () => {
  const reads = layer([tool("files", "read"), tool("web", "search")], (name, args) =>
    name === "web_search"
      ? Effect.fail(
        new McpError({ server: "web", reason: new McpErrors.NotReady({ state: "failed", why: "it exited" }) })
      )
      : Effect.succeed(answer({ content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }] })))

  it.effect("runs a program without Effect from prompt to answer, as the example in the README does", () =>
    Effect.gen(function*() {
      const { layer: released, state } = isReleased()
      const servers = Layer.mergeAll(reads, files, released)
      const model = scripted([[["1", "files_read", "{\"path\":\"a\"}"]], "it says a"])
      const text = yield* Effect.promise(() => ask(model, servers, "read a"))
      assert.strictEqual(text, "it says a")
      assert.include(JSON.stringify(toldLast(model)), JSON.stringify("files_read {\"path\":\"a\"}").slice(1, -1))
      assert.isTrue(state.value)
    }))

  it.effect("offers what the patterns allow, as it is now", () =>
    Effect.gen(function*() {
      const mcp = yield* Effect.promise(() => AiSdkTools.open(Layer.merge(reads, files), { patterns: ["web_search"] }))
      assert.deepStrictEqual(Object.keys(mcp.tools), ["web_search"])
      assert.deepStrictEqual(Object.keys(yield* Effect.promise(mcp.current)), ["web_search"])
      yield* Effect.promise(mcp.close)
      yield* Effect.promise(mcp.close)
    }))

  it.effect("ends the calls that run when it is closed, and makes none after that (R30)", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      let isCancelled = false
      let calls = 0
      const hanging = layer([tool("files", "read")], () =>
        Effect.suspend(() => {
          calls++
          return Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => void (isCancelled = true)))))
      const mcp = yield* Effect.promise(() => AiSdkTools.open(Layer.merge(hanging, files)))
      const run = outputs(mcp.tools, "files_read")
      const fiber = yield* Effect.forkChild(run, { startImmediately: true })
      yield* Deferred.await(started)
      yield* Effect.promise(mcp.close)
      assert.isTrue(isCancelled)
      for (const given of [yield* Fiber.join(fiber), yield* run]) {
        assert.strictEqual(given.at(-1)?.text, "files_read was cancelled: the tools were closed")
      }
      assert.strictEqual(calls, 1)
    }))

  const unreadable = Layer.effect(McpRegistry, Effect.fail("no such file: mcp.json"))
  const broken = Layer.effect(
    McpRegistry,
    McpRegistry.useSync((registry) => McpRegistry.of({ ...registry, settled: Effect.die("broken: mcp.json") }))
  ).pipe(Layer.provide(reads))

  it.effect.each([unreadable, broken])(
    "rejects when it cannot be opened, and leaves nothing behind (%#)",
    (registry) =>
      Effect.gen(function*() {
        const { layer: released, state } = isReleased()
        const servers = Layer.provideMerge(registry, Layer.merge(released, files))
        const error = yield* Effect.flip(Effect.tryPromise({ try: () => AiSdkTools.open(servers), catch: String }))
        assert.include(error, "mcp.json")
        assert.isTrue(state.value)
      })
  )
})
