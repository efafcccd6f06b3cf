import { LanguageModels, ModelSettings } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Anthropic from "./streams/Anthropic.ts"
import * as Compatible from "./streams/Compatible.ts"
import * as Asking from "./support/Asking.ts"
import { ANTHROPIC, GOOGLE, OPENAI, PROVIDERS } from "./support/Providers.ts"
import * as ScriptedFetch from "./support/ScriptedFetch.ts"

/** Asks for tools, answers both calls, asks again; gives the parts of the first answer and the second request's body. */
const roundTrip = Effect.fnUntraced(function*(provider: typeof PROVIDERS[number]) {
  const question = { model: provider.model, variables: provider.variables }
  const first = yield* Asking.ask({ ...question, prompt: Asking.CONVERSATION }, [ScriptedFetch.events(provider.tools)])
  // Through JSON, as a chat that is kept in a database goes.
  const kept = yield* Schema.encodeEffect(Prompt.Prompt)(Asking.answered(first.parts)).pipe(
    Effect.flatMap((encoded) => Schema.decodeUnknownEffect(Prompt.Prompt)(JSON.parse(JSON.stringify(encoded))))
  )
  const second = yield* Asking.ask({ ...question, prompt: kept }, [ScriptedFetch.events(provider.text)])
  assert.strictEqual(Asking.joined(second.parts, "text-delta"), "Done.")
  return { parts: first.parts, first: first.sent[0]?.body ?? {}, second: second.sent[0]?.body ?? {}, sent: first.sent }
})

const provider = (model: string) => PROVIDERS.find((one) => one.model === model) ?? assert.fail(model)

describe("AiSdkModel", () => {
  it.effect.each(PROVIDERS)(
    "streams reasoning, text and parallel tool calls from $model",
    (provider) =>
      Effect.gen(function*() {
        const { parts } = yield* roundTrip(provider)
        assert.include(Asking.joined(parts, "reasoning-delta"), "Two files ")
        assert.strictEqual(Asking.joined(parts, "text-delta"), "I will read both files.")
        const calls = Asking.calls(parts)
        assert.deepStrictEqual(calls.map(({ name, params }) => ({ name, params })), [
          { name: "files_read_file", params: { path: "a.txt" } },
          { name: "files_list", params: {} }
        ])
        assert.strictEqual(new Set(calls.map(({ id }) => id)).size, 2)
        const last = parts.at(-1)
        assert.strictEqual(last?.type === "finish" ? last.reason : null, "tool-calls")
      })
  )

  it.effect.each(PROVIDERS)(
    "streams the arguments of a call to $model as they come",
    (provider) =>
      Effect.gen(function*() {
        const { parts } = yield* roundTrip(provider)
        const [call] = Asking.calls(parts)
        const deltas = parts.flatMap((part) =>
          part.type === "tool-params-delta" && part.id === call?.id ? [part.delta] : []
        )
        assert.deepStrictEqual(JSON.parse(deltas.join("")), { path: "a.txt" })
        const order = parts.flatMap((part) => "id" in part && part.id === call?.id ? [part.type] : [])
        assert.strictEqual(order.at(0), "tool-params-start")
        assert.strictEqual(order.at(-1), "tool-call")
      })
  )

  it.effect.each(PROVIDERS)(
    "passes tool schemas to $model as they are and non-strict",
    (provider) =>
      Effect.gen(function*() {
        const { first } = yield* roundTrip(provider)
        const text = JSON.stringify(first["tools"])
        assert.include(text, JSON.stringify(Asking.readFileSchema))
        assert.include(text, JSON.stringify(Asking.listSchema))
        assert.notInclude(text, "\"strict\":true")
      })
  )

  it.effect.each(PROVIDERS)(
    "sends no tools key to $model when there are no tools (R104)",
    (provider) =>
      Effect.gen(function*() {
        const { sent } = yield* Asking.ask(
          { model: provider.model, variables: provider.variables, prompt: "Hello", tools: false },
          [ScriptedFetch.events(provider.text)]
        )
        assert.deepStrictEqual(
          Object.keys(sent[0]?.body ?? {}).filter((key) => /tool/i.test(key)),
          []
        )
      })
  )

  it.effect("sends Anthropic's thinking, signature and redacted thinking back unchanged, before the calls", () =>
    Effect.gen(function*() {
      const { first, second, sent } = yield* roundTrip(provider(ANTHROPIC))
      assert.strictEqual(sent[0]?.url, "https://api.anthropic.com/v1/messages")
      assert.strictEqual(sent[0]?.headers.get("x-api-key"), "key-anthropic")
      assert.deepStrictEqual(first["system"], [{ type: "text", text: "Be brief." }])
      assert.deepStrictEqual(second["messages"], [
        { role: "user", content: [{ type: "text", text: "Read a.txt and list the files." }] },
        {
          role: "assistant",
          content: [
            {
              type: "thinking",
              thinking: "Two files are asked for, so I read both at once.",
              signature: "EqQBCkYIBxgCKkDsignature+A=="
            },
            { type: "redacted_thinking", data: "EmwKAhgBEgyredacted+B==" },
            { type: "text", text: "I will read both files." },
            { type: "tool_use", id: "toolu_01A", name: "files_read_file", input: { path: "a.txt" } },
            { type: "tool_use", id: "toolu_01B", name: "files_list", input: {} }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_01A", content: "contents of a" },
            { type: "tool_result", tool_use_id: "toolu_01B", content: "{error: true}\nno such folder", is_error: true }
          ]
        }
      ])
    }))

  it.effect("sends OpenAI's encrypted reasoning back whole and stores nothing there", () =>
    Effect.gen(function*() {
      const { first, second, sent } = yield* roundTrip(provider(OPENAI))
      assert.strictEqual(sent[0]?.url, "https://api.openai.com/v1/responses")
      assert.strictEqual(sent[0]?.headers.get("authorization"), "Bearer key-openai")
      assert.strictEqual(first["store"], false)
      assert.deepStrictEqual(first["include"], ["reasoning.encrypted_content"])
      assert.deepStrictEqual(second["input"], [
        { role: "developer", content: "Be brief." },
        { role: "user", content: [{ type: "input_text", text: "Read a.txt and list the files." }] },
        {
          type: "reasoning",
          id: "rs_01",
          encrypted_content: "gAAAAABencryptedO==",
          summary: [{ type: "summary_text", text: "Two files are asked for." }]
        },
        { role: "assistant", content: "I will read both files.", phase: "commentary" },
        { type: "function_call", call_id: "call_A", name: "files_read_file", arguments: "{\"path\":\"a.txt\"}" },
        { type: "function_call", call_id: "call_B", name: "files_list", arguments: "{}" },
        { type: "function_call_output", call_id: "call_A", output: "contents of a" },
        { type: "function_call_output", call_id: "call_B", output: "{\"error\":\"{error: true}\\nno such folder\"}" }
      ])
    }))

  it.effect("sends Google's thought signature back on the call that carried it", () =>
    Effect.gen(function*() {
      const { first, parts, second, sent } = yield* roundTrip(provider(GOOGLE))
      assert.match(sent[0]?.url ?? "", /\/v1beta\/models\/gemini-2\.5-flash:streamGenerateContent\?alt=sse$/)
      assert.strictEqual(sent[0]?.headers.get("x-goog-api-key"), "key-google")
      assert.deepStrictEqual(first["systemInstruction"], { parts: [{ text: "Be brief." }] })
      const [read, list] = Asking.calls(parts).map(({ id }) => id)
      if (read === undefined || list === undefined) return assert.fail("two calls are expected")
      assert.deepStrictEqual(second["contents"], [
        { role: "user", parts: [{ text: "Read a.txt and list the files." }] },
        {
          role: "model",
          parts: [
            { text: "Two files are asked for.", thought: true },
            { text: "I will read both files." },
            {
              functionCall: { id: read, name: "files_read_file", args: { path: "a.txt" } },
              thoughtSignature: "CikBthoughtSignatureG=="
            },
            { functionCall: { id: list, name: "files_list", args: {} } }
          ]
        },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                id: read,
                name: "files_read_file",
                response: { name: "files_read_file", content: "contents of a" }
              }
            },
            {
              functionResponse: {
                id: list,
                name: "files_list",
                response: { name: "files_list", error: "{error: true}\nno such folder" }
              }
            }
          ]
        }
      ])
    }))

  it.effect("speaks chat completions at OPENAI_BASE_URL without a key", () =>
    Effect.gen(function*() {
      const { first, second, sent } = yield* roundTrip(provider("openai/qwen3-8b"))
      assert.strictEqual(sent[0]?.url, "http://model.test/v1/chat/completions")
      assert.isNull(sent[0]?.headers.get("authorization"))
      assert.deepStrictEqual(first["stream_options"], { include_usage: true })
      assert.deepStrictEqual(second["messages"], [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Read a.txt and list the files." },
        {
          role: "assistant",
          content: "I will read both files.",
          reasoning_content: "Two files are asked for.",
          tool_calls: [
            {
              id: "call_A",
              type: "function",
              function: { name: "files_read_file", arguments: "{\"path\":\"a.txt\"}" }
            },
            { id: "call_B", type: "function", function: { name: "files_list", arguments: "{}" } }
          ]
        },
        { role: "tool", tool_call_id: "call_A", content: "contents of a" },
        { role: "tool", tool_call_id: "call_B", content: "{error: true}\nno such folder" }
      ])
    }))

  it.effect("maps usage", () =>
    Effect.gen(function*() {
      const usages: Array<unknown> = []
      for (const provider of PROVIDERS) {
        const { parts } = yield* roundTrip(provider)
        const last = parts.at(-1)
        usages.push(last?.type === "finish" ? [last.usage.inputTokens.total, last.usage.outputTokens.total] : null)
      }
      assert.deepStrictEqual(usages, [[562, 97], [80, 42], [300, 90], [120, 40]])
    }))

  it.effect("gives arguments that are not JSON as the text itself, and sends them back wrapped", () =>
    Effect.gen(function*() {
      const broken = Compatible.reasoningTools.replace(String.raw`.txt\"}`, String.raw`.txt\"`)
      const question = { model: "openai/qwen3-8b", variables: Asking.COMPATIBLE }
      const { parts } = yield* Asking.ask({ ...question, prompt: Asking.CONVERSATION }, [ScriptedFetch.events(broken)])
      assert.deepStrictEqual(Asking.calls(parts), [
        { id: "call_A", name: "files_read_file", params: "{\"path\": \"a.txt\"" },
        { id: "call_B", name: "files_list", params: {} }
      ])
      const { sent } = yield* Asking.ask({ ...question, prompt: Asking.answered(parts) }, [
        ScriptedFetch.events(Compatible.text)
      ])
      assert.include(
        JSON.stringify(sent[0]?.body["messages"]),
        JSON.stringify(JSON.stringify({ rawInvalidInput: "{\"path\": \"a.txt\"" }))
      )
    }))

  it.effect("lets a call to a tool that is not there through, for the caller to answer", () =>
    Effect.gen(function*() {
      const { parts } = yield* Asking.ask(
        { model: "openai/qwen3-8b", variables: Asking.COMPATIBLE, prompt: "Hello" },
        [ScriptedFetch.events(Compatible.reasoningTools.replace("files_list", "no_such_tool"))]
      )
      assert.deepStrictEqual(Asking.calls(parts).map(({ name }) => name), ["files_read_file", "no_such_tool"])
    }))

  it.effect("passes temperature, output limit and reasoning effort on, and none unasked", () =>
    Effect.gen(function*() {
      const question = { model: "openai/qwen3-8b", variables: Asking.COMPATIBLE, prompt: "Hello" }
      const { sent } = yield* Asking.ask(question, [ScriptedFetch.events(Compatible.text)]).pipe(
        Effect.provideService(ModelSettings, {
          temperature: 0.2,
          maxOutputTokens: 500,
          reasoning: "low",
          silence: null,
          conversation: null
        })
      )
      const { max_tokens, reasoning_effort, temperature } = sent[0]?.body ?? {}
      assert.deepStrictEqual([temperature, max_tokens, reasoning_effort], [0.2, 500, "low"])
      const plain = yield* Asking.ask(question, [ScriptedFetch.events(Compatible.text)])
      assert.notInclude(Object.keys(plain.sent[0]?.body ?? {}), "temperature")
    }))

  it.effect.each(PROVIDERS)(
    "aborts the request to $model when it is interrupted",
    (provider) =>
      Effect.gen(function*() {
        const { first, layer } = ScriptedFetch.make([ScriptedFetch.silent(provider.tools.slice(0, 900))])
        const question = { model: provider.model, variables: provider.variables, prompt: "Hello" }
        const fiber = yield* Effect.forkChild(Stream.runDrain(Asking.stream(layer, question)))
        const request = yield* Effect.promise(() => first)
        assert.isFalse(request.signal?.aborted)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.isTrue(request.signal?.aborted)
      })
  )

  it.effect("aborts the request when the caller has enough", () =>
    Effect.gen(function*() {
      const { layer, sent } = ScriptedFetch.make([ScriptedFetch.silent(Anthropic.thinkingTools.slice(0, 1500))])
      yield* Asking.stream(layer, { model: ANTHROPIC, prompt: "Hello" }).pipe(Stream.take(2), Stream.runDrain)
      assert.isTrue(sent[0]?.signal?.aborted)
    }))

  it.effect("generates whole answers, with text, calls and usage", () =>
    Effect.gen(function*() {
      const { layer } = ScriptedFetch.make([ScriptedFetch.json(200, {
        id: "c",
        model: "m",
        choices: [{
          message: {
            role: "assistant",
            content: "Hi",
            tool_calls: [{ id: "x", function: { name: "t", arguments: "" } }]
          },
          finish_reason: "tool_calls"
        }],
        usage: { prompt_tokens: 3, completion_tokens: 2 }
      })])
      const answer = yield* Effect.gen(function*() {
        const model = yield* (yield* LanguageModels).model("openai/m")
        return yield* model.generateText({
          prompt: "Hello",
          disableToolCallResolution: true,
          toolCallValidation: "deferred"
        })
      }).pipe(Effect.provide(Asking.models(layer, Asking.COMPATIBLE)))
      assert.strictEqual(answer.text, "Hi")
      assert.deepStrictEqual(answer.toolCalls.map(({ name, params }) => [name, params]), [["t", {}]])
      assert.strictEqual(answer.usage.outputTokens.total, 2)
    }))

  it.effect("generates objects", () =>
    Effect.gen(function*() {
      const { layer, sent } = ScriptedFetch.make([ScriptedFetch.json(200, {
        choices: [{ message: { role: "assistant", content: "{\"n\":1}" }, finish_reason: "stop" }]
      })])
      const { value } = yield* Effect.gen(function*() {
        const model = yield* (yield* LanguageModels).model("openai/m")
        return yield* model.generateObject({ prompt: "One", schema: Schema.Struct({ n: Schema.Int }) })
      }).pipe(Effect.provide(Asking.models(layer, Asking.COMPATIBLE)))
      assert.deepStrictEqual(value, { n: 1 })
      assert.deepStrictEqual(sent[0]?.body["response_format"], { type: "json_object" })
    }))
})
