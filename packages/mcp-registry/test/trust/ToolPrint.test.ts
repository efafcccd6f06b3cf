import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as ToolPrint from "../../src/trust/ToolPrint.ts"

const TOOL = {
  tool: "write",
  title: null,
  description: "Writes.",
  inputSchema: { type: "object" },
  outputSchema: null,
  annotations: { readOnlyHint: false }
}

const print = (more: Partial<ToolPrint.Definition> = {}) =>
  Effect.provide(ToolPrint.ofTool({ ...TOOL, ...more }), Digest.layerWebCrypto)

describe("ToolPrint.ofTool", () => {
  it.effect("is another one when the entry gives the tool another class than it declares, and the same otherwise", () =>
    Effect.gen(function*() {
      const plain = yield* print()
      assert.strictEqual(yield* print({ class: "writes" }), plain)
      const others = [
        yield* print({ class: "reads" }),
        yield* print({ class: "destroys" }),
        yield* print({ annotations: {}, class: "writes" }),
        yield* print({ annotations: {} })
      ]
      assert.strictEqual(new Set([plain, ...others]).size, 5)
    }))
})
