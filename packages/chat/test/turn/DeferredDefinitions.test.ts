import { DeferredTool, ModelFacts } from "@boocode/language-models"
import type { Deferral } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import { brief, chatWith, message, start, until } from "../support/Chatting.ts"
import { calls, finish, mcpTool, model, says, status } from "../support/Scripted.ts"

const ALWAYS: Deferral.Policy = { mode: "always", threshold: 0 }

const world = {
  tools: [mcpTool("sky", "forecast"), mcpTool("sky", "moon"), mcpTool("bank", "rate")],
  servers: [status("sky", "ready"), status("bank", "ready")],
  call: (name: string) =>
    Effect.succeed({
      isError: false,
      content: [{ type: "text", text: `${name} ran` }],
      structuredContent: null,
      millis: 1
    })
}

const facts = { ...ModelFacts.UNKNOWN, wire: "anthropic", contextTokens: 200_000, defersTools: true } as const

const named = (asked: LanguageModel.ProviderOptions | undefined, isDeferred: boolean) =>
  (asked?.tools ?? []).filter((tool) => DeferredTool.isDeferred(tool) === isDeferred).map(({ name }) => name)

/** The tools that the results of a request refer to, by call. */
const references = (asked: LanguageModel.ProviderOptions | undefined) =>
  Object.fromEntries(
    (asked?.prompt.content ?? []).flatMap((one) => one.role === "tool" ? one.content : []).flatMap((part) =>
      part.type === "tool-result"
        ? [[
          part.id,
          DeferredTool.references(part).map(({ providerOptions }) => providerOptions?.["anthropic"]?.["toolName"])
        ]]
        : []
    )
  )

describe("definitions that the provider has", () => {
  it.effect("are marked, referred to by answers of searches, called by name, and no part of what stands still (R48, R51)", () =>
    Effect.gen(function*() {
      const scripted = yield* model([
        [calls("1", "tool_search", { query: "forecast" }), finish("tool-calls")],
        [calls("2", "sky_forecast"), finish("tool-calls")],
        [...says("done"), finish()],
        [...says("again"), finish()]
      ])
      const { chats, world: now } = yield* start({
        environment: "anthropic/x",
        models: { "anthropic/x": scripted.model },
        facts,
        toolSearch: ALWAYS,
        world
      })
      const { id, parts } = yield* chatWith(chats, "one")
      assert.include(brief(parts), "1 sky_forecast ran")
      now.tools = [...world.tools, mcpTool("bank", "pay")]
      yield* chats.send(id, message("two"))
      yield* until(chats, id, 2, parts.at(-1)?.seq)
      const deferred = ["bank_rate", "sky_forecast", "sky_moon"]
      assert.deepStrictEqual(scripted.asked.map((asked) => named(asked, false)), [
        ...Array.from({ length: 4 }, () => ["tool_describe", "tool_search"])
      ])
      assert.deepStrictEqual(scripted.asked.map((asked) => named(asked, true)), [
        deferred,
        deferred,
        deferred,
        ["bank_pay", ...deferred]
      ])
      assert.deepStrictEqual(references(scripted.asked[1])["1"]?.[0], "sky_forecast")
      assert.deepStrictEqual(references(scripted.asked[3]), { ...references(scripted.asked[1]), "2": [] })
      const answer = parts.find((part) => part.type === "tool-result")
      assert.notInclude(answer?.type === "tool-result" ? answer.text : "parameters", "parameters")
      const search = scripted.asked[0]?.tools.find(({ name }) => name === "tool_search")
      assert.notInclude(search === undefined ? "tool_call" : Tool.getDescription(search) ?? "", "tool_call")
    }))

  it.effect("are referred to only while they are there: a provider refuses any other reference", () =>
    Effect.gen(function*() {
      const scripted = yield* model([
        [calls("1", "tool_describe", { names: ["bank_rate", "sky_moon"] }), finish("tool-calls")],
        [...says("done"), finish()],
        [...says("again"), finish()]
      ])
      const { chats, world: now } = yield* start({
        environment: "anthropic/x",
        models: { "anthropic/x": scripted.model },
        facts,
        toolSearch: ALWAYS,
        world
      })
      const { id, parts } = yield* chatWith(chats, "one")
      now.tools = world.tools.filter(({ server }) => server === "sky")
      yield* chats.send(id, message("two"))
      yield* until(chats, id, 2, parts.at(-1)?.seq)
      assert.deepStrictEqual(scripted.asked.slice(1).map((asked) => references(asked)["1"]), [
        ["bank_rate", "sky_moon"],
        ["sky_moon"]
      ])
    }))
})
