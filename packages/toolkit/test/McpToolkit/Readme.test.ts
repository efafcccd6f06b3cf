import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { ask } from "../../examples/Ask.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import { answer, layer, tool } from "../support/ScriptedRegistry.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const blocks = [...read("README.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block]) => block ?? "")

const usage = {
  inputTokens: { total: 1, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined }
}

describe("README", () => {
  it("shows code that is in the examples, word for word", () => {
    const examples = readdirSync(new URL("../../examples", import.meta.url)).map((name) => read(`examples/${name}`))
    // That one needs Node: test/Pack.test.ts runs it outside the workspace.
    const shown = blocks.filter((block) => !block.startsWith("// servers.ts\n"))
    assert.strictEqual(shown.length, blocks.length - 1)
    assert.isAbove(shown.length, 2)
    for (const block of shown) assert.isTrue(examples.some((example) => example.endsWith(block)), block)
  })

  it("says no more of a setting than there is", () => {
    const settings = read("src/tools/CallSettings.ts").matchAll(/^ {2}readonly (\w+)\?:/gm)
    const rows = read("README.md").split("## Settings")[1]?.split("\n## ")[0]?.matchAll(/^\| `(\w+)`/gm)
    assert.deepStrictEqual([...rows ?? []].map(([, name]) => name), [...settings].map(([, name]) => name))
  })

  it.effect("gives a toolkit in three lines, whose calls are answered", () => {
    const call = { type: "tool-call", id: "1", name: "files_read", params: { path: "a" } } as const
    const model = Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () =>
          Effect.succeed([
            { ...call, providerExecuted: false },
            { type: "finish", reason: "tool-calls", response: undefined, usage }
          ]),
        streamText: () => Stream.die("not asked for")
      })
    )
    const registry = layer([tool("files", "read")], () => Effect.succeed(answer()))
    return Effect.gen(function*() {
      const { toolResults } = yield* ask("read a")
      assert.include(String(toolResults[0]?.encodedResult), "\ndone\n")
    }).pipe(Effect.provide([model, registry, new MemoryFiles().layer]))
  })
})
