import type { CallOptions, CallResult, McpError } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { watch } from "../../examples/Watch.ts"
import { Approval, McpToolkit, ToolResult } from "../../src/index.ts"
import { heldTool } from "../support/HeldTool.ts"
import * as Marks from "../support/Marks.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import { answer, layer, tool } from "../support/ScriptedRegistry.ts"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const usage = {
  inputTokens: { total: 1, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined }
}

/** Says the same in both ways of asking it. */
const modelThatCalls = (calls: ReadonlyArray<readonly [id: string, name: string, params: unknown]>) => {
  const called = calls.map(([id, name, params]) => ({ type: "tool-call" as const, id, name, params }))
  const finish = { type: "finish" as const, reason: "tool-calls" as const, response: undefined, usage }
  const parts: Array<Response.PartEncoded> = called.map((call) => ({ ...call, providerExecuted: false }))
  const streamed: Array<Response.StreamPartEncoded> = called.map((call) => ({ ...call, providerExecuted: false }))
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.succeed([...parts, finish]),
      streamText: () => Stream.fromIterable([...streamed, finish])
    })
  )
}

type Call = (name: string, args: unknown, options?: CallOptions) => Effect.Effect<CallResult, McpError>

const world = (calls: Parameters<typeof modelThatCalls>[0], call: Call) =>
  Layer.mergeAll(
    modelThatCalls(calls),
    layer([tool("files", "read"), tool("files", "write_all")], call),
    new MemoryFiles().layer
  )

const unnumbered = (result: unknown) => Marks.unnumbered(String(result))

const DONE = "<tool_result server=\"files\" tool=\"read\" trusted=\"yes\">\ndone\n</tool_result>"

const files = new MemoryFiles().layer

const resultsOf = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part) => part.type === "tool-result" ? [part] : [])

describe("McpToolkit in Effect's own loop", () => {
  it.effect("streams progress as preliminary results, at most one in 200 ms, and the result last", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const reports: Call = (_name, _args, options) =>
        Effect.gen(function*() {
          for (const progress of [1, 2, 3]) {
            yield* options?.onProgress?.({ progress, total: 3, message: null }) ?? Effect.void
          }
          yield* Deferred.succeed(started, undefined)
          yield* Effect.sleep("1 second")
          return answer()
        })
      const program = Effect.gen(function*() {
        const toolkit = yield* McpToolkit.forAgent(undefined)
        return yield* Stream.runCollect(LanguageModel.streamText({ prompt: "go", toolkit }))
      })
      const fiber = yield* Effect.forkChild(Effect.provide(program, world([["1", "files_read", {}]], reports)))
      yield* Deferred.await(started)
      yield* TestClock.adjust("200 millis")
      yield* TestClock.adjust("800 millis")
      const parts = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        resultsOf(parts).map(({ encodedResult, preliminary }) => [preliminary, unnumbered(encodedResult)]),
        [[true, "1 of 3"], [true, "3 of 3"], [false, DONE]]
      )
      // What a chat keeps of it is the one result.
      const [said, results] = Prompt.fromResponseParts(parts).content
      assert.strictEqual(said?.role, "assistant")
      assert.strictEqual(results?.content.length, 1)
    }))

  it.effect("keeps the final result alone when the model is asked for its whole answer", () =>
    Effect.gen(function*() {
      const toolkit = yield* McpToolkit.forAgent(undefined)
      const { toolResults } = yield* LanguageModel.generateText({ prompt: "go", toolkit })
      assert.deepStrictEqual(toolResults.map(({ encodedResult, id }) => [id, unnumbered(encodedResult)]), [["1", DONE]])
    }).pipe(Effect.provide(world([["1", "files_read", {}]], (_name, _args, options) =>
      Effect.as(options?.onProgress?.({ progress: 1, total: 3, message: "reading" }) ?? Effect.void, answer())))))

  it.effect("cancels the call when the program that asked is interrupted (R30)", () =>
    Effect.gen(function*() {
      for (const method of ["generateText", "streamText"] as const) {
        const started = yield* Deferred.make<void>()
        let isCancelled = false
        const hangs: Call = () =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => void (isCancelled = true)))
          )
        const program = Effect.gen(function*() {
          const toolkit = yield* McpToolkit.forAgent(undefined)
          return yield* method === "generateText"
            ? LanguageModel.generateText({ prompt: "go", toolkit })
            : Stream.runDrain(LanguageModel.streamText({ prompt: "go", toolkit }))
        }).pipe(Effect.provide(world([["1", "files_read", {}]], hangs)))
        const fiber = yield* Effect.forkChild(program)
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(isCancelled, method)
      }
    }))

  it.effect("asks before a call, each call for itself, as the example in the README does (R106)", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const seen: Array<Approval.Request> = []
      const decide = (request: Approval.Request) =>
        Effect.sync(() => (seen.push(request), request.args["path"] === "a" ? Approval.approve : Approval.deny()))
      const calls = [
        ["1", "files_write_all", { path: "a" }],
        ["2", "files_write_all", { path: "b" }],
        ["3", "files_read", {}]
      ] as const
      const parts = yield* Stream.runCollect(watch("write", decide)).pipe(
        Effect.provide(world(calls, (name, args) => Effect.sync(() => (sent.push([name, args]), answer()))))
      )
      const byId = new Map(resultsOf(parts).map(({ encodedResult, id }) => [id, unnumbered(encodedResult)]))
      assert.deepStrictEqual(Object.fromEntries(byId), {
        1: DONE.replace("read", "write_all"),
        2: "files_write_all was not called: the person who was asked said no",
        3: DONE
      })
      assert.strictEqual(new Set(seen.map(({ id }) => id)).size, 2)
      assert.deepStrictEqual(seen.map(({ callId }) => callId), ["1", "2"])
      assert.strictEqual(sent.length, 2)
    }))

  it.effect("leaves asking to Effect for the tools that needsApproval names, and calls after its yes (R106)", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const toolkit = yield* McpToolkit.toolkit([tool], { needsApproval: ["*_write"] })
      const first = yield* LanguageModel.generateText({ prompt: "write", toolkit })
      const requests = first.content.flatMap((part) => part.type === "tool-approval-request" ? [part] : [])
      assert.deepStrictEqual(requests.map(({ toolCallId }) => toolCallId), ["1", "2"])
      assert.deepStrictEqual(sent, [])
      const [one, two] = requests
      if (one === undefined || two === undefined) assert.fail("two calls, two requests")
      assert.notStrictEqual(one.approvalId, two.approvalId)
      const answers = Prompt.toolMessage({
        content: [
          Prompt.toolApprovalResponsePart({ approvalId: one.approvalId, approved: true }),
          Prompt.toolApprovalResponsePart({ approvalId: two.approvalId, approved: false, reason: "not b" })
        ]
      })
      const prompt = Prompt.concat(
        Prompt.concat(Prompt.make("write"), Prompt.fromResponseParts(first.content)),
        Prompt.fromMessages([answers])
      )
      const second = yield* LanguageModel.generateText({ prompt, toolkit })
      assert.deepStrictEqual(sent, [{ path: "a" }])
      assert.deepStrictEqual(second.toolResults.map(({ id, isFailure }) => [id, isFailure]), [["1", false], [
        "2",
        true
      ]])
    }).pipe(Effect.provide([
      modelThatCalls([["1", "files_write", { path: "a" }], ["2", "files_write", { path: "b" }]]),
      files
    ])))
})

describe("McpToolkit.toolkit with settings", () => {
  const one = (settings: Parameters<typeof McpToolkit.toolkit>[1], held: ReturnType<typeof heldTool>) =>
    Effect.gen(function*() {
      const toolkit = yield* McpToolkit.toolkit([held.tool], settings)
      const results = yield* toolkit.handle(held.tool.name, {}, "1").pipe(Stream.unwrap, Stream.runCollect)
      return results.at(-1) ?? assert.fail("no result")
    }).pipe(Effect.provide(files))

  it.effect("ends a call at its time limit with a failure that says so, and cancels it (R30)", () =>
    Effect.gen(function*() {
      let isCancelled = false
      const hangs = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isCancelled = true)))
      const fiber = yield* Effect.forkChild(one({ maxTotalTimeout: "5 seconds" }, heldTool("files_read", () => hangs)))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const result = yield* Fiber.join(fiber)
      assert.isTrue(result.isFailure)
      assert.include(String(result.encodedResult), "files_read failed: it was not done after 5 s and was cancelled")
      assert.isTrue(isCancelled)
    }))

  it.effect("R73: leaves out what its server's entry wants asked, with the reason, unless somebody asks", () =>
    Effect.gen(function*() {
      const { sent, tool } = heldTool("files_write")
      const asks = { ...tool, needsApproval: true, annotations: { readOnlyHint: true } }
      for (const dialect of [undefined, "anthropic"] as const) {
        const { tools, unspeakable } = yield* McpToolkit.toolkit([asks, heldTool("files_read").tool], { dialect })
        assert.deepStrictEqual(Object.keys(tools), ["files_read"])
        assert.deepStrictEqual(unspeakable, [{
          name: "files_write",
          server: "files",
          reason: "\"ask\" of the entry wants a person's yes, and there is no way to ask for it here"
        }])
      }
      const result = yield* one(
        { approval: { ask: [], decide: () => Effect.succeed(Approval.deny("not now")) } },
        { sent, tool: asks }
      )
      assert.include(String(result.encodedResult), "said no: not now")
      // The library that runs the model asks.
      const itself = yield* McpToolkit.toolkit([asks], { needsApproval: [] })
      assert.strictEqual(itself.tools["files_write"]?.needsApproval, true)
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(files)))

  it.effect("lets a person think for longer than a call may take", () =>
    Effect.gen(function*() {
      const decide = () => Effect.delay(Effect.succeed(Approval.approve), "1 minute")
      const settings = { maxTotalTimeout: "5 seconds", approval: { ask: ["*"], decide } } as const
      const fiber = yield* Effect.forkChild(one(settings, heldTool("files_read")))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber)).encodedResult, "done")
    }))

  it.effect("gives images to models that see, and their line to those that do not (R61)", () =>
    Effect.gen(function*() {
      const content = [{ type: "image", mimeType: "image/jpeg", data: PNG }, { type: "image", data: "not base64" }]
      const shows = () => Effect.succeed({ ...ToolResult.success("a picture"), content })
      const seen = yield* one({}, heldTool("files_show", shows))
      assert.deepStrictEqual(
        seen.modelOutput?.map((part) => part.type === "file" ? [part.mediaType, part.data] : part.text),
        ["a picture\n[an image was left out: its data is not base64]", ["image/png", PNG]]
      )
      const blind = yield* one({ images: false }, heldTool("files_show", shows))
      assert.isUndefined(blind.modelOutput)
      assert.strictEqual(blind.encodedResult, "a picture")
    }))

  it.effect("answers a defect of a tool with a failure that hides its details (R32)", () =>
    Effect.gen(function*() {
      const result = yield* one({}, heldTool("files_read", () => Effect.die(new Error("secret-path"))))
      assert.isTrue(result.isFailure)
      assert.include(String(result.encodedResult), "files_read failed: an unexpected error")
      assert.notInclude(String(result.encodedResult), "secret-path")
    }))

  it.effect("cuts the message of a progress at 1,000 bytes", () =>
    Effect.gen(function*() {
      const talks = heldTool("files_read", (_args, options) =>
        Effect.as(
          options?.onProgress?.({ progress: 1, total: null, message: "é".repeat(5000) }) ?? Effect.void,
          ToolResult.success("done")
        ))
      const toolkit = yield* McpToolkit.toolkit([talks.tool])
      const [first] = yield* toolkit.handle("files_read", {}).pipe(Stream.unwrap, Stream.runCollect)
      assert.isTrue(first?.preliminary)
      assert.strictEqual(first?.encodedResult, `1: ${"é".repeat(500)}`)
    }).pipe(Effect.provide(files)))
})
