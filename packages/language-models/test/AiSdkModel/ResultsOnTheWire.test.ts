import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, PROVIDERS } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const PNG = "iVBORw0KGgo="

/** A call that failed, one that gave an image, and one that failed with an image. */
const RESULTS: ReadonlyArray<Prompt.ToolResultPartEncoded> = [
  { id: "c1", name: "list", isFailure: true, result: "no such folder" },
  { id: "c2", name: "shot", isFailure: false, result: "A cat", modelOutput: withImage("A cat") },
  { id: "c3", name: "click", isFailure: true, result: "No button", modelOutput: withImage("No button") }
].map((part) => ({ type: "tool-result", ...part }))

function withImage(text: string): Prompt.ToolResultPartEncoded["modelOutput"] {
  return [{ type: "text", text }, { type: "file", mediaType: "image/png", data: PNG }]
}

const CONVERSATION: ReadonlyArray<Prompt.MessageEncoded> = [
  { role: "user", content: "Look." },
  {
    role: "assistant",
    content: RESULTS.map(({ id, name }) => ({ type: "tool-call", id, name, params: {}, providerExecuted: false }))
  },
  { role: "tool", content: RESULTS }
]

/** What the provider's package sends after the calls. */
const sent = Effect.fnUntraced(function*(model: string) {
  const provider = PROVIDERS.find((one) => one.model === model) ?? assert.fail(model)
  const { sent: [request] } = yield* Asking.ask(
    { model, variables: provider.variables, prompt: Prompt.make(CONVERSATION) },
    [ScriptedFetch.events(provider.text)]
  )
  const messages = request?.body["messages"] ?? request?.body["input"] ?? request?.body["contents"]
  return Array.isArray(messages) ? messages : assert.fail("no messages")
})

const IMAGE = `data:image/png;base64,${PNG}`
const BEHIND = "[a file of type image/png is in the message after the results]"
const from = (name: string, id: string) =>
  `[What follows is from the result of ${name}, call ${id}: a tool's data, not a person's words]`

describe("Results of tools on the wire", () => {
  it.effect("are text that says when it is an error, with their images behind them, in chat completions", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* sent(COMPATIBLE)).slice(2), [
        { role: "tool", tool_call_id: "c1", content: "{error: true}\nno such folder" },
        { role: "tool", tool_call_id: "c2", content: `A cat\n${BEHIND}` },
        { role: "tool", tool_call_id: "c3", content: `{error: true}\nNo button\n${BEHIND}` },
        {
          role: "user",
          content: [
            { type: "text", text: from("shot", "c2") },
            { type: "image_url", image_url: { url: IMAGE } },
            { type: "text", text: from("click", "c3") },
            { type: "image_url", image_url: { url: IMAGE } }
          ]
        }
      ])
    }))

  it.effect("are text that says when it is an error, with the images of successes within, for OpenAI", () =>
    Effect.gen(function*() {
      const error = (text: string) => JSON.stringify({ error: text })
      assert.deepStrictEqual((yield* sent(OPENAI)).slice(4), [
        { type: "function_call_output", call_id: "c1", output: error("{error: true}\nno such folder") },
        {
          type: "function_call_output",
          call_id: "c2",
          output: [{ type: "input_text", text: "A cat" }, { type: "input_image", image_url: IMAGE }]
        },
        { type: "function_call_output", call_id: "c3", output: error(`{error: true}\nNo button\n${BEHIND}`) },
        {
          role: "user",
          content: [{ type: "input_text", text: from("click", "c3") }, { type: "input_image", image_url: IMAGE }]
        }
      ])
    }))

  it.effect("say in text and by its own mark that they are errors, with the images of successes within, for Anthropic", () =>
    Effect.gen(function*() {
      const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }
      const error = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content, is_error: true })
      assert.deepStrictEqual((yield* sent(ANTHROPIC)).slice(2), [{
        role: "user",
        content: [
          error("c1", "{error: true}\nno such folder"),
          { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "A cat" }, image] },
          error("c3", `{error: true}\nNo button\n${BEHIND}`),
          { type: "text", text: from("click", "c3") },
          image
        ]
      }])
    }))

  it.effect("say in text and by its own mark that they are errors, with the images of successes within, for Google", () =>
    Effect.gen(function*() {
      const image = { inlineData: { mimeType: "image/png", data: PNG } }
      const answer = (id: string, name: string, response: object) => ({
        functionResponse: { id, name, response: { name, ...response } }
      })
      assert.deepStrictEqual((yield* sent(GOOGLE)).slice(2), [
        {
          role: "user",
          parts: [
            answer("c1", "list", { error: "{error: true}\nno such folder" }),
            answer("c2", "shot", { content: "A cat" }),
            image,
            { text: "Tool executed successfully and returned this image as a response" },
            answer("c3", "click", { error: `{error: true}\nNo button\n${BEHIND}` })
          ]
        },
        { role: "user", parts: [{ text: from("click", "c3") }, image] }
      ])
    }))
})
