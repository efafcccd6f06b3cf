import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AppDocument from "../../src/apps/AppDocument.ts"

const TYPE = "text/html;profile=mcp-app"
const ui = { csp: { connectDomains: ["https://a.example"] } }

const Servers = McpRegistry.layerTest({
  weather: {
    resources: {
      "ui://text": "<p>\r\n\u200Bwritten</p>",
      "ui://blob": "",
      "ui://spaced": "<p>",
      "ui://page": "<p>",
      "ui://untyped": "<p>",
      "ui://large": "x".repeat(AppDocument.MOST_BYTES + 1),
      "file:///page": "<p>"
    },
    contents: {
      "ui://text": { mimeType: TYPE, _meta: { ui } },
      "ui://blob": { mimeType: TYPE, text: null, blob: btoa("<p>blob</p>") },
      "ui://spaced": { mimeType: "Text/HTML; profile=\"mcp-app\"" },
      "ui://page": { mimeType: "text/html" },
      "ui://large": { mimeType: TYPE },
      "file:///page": { mimeType: TYPE }
    }
  }
})

const read = (uri: string) =>
  Effect.match(AppDocument.read({ server: "weather", uri }), {
    onFailure: (error) => error._tag === "UnusableApp" ? error.why : error.reason._tag,
    onSuccess: (document) => document
  })

describe("The document of an app", () => {
  it.effect("is the server's to the letter, from text or base64, with what it declares", () =>
    Effect.gen(function*() {
      yield* McpRegistry.use(({ settled }) => settled)
      assert.deepStrictEqual(yield* read("ui://text"), { html: "<p>\r\n\u200Bwritten</p>", ui })
      assert.deepStrictEqual(yield* read("ui://blob"), { html: "<p>blob</p>", ui: {} })
      assert.deepStrictEqual(yield* read("ui://spaced"), { html: "<p>", ui: {} })
    }).pipe(Effect.provide(Servers)))

  it.effect("is not shown where its address, its type or its size is not that of an app", () =>
    Effect.gen(function*() {
      yield* McpRegistry.use(({ settled }) => settled)
      assert.deepStrictEqual(
        yield* Effect.forEach(["ui://page", "ui://untyped", "ui://large", "file:///page", "ui://none"], read),
        [
          `its type is text/html, not ${TYPE}`,
          `its type is not told, not ${TYPE}`,
          "it is larger than 5 MB",
          "its address is no ui:// address",
          "UnknownResource"
        ]
      )
    }).pipe(Effect.provide(Servers)))
})
