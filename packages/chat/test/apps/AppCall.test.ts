import { McpRegistry } from "@boocode/mcp-registry"
import { Permissions } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as AppCall from "../../src/apps/AppCall.ts"
import { Questions } from "../../src/asking/Questions.ts"
import * as Audit from "../../src/journal/Audit.ts"
import { NOTHING_OFF } from "../../src/model/Chat.ts"
import { PermissionFiles } from "../../src/permissions/PermissionFiles.ts"
import { CurrentUser, FIRST } from "../../src/users/CurrentUser.ts"
import * as Scripted from "../support/Scripted.ts"

const visible = (...visibility: ReadonlyArray<string>) => ({ _meta: { ui: { visibility } } })

const answer = (words: string) => () => Effect.succeed(words)

const Servers = McpRegistry.layerTest({
  weather: {
    tools: {
      both: answer("both"),
      hidden: answer("hidden"),
      shown: answer("shown"),
      save: answer("saved")
    },
    definitions: {
      hidden: visible("app"),
      shown: visible("model"),
      save: { ...visible("app"), annotations: { readOnlyHint: false } }
    }
  },
  notes: { tools: { list: answer("notes"), both: answer("of notes") } }
})

interface Options {
  readonly permissions?: string
  readonly off?: ReadonlyArray<string>
  readonly write?: "ask" | "off"
  readonly tools?: ReadonlyArray<string>
  readonly says?: "accept" | "decline"
}

/** The answer to a call of the app of `weather`, or why it was refused; then what the person was asked, and what was audited. */
const called = (tool: string, { off = [], permissions = "{}", says = "decline", tools, write }: Options = {}) =>
  Effect.gen(function*() {
    const asked = new Array<string>()
    const audited = new Array<string>()
    const chat = {
      id: "c",
      agent: null,
      off: { ...NOTHING_OFF, tools: off },
      write: write === undefined ? null : { mode: write, until: null }
    }
    const agent = { name: "A", ask: [], tools: tools ?? null }
    const questions = Layer.succeed(Questions, {
      ...Questions.defaultValue(),
      mayCall: ({ name, program }) =>
        Effect.sync(() => {
          asked.push(`${program} ${name}`)
          return { id: "q", action: says, content: null, reason: null }
        })
    })
    const audit = Layer.succeed(Audit.Audit, {
      note: ({ name: _, ...call }: Audit.AuditedCall & { name?: string }) =>
        Effect.sync(() =>
          void audited.push(`${call.tool} ${call.origin} ${call.place} ${call.outcome} ${call.permission.by}`)
        )
    })
    const world = Layer.mergeAll(
      Servers,
      Scripted.files(),
      questions,
      audit,
      FileSystem.layerNoop({}),
      Path.layer,
      Layer.succeed(CurrentUser, FIRST),
      Layer.provide(PermissionFiles.layer, Permissions.layerTest(permissions))
    )
    const said = yield* Effect.andThen(
      McpRegistry.use(({ settled }) => settled),
      AppCall.call({ server: "weather", uri: "ui://a", name: "weather_both", chat }, { tool, args: {}, agent, ask: [] })
    ).pipe(
      Effect.match({
        onFailure: (error) => error._tag === "AppRefused" ? error.why : error._tag,
        onSuccess: ({ text }) => text
      }),
      Effect.provide(world)
    )
    return [said, asked, audited]
  })

const NONE = "the server has no such tool, or not for apps"

describe("A call of an app", () => {
  it.effect("is of a tool of its own server that is for apps, by the name that its server has for it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* called("both"), ["both", [], ["weather_both app c done default"]])
      assert.deepStrictEqual(yield* called("hidden"), ["hidden", [], ["weather_hidden app c done default"]])
      for (const name of ["shown", "list", "weather_both", "notes_list", "none"]) {
        assert.deepStrictEqual(yield* called(name), [NONE, [], []], name)
      }
    }))

  it.effect("is denied, or waits for the person, as rules, agent, chat and write mode have it", () =>
    Effect.gen(function*() {
      const rule = (outcome: string) => `{ "rules": [{ "${outcome}": "weather_hidden" }] }`
      const [denied, ...others] = yield* called("hidden", { permissions: rule("deny") })
      assert.include(denied, "deny weather_hidden")
      assert.deepStrictEqual(others, [[], ["weather_hidden app c refused default"]])
      assert.deepStrictEqual(yield* called("hidden", { permissions: rule("ask"), says: "accept" }), [
        "hidden",
        ["the app of weather weather_hidden"],
        ["weather_hidden app c done person"]
      ])
      assert.deepStrictEqual((yield* called("hidden", { permissions: rule("ask") }))[0], "the person said no")
      assert.deepStrictEqual(yield* called("both", { off: ["weather_*"] }), ["it is turned off in this chat", [], []])
      assert.deepStrictEqual(yield* called("both", { tools: ["notes_*"] }), ["the agent A may not use it", [], []])
      assert.deepStrictEqual((yield* called("hidden", { tools: ["notes_*"] }))[0], "hidden")
      assert.include((yield* called("save", { write: "off" }))[0], "off")
      assert.deepStrictEqual(yield* called("save", { write: "ask", says: "accept" }), [
        "saved",
        ["the app of weather weather_save"],
        ["weather_save app c done person"]
      ])
    }))
})
