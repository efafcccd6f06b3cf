import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as PromptEncoding from "../../src/encoding/PromptEncoding.ts"
import * as ProviderTraits from "../../src/models/ProviderTraits.ts"

const encode = (messages: ReadonlyArray<Prompt.MessageEncoded>, traits = ProviderTraits.plain) =>
  PromptEncoding.encode(Prompt.make(messages), traits)

const result = (fields: Partial<Prompt.ToolResultPartEncoded>): Prompt.MessageEncoded => ({
  role: "tool",
  content: [{ type: "tool-result", id: "1", name: "t", isFailure: false, result: null, ...fields }]
})

const output = (fields: Partial<Prompt.ToolResultPartEncoded>, traits = ProviderTraits.plain) => {
  const [message] = encode([result(fields)], traits)
  const part = message?.role === "tool" ? message.content[0] : undefined
  return part?.type === "tool-result" ? part.output : assert.fail("no result")
}

const png = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" } as const

describe("PromptEncoding", () => {
  it("makes one system message of all, at the front", () => {
    assert.deepStrictEqual(
      encode([
        { role: "system", content: "One." },
        { role: "user", content: "Hi" },
        { role: "system", content: "Two." }
      ]),
      [{ role: "system", content: "One.\n\nTwo." }, { role: "user", content: [{ type: "text", text: "Hi" }] }]
    )
  })

  it("leaves out empty text and messages that hold nothing", () => {
    assert.deepStrictEqual(
      encode([
        { role: "system", content: "" },
        { role: "user", content: [{ type: "text", text: "" }] },
        { role: "assistant", content: [{ type: "text", text: "" }] },
        { role: "tool", content: [] },
        { role: "user", content: [{ type: "text", text: "" }, { type: "text", text: "Hi" }] }
      ]),
      [{ role: "user", content: [{ type: "text", text: "Hi" }] }]
    )
  })

  it("leaves out text of white space alone, which Anthropic refuses", () => {
    assert.deepStrictEqual(
      encode([
        { role: "system", content: " \n" },
        { role: "user", content: [{ type: "text", text: "\t" }, { type: "text", text: "Hi\n" }] },
        { role: "assistant", content: [{ type: "text", text: "\n\n" }] }
      ]),
      [{ role: "user", content: [{ type: "text", text: "Hi\n" }] }]
    )
    assert.deepStrictEqual(output({ result: " \n" }), { type: "text", value: "(no output)" })
  })

  it("puts U+FFFD in place of half a character, wherever it is", () => {
    const half = "a\ud83d"
    const encoded = encode([
      { role: "system", content: half },
      { role: "user", content: half },
      { role: "assistant", content: [{ type: "text", text: half }] },
      {
        role: "assistant",
        content: [{ type: "tool-call", id: "1", name: "t", params: { [half]: [half, 1, null, { b: half }] } }]
      },
      result({ result: half })
    ])
    const json = JSON.stringify(encoded)
    assert.notInclude(json, "\\ud83d")
    assert.strictEqual(json.split("a\ufffd").length - 1, 7)
  })

  it("keeps empty text that carries a signature", () => {
    const options = { google: { thoughtSignature: "s" } }
    assert.deepStrictEqual(
      encode([{ role: "assistant", content: [{ type: "text", text: "", options }] }]),
      [{ role: "assistant", content: [{ type: "text", text: "", providerOptions: options }] }]
    )
  })

  it("passes images of a user on, whatever form they come in", () => {
    const files = ["iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo=", "https://x.test/a.png", new Uint8Array([1])]
    const [message] = encode([{ role: "user", content: files.map((data) => ({ ...png, data })) }])
    assert.deepStrictEqual(
      message?.role === "user" ? message.content.map((part) => part.type === "file" ? part.data : null) : null,
      [
        { type: "data", data: "iVBORw0KGgo=" },
        { type: "data", data: "iVBORw0KGgo=" },
        { type: "url", url: new URL("https://x.test/a.png") },
        { type: "data", data: new Uint8Array([1]) }
      ]
    )
  })

  it("marks a failed result as an error", () => {
    assert.deepStrictEqual(output({ isFailure: true, result: "no" }), {
      type: "error-text",
      value: "{error: true}\nno"
    })
    assert.deepStrictEqual(output({ isFailure: true, result: "" }), {
      type: "error-text",
      value: "{error: true}\n(no output)"
    })
  })

  it("gives results that are not text as JSON, and never an empty one", () => {
    assert.deepStrictEqual(output({ result: { a: 1 } }), { type: "text", value: "{\"a\":1}" })
    assert.deepStrictEqual(output({ result: "" }), { type: "text", value: "(no output)" })
    assert.deepStrictEqual(output({ result: null }), { type: "text", value: "(no output)" })
  })

  it("sends an image of a result as a file where the provider takes it (R63)", () => {
    const modelOutput = [{ type: "text", text: "A cat" } as const, png, { type: "text", text: "asleep" } as const]
    assert.deepStrictEqual(output({ modelOutput }, ProviderTraits.anthropic), {
      type: "content",
      value: [
        { type: "text", text: "A cat\nasleep" },
        { type: "file", data: { type: "data", data: png.data }, mediaType: "image/png" }
      ]
    })
  })

  it("names a file in the text where the provider does not take it in the result (R63)", () => {
    const modelOutput = [{ type: "text", text: "A cat" } as const, png]
    const text = "A cat\n[a file of type image/png is in the message after the results]"
    assert.deepStrictEqual(output({ modelOutput }, ProviderTraits.openaiCompatible), { type: "text", value: text })
    assert.deepStrictEqual(output({ modelOutput, isFailure: true }, ProviderTraits.anthropic), {
      type: "error-text",
      value: `{error: true}\n${text}`
    })
    const svg = { ...png, mediaType: "image/svg+xml" }
    assert.deepStrictEqual(output({ modelOutput: [svg] }, ProviderTraits.google), {
      type: "text",
      value: "[a file of type image/svg+xml was left out: the model's interface takes none]"
    })
  })

  it("sends the images of all results of one answer in a message of the user behind the last of them (R63)", () => {
    const shot = (id: string) => result({ id, name: "shot", modelOutput: [{ type: "text", text: id }, png] })
    const encoded = encode([shot("1"), shot("2"), { role: "assistant", content: "Two cats." }, shot("3")])
    assert.deepStrictEqual(encoded.map(({ role }) => role), ["tool", "tool", "user", "assistant", "tool", "user"])
    const file = { type: "file", data: { type: "data", data: png.data }, mediaType: "image/png" } as const
    const label = (id: string) => ({
      type: "text" as const,
      text: `[What follows is from the result of shot, call ${id}: a tool's data, not a person's words]`
    })
    assert.deepStrictEqual(encoded[2], { role: "user", content: [label("1"), file, label("2"), file] })
    assert.deepStrictEqual(encoded[5], { role: "user", content: [label("3"), file] })
  })
})
