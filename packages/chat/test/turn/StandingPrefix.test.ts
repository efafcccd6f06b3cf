import { Deferral, ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Part } from "../../src/model/Part.ts"
import { chatWith, message, settle, start, until } from "../support/Chatting.ts"
import * as Scripted from "../support/Scripted.ts"

const { calls, finish, mcpTool, model, outline, says, status, tool } = Scripted

const ALWAYS: Deferral.Policy = { mode: "always", threshold: 0 }
const AUTO: Deferral.Policy = Deferral.DEFAULT

const speaking = (name: string, instructions: string | null = null) => ({ ...status(name, "ready"), instructions })

const SKY = { tools: [mcpTool("sky", "moon")], servers: [speaking("sky", "Look up.")] }
const BOTH = {
  tools: [...SKY.tools, mcpTool("bank", "rate"), mcpTool("bank", "pay")],
  servers: [...SKY.servers, speaking("bank", "Count twice.")]
}

/** A chat of so many turns, in which things are changed before each turn but the first. */
const chat = Effect.fnUntraced(function*(
  world: Partial<Scripted.World>,
  changes: ReadonlyArray<(world: Scripted.World) => Effect.Effect<void> | void>,
  toolSearch: Deferral.Policy = ALWAYS
) {
  const scripted = yield* model([...changes, null].map((_, at) => [...says(`answer ${at + 1}`), finish()]))
  const started = yield* start({ environment: "x", models: { x: scripted.model }, toolSearch, world })
  const { id, parts } = yield* chatWith(started.chats, "one")
  let all: ReadonlyArray<Part> = parts
  for (const [at, change] of changes.entries()) {
    yield* Effect.suspend(() => change(started.world) ?? Effect.void)
    yield* started.chats.send(id, message(`turn ${at + 2}`))
    all = [...all, ...yield* until(started.chats, id, at + 2, all.at(-1)?.seq)]
  }
  return { asked: scripted.asked, parts: all, chats: started.chats, id }
})

const said = (asked: LanguageModel.ProviderOptions | undefined) => outline(asked?.prompt.content ?? [])

/** The tools and the system message, as they are sent. */
const beginning = (asked: LanguageModel.ProviderOptions | undefined) =>
  JSON.stringify([
    said(asked)[0],
    asked?.tools.map((one) => [one.name, Tool.getDescription(one), Tool.getJsonSchema(one)])
  ])

const beginnings = (asked: ReadonlyArray<LanguageModel.ProviderOptions>) => new Set(asked.map(beginning)).size

const become = (to: Partial<Scripted.World>) => (world: Scripted.World): void => void Object.assign(world, to)

describe("the beginning of a chat's requests", () => {
  it.effect("stays the same to the letter when a server joins late; the end tells of its tools and what it says (R51)", () =>
    Effect.gen(function*() {
      const { asked, parts } = yield* chat(SKY, [become(BOTH), () => {}])
      assert.strictEqual(beginnings(asked), 1)
      const [one, two, three] = asked.map(said)
      const note = two?.at(-1) ?? ""
      assert.match(note, /^user "turn 2", "\(A note of the chat server.*bank_ \(2\): pay, rate/)
      assert.include(note, "Count twice.")
      assert.notInclude(note, "moon")
      assert.notInclude(JSON.stringify(one), "Count twice.")
      // Told once, and in its place from then on.
      assert.deepStrictEqual(three?.slice(0, two?.length), two)
      assert.lengthOf(three?.filter((line) => line.includes("A note of the chat server")) ?? [], 1)
      const warnings = parts.flatMap((part) => part.type === "warning" && part.told !== undefined ? [part.message] : [])
      assert.deepStrictEqual(warnings, ["2 tools came, of bank; the model was told"])
    }))

  it.effect("tells of what comes while a turn runs behind the results of the step, and what came can be called", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const waits = tool("wait", () => Effect.as(Deferred.await(gate), ToolResult.success("go")))
      const scripted = yield* model([
        [calls("1", "wait"), finish("tool-calls")],
        [calls("2", "tool_call", { name: "bank_rate", arguments: {} }), finish("tool-calls")],
        [...says("done"), finish()],
        [...says("again"), finish()]
      ])
      const { chats, world } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        toolSearch: ALWAYS,
        builtIn: [waits],
        world: {
          ...SKY,
          call: (name) =>
            Effect.succeed({
              isError: false,
              content: [{ type: "text", text: `${name} ran` }],
              structuredContent: null,
              millis: 1
            })
        }
      })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      yield* settle
      become(BOTH)(world)
      yield* Deferred.succeed(gate, undefined)
      const parts = yield* until(chats, id, 1)
      yield* chats.send(id, message("two"))
      yield* until(chats, id, 2, parts.at(-1)?.seq)
      assert.strictEqual(beginnings(scripted.asked), 1)
      const [, two, three, later] = scripted.asked.map(said)
      assert.match(two?.at(-1) ?? "", /^user "\(A note.*bank_ \(2\)/)
      assert.match(three?.at(-1) ?? "", /bank_rate ran|rate ran/)
      assert.deepStrictEqual(later?.slice(0, three?.length), three)
    }))

  it.effect("tells of tools that left or take other arguments, and of nothing when a server only starts again", () =>
    Effect.gen(function*() {
      const changed = { ...mcpTool("sky", "moon"), isAlwaysLoaded: true }
      const first = {
        servers: [...SKY.servers, speaking("bank")],
        tools: [changed, mcpTool("bank", "rate"), mcpTool("bank", "pay")]
      }
      const { asked, parts } = yield* chat(first, [
        become({ ...first, tools: first.tools.map((one) => ({ ...one })) }),
        become({
          ...first,
          tools: [{ ...changed, inputSchema: { type: "object", properties: { phase: { type: "string" } } } }]
        }),
        become(first)
      ])
      assert.strictEqual(beginnings(asked), 1)
      const notes = parts.flatMap((part) => part.type === "warning" && part.told !== undefined ? [part.told] : [])
      assert.lengthOf(notes, 2, JSON.stringify(notes))
      assert.match(
        notes[0] ?? "",
        /take other arguments now, see tool_describe: sky_moon\. .*gone: bank_(pay|rate), bank/
      )
      assert.match(notes[1] ?? "", /New tools.*bank_ \(2\): pay, rate.*sky_moon/)
    }))

  it.effect("begins anew where a person chose it, and an hour after the last request", () =>
    Effect.gen(function*() {
      const { asked } = yield* chat(SKY, [become(BOTH), () => TestClock.adjust("61 minutes"), () => {}])
      assert.deepStrictEqual([beginnings(asked), beginnings(asked.slice(2))], [2, 1])
      assert.include(beginning(asked[2]), "Count twice.")
      const stopped = yield* chat(BOTH, [become({ ...BOTH, servers: [...SKY.servers] })])
      assert.strictEqual(beginnings(stopped.asked), 2)
      assert.notInclude(beginning(stopped.asked[1]), "Count twice.")
    }))

  it.effect("has what calls late tools from the first request on where a server still connects", () =>
    Effect.gen(function*() {
      const coming = { ...SKY, servers: [...SKY.servers, status("bank", "connecting")], settled: Effect.never }
      const fiber = yield* Effect.forkChild(chat(coming, [become(BOTH)], AUTO))
      yield* TestClock.adjust("3 seconds")
      yield* TestClock.adjust("3 seconds")
      const { asked } = yield* Fiber.join(fiber)
      assert.include(asked[0]?.tools.map(({ name }) => name) ?? [], "tool_call")
      assert.strictEqual(beginnings(asked), 1)
      assert.match(said(asked[1]).at(-1) ?? "", /bank_ \(2\): pay, rate/)
    }))

  it.effect("is a new one when nothing could call what came", () =>
    Effect.gen(function*() {
      const { asked, parts } = yield* chat(SKY, [become(BOTH)], AUTO)
      assert.strictEqual(beginnings(asked), 2)
      assert.includeMembers(asked[1]?.tools.map(({ name }) => name) ?? [], ["bank_rate", "sky_moon"])
      assert.deepStrictEqual(parts.filter((part) => part.type === "warning"), [])
    }))
})
