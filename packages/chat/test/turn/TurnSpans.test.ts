/** The spans of a turn, as the program that keeps traces sees them. */
import { ToolResult } from "@boocode/toolkit"
import { ExecuteTool } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as Turn from "../../src/turn/Turn.ts"
import * as TurnSpans from "../../src/turn/TurnSpans.ts"
import * as TurnTools from "../../src/turn/TurnTools.ts"
import { agent, calls, files, finish, model, says, tool } from "../support/Scripted.ts"
import * as ScriptedSandbox from "../support/ScriptedSandbox.ts"

const SECRET = "a-secret-of-the-chat"

/** Runs a turn in which the model calls a tool that fails, and one that does not exist; gives its spans. */
const spansOf = (
  around: <A>(turn: Effect.Effect<A>) => Effect.Effect<A>,
  { answer = [calls("1", "a_fails", { text: SECRET }), calls("2", SECRET), finish("tool-calls", 5, 2)], programs }: {
    readonly answer?: ReturnType<typeof says>
    readonly programs?: Turn.TurnRequest["programs"]
  } = {}
) =>
  Effect.gen(function*() {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const failing = tool("a_fails", () => Effect.succeed(ToolResult.failure(SECRET)))
    const scripted = yield* model([
      answer,
      [...says(SECRET), finish("stop", 10, 3)]
    ])
    const tools = TurnTools.of([failing, ExecuteTool.make([])])
    const request = { agent, model: scripted.model, tools, history: [], text: SECRET, programs }
    const turn = TurnSpans.within(
      Turn.run(request, () => Effect.void),
      TurnSpans.ofTurn({ chat: "c1", turn: 3, who: { agent: "Assistant", model: "some/model" } })
    )
    yield* around(turn.pipe(Effect.provide(files()), Effect.withTracer(tracer)))
    // Those of Effect's own are about the model alone.
    return spans.filter(({ name }) => !name.startsWith("LanguageModel"))
  })

describe("The spans of a turn", () => {
  it.effect("have those of the calls of a program below the program's", () =>
    Effect.gen(function*() {
      const sandbox = ScriptedSandbox.make({ p: ({ call }) => Effect.as(call("a_fails"), null) })
      const kept = { keep: () => Effect.void, of: () => Effect.succeed(null), drop: () => Effect.void }
      const spans = yield* spansOf((turn) => turn, {
        answer: [calls("1", "execute", { code: "p" }), finish("tool-calls")],
        programs: { sandbox, kept }
      })
      const [, , program, call] = spans
      assert.deepStrictEqual([program?.name, call?.name], ["execute_tool execute", "execute_tool a_fails"])
      assert.strictEqual(call === undefined ? null : Option.getOrUndefined(call.parent)?.spanId, program?.spanId)
    }))

  it.effect("are the turn, its requests and its calls, each below the turn, with what failed", () =>
    Effect.gen(function*() {
      const spans = yield* spansOf((turn) => turn)
      const [turn] = spans
      assert.deepStrictEqual(
        spans.map(({ attributes, kind, name }) => [name, kind, attributes.get("error.type")]),
        [
          ["invoke_agent Assistant", "internal", undefined],
          ["chat some/model", "client", undefined],
          ["execute_tool a_fails", "internal", "tool_error"],
          ["execute_tool", "internal", "tool_error"],
          ["chat some/model", "client", undefined]
        ]
      )
      for (const { parent } of spans.slice(1)) {
        assert.strictEqual(Option.getOrUndefined(parent)?.spanId, turn?.spanId)
      }
      assert.strictEqual(turn?.attributes.get("gen_ai.conversation.id"), "c1")
      assert.isTrue(spans.every(({ status }) => status._tag === "Ended"))
    }))

  it.effect("hold nothing that a person, a model or a tool said", () =>
    Effect.gen(function*() {
      const spans = yield* spansOf((turn) => turn)
      const told = spans.map(({ attributes, name, status }) => [
        name,
        [...attributes],
        status._tag === "Ended" ? JSON.stringify(status.exit) : ""
      ])
      assert.notInclude(JSON.stringify(told), SECRET)
    }))

  it.effect("are not even made where nobody keeps them", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* spansOf(Effect.withTracerEnabled(false)), [])
      assert.isNull(yield* Effect.withSpan(TurnSpans.current, "around"))
    }))
})
