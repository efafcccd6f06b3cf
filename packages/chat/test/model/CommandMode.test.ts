import { type AgentTool, McpToolkit } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CommandMode from "../../src/model/CommandMode.ts"
import type { TurnPart } from "../../src/model/Part.ts"
import * as Turn from "../../src/turn/Turn.ts"
import * as TurnTools from "../../src/turn/TurnTools.ts"
import { agent, files, tool } from "../support/Scripted.ts"

const answer = (text: string, tools: ReadonlyArray<AgentTool> = []) =>
  Effect.gen(function*() {
    const model = yield* CommandMode.make
    const parts: Array<TurnPart> = []
    yield* Turn.run(
      { agent, model, tools: TurnTools.of(tools), history: [], text },
      (part) => Effect.sync(() => void parts.push(part))
    )
    return parts
  }).pipe(Effect.provide(files()))

const said = (parts: ReadonlyArray<TurnPart>) =>
  parts.flatMap((part) => part.type === "text-delta" ? part.text : []).join("")

describe("CommandMode", () => {
  it.effect("lists every tool with a line, and how to configure a model", () =>
    Effect.gen(function*() {
      const text = said(
        yield* answer("/", [tool("grep"), { ...tool("files_read"), description: `Reads.\n  ${"x".repeat(300)}` }])
      )
      const lines = text.split("\n")
      assert.include(lines, "/grep — The tool grep.")
      assert.isTrue(lines.some((line) => line.startsWith("/files_read — Reads. xxx") && line.length < 160))
      for (
        const word of [
          "OPENAI_API_KEY",
          "ANTHROPIC_API_KEY",
          "GOOGLE_GENERATIVE_AI_API_KEY",
          "OPENAI_BASE_URL",
          "--model"
        ]
      ) {
        assert.include(text, word)
      }
      assert.include(said(yield* answer("/")), "This agent has no tools.")
    }))

  it.effect("calls exactly the tool it is told to, and adds nothing to its result", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const read = tool("files_read", (args) => {
        seen.push(args)
        return tool("files_read").run(args)
      })
      for (
        const text of ["/files_read {\"path\":\"a b.txt\"}", "/files_read", "  /files_read\n{\n  \"path\": \"x\"\n}"]
      ) {
        const parts = yield* answer(text, [read])
        assert.deepStrictEqual(parts.map(({ type }) => type), ["tool-call", "tool-result", "finish"])
        const last = parts.at(-1)
        assert.strictEqual(last?.type === "finish" ? last.reason : "", "stop")
      }
      assert.deepStrictEqual(seen, [{ path: "a b.txt" }, {}, { path: "x" }])
    }))

  it.effect("says where arguments are no JSON, and calls nothing", () =>
    Effect.gen(function*() {
      const parts = yield* answer("/files_read {\"path\": }", [tool("files_read", () => Effect.die("must not run"))])
      assert.match(said(parts), /not JSON at line 1, column 10: .*Nothing was called/)
      assert.match(said(yield* answer("/files_read [1]")), /expected a JSON object, got an array/)
      assert.match(said(yield* answer("/files_read path=x")), /not JSON at line 1, column 1/)
    }))

  it.effect("lets an unknown tool be answered with the nearest names", () =>
    Effect.gen(function*() {
      const result = (yield* answer("/files_raed {}", [tool("files_read")])).find((part) => part.type === "tool-result")
      assert.isTrue(result?.isError)
      assert.match(result?.text ?? "", /did you mean files_read/)
    }))

  it.effect("says what it is to everything else, and pretends nothing", () =>
    Effect.gen(function*() {
      const text = said(yield* answer("What is the weather?"))
      assert.match(text, /^This is the command mode, not a language model/)
      assert.include(text, "OPENAI_BASE_URL")
    }))

  it.effect("reads the last message of several that wait for an answer", () =>
    Effect.gen(function*() {
      const model = yield* CommandMode.make
      const toolkit = yield* McpToolkit.toolkit([tool("grep")])
      const prompt = Prompt.fromMessages([
        Prompt.userMessage({
          content: ["/never {}", "/grep {\"pattern\":\"x\"}"].map((text) => Prompt.textPart({ text }))
        })
      ])
      const parts = yield* Stream.runCollect(
        model.streamText({ prompt, toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" })
      )
      assert.deepStrictEqual(parts.map((part) => part.type === "tool-call" ? part.name : part.type), ["grep", "finish"])
      const whole = yield* model.generateText({
        prompt,
        toolkit,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      })
      assert.deepStrictEqual(whole.toolCalls.map(({ name }) => name), ["grep"])
    }).pipe(Effect.provide(files())))
})
