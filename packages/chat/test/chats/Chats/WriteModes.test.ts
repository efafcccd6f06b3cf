import type { McpTool } from "@boocode/mcp-registry"
import { Deferral } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { brief, message, newStore, start, until } from "../../support/Chatting.ts"
import { calls, finish, mcpTool, model, says, status, tool, type World } from "../../support/Scripted.ts"

const writing = (server: string, name: string): McpTool => ({
  ...mcpTool(server, name),
  class: "writes",
  needsApproval: true,
  isAsked: false,
  isOffered: false
})

const answer = { isError: false, content: [{ type: "text", text: "written" }], structuredContent: null, millis: 1 }

const world: Partial<World> = {
  servers: [status("a", "ready")],
  tools: [mcpTool("a", "look")],
  writers: [writing("a", "put")],
  rejected: [{
    server: "a",
    tool: "put",
    name: "a_put",
    reason: "declares itself not read-only",
    class: "writes",
    isOpenWorld: false,
    isChanged: false,
    isWriter: true,
    hint: null
  }],
  call: () => Effect.succeed(answer)
}

const named = (asked: ReadonlyArray<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>) =>
  asked.map(({ tools }) => tools.map(({ name }) => name))

const save = { ...tool("save"), class: "writes" as const }

/** A chat whose model gives these answers, with the rules of a file. */
const chatting = Effect.fnUntraced(function*(
  answers: Parameters<typeof model>[0],
  permissions: () => string,
  setup: Parameters<typeof start>[0] = {}
) {
  const { asked, model: m } = yield* model(answers)
  const started = yield* start({ models: { m }, environment: "m", world, writers: [save], permissions, ...setup })
  const { id } = yield* started.chats.create({ agent: null, model: null })
  const turn = Effect.fnUntraced(function*(number: number, more: object = {}) {
    yield* started.chats.send(id, message("go", more))
    return brief(yield* until(started.chats, id, number)).filter((line) => line.startsWith(`${number} `))
  })
  return { ...started, asked, id, turn }
})

describe("The write mode of a chat", () => {
  it.effect("gives models the tools that write while it is on, and none of them otherwise", () =>
    Effect.gen(function*() {
      const { asked, chats, id, turn } = yield* chatting([[finish()], [finish()], [finish()], [finish()]], () => "{}")
      yield* turn(1)
      yield* chats.update(id, { write: { mode: "ask", until: null } })
      yield* turn(2)
      yield* chats.update(id, { write: { mode: "rules", until: null } })
      yield* turn(3)
      yield* chats.update(id, { write: null })
      yield* turn(4)
      assert.deepStrictEqual(named(asked), [["a_look"], ["a_look", "a_put", "save"], ["a_look"], ["a_look"]])
    }))

  it.effect("ends at its time in the middle of a turn: what is called then is refused with the reason", () =>
    Effect.gen(function*() {
      const { asked, chats, id, turn } = yield* chatting(
        [
          [calls("1", "a_look"), finish("tool-calls")],
          [calls("2", "a_put"), calls("3", "save"), finish("tool-calls")],
          [...says("done"), finish()]
        ],
        () => "{}",
        { world: { ...world, call: () => Effect.as(TestClock.adjust("1 hour"), answer) } }
      )
      yield* chats.update(id, { write: { mode: "ask", until: "1970-01-01T01:00:00.000Z" } })
      const parts = yield* turn(1)
      assert.deepStrictEqual(named(asked), [["a_look", "a_put", "save"], ["a_look"], ["a_look"]])
      for (const name of ["a_put", "save"]) {
        assert.isTrue(parts.some((part) => part.includes(`${name} was not called: write mode is off`)), name)
      }
    }))

  it.effect("lets what rules allow be called without a question, in the journal with the rule", () =>
    Effect.gen(function*() {
      const { chats, id, turn } = yield* chatting(
        [[calls("1", "a_put"), finish("tool-calls")], [...says("done"), finish()]],
        () => `{ "write": "rules", "rules": [{ "allow": "a_put" }] }`
      )
      assert.deepStrictEqual(yield* turn(1), ["1 tool-call", "1 write", "1 written", "1 done", "1 stop"])
      const parts = (yield* chats.get(id)).turns.flatMap((one) => one.parts)
      assert.deepInclude(parts.find(({ type }) => type === "write"), {
        allowedBy: "rule",
        source: "permissions.jsonc:1"
      })
    }))

  it.effect("does not offer what a rule denies whatever its arguments; a search and a call say why", () =>
    Effect.gen(function*() {
      const searching = [calls("1", "tool_search", { query: "look" }), calls("2", "a_look"), finish("tool-calls")]
      const { asked, turn } = yield* chatting(
        [searching, [...says("done"), finish()]],
        () => `{ "rules": [{ "deny": "a_look", "note": "it is broken" }, { "deny": "b_*", "where": { "x": "1" } }] }`,
        {
          toolSearch: { ...Deferral.DEFAULT, mode: "always" },
          world: { ...world, tools: [mcpTool("a", "look"), mcpTool("a", "other")] }
        }
      )
      const parts = yield* turn(1)
      assert.isFalse(named(asked)[0]?.includes("a_look"))
      const [search, call] = parts.filter((part) => part.includes("a_look"))
      assert.include(search ?? "", `"rejected":[{"name":"a_look"`)
      assert.include(search ?? "", "says deny a_look (it is broken)")
      assert.include(call ?? "", "a_look was not called: permissions.jsonc:1 says deny a_look (it is broken)")
    }))

  it.effect("takes a change of the rules at the next step of the turn that runs", () =>
    Effect.gen(function*() {
      let text = "{}"
      const { asked, turn } = yield* chatting(
        [[calls("1", "a_look"), finish("tool-calls")], [calls("2", "a_look"), finish("tool-calls")], [finish()]],
        () => text,
        {
          world: {
            ...world,
            call: () => Effect.as(Effect.sync(() => void (text = `{"rules":[{"deny":"a_*"}]}`)), answer)
          }
        }
      )
      const parts = yield* turn(1)
      assert.deepStrictEqual(named(asked), [["a_look"], [], []])
      assert.include(parts.join("\n"), "a_look was not called: permissions.jsonc:1 says deny a_*")
    }))

  it.effect("refuses at once what needs a yes in a turn that nobody attends, also after a restart", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const { chats, id, turn } = yield* chatting(
        [[calls("1", "a_put"), finish("tool-calls")], [...says("done"), finish()]],
        () => `{ "write": "ask" }`,
        { store }
      )
      const parts = yield* turn(1, { unattended: true })
      assert.include(parts.join("\n"), "and nobody can answer")
      assert.isTrue((yield* chats.get(id)).turns[0]?.unattended)
    }))

  it.effect("is kept with the chat, and goes neither into a fork nor into an import", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const first = yield* chatting([[finish()]], () => "{}", { store })
      const write = { mode: "ask", until: "2999-01-01T00:00:00.000Z" } as const
      assert.deepStrictEqual((yield* first.chats.update(first.id, { write })).write, write)
      yield* first.turn(1)
      yield* first.close
      const { chats } = yield* start({ store })
      assert.deepStrictEqual((yield* chats.get(first.id)).write, write)
      assert.isNull((yield* chats.fork(first.id, 1)).write)
      const { text } = yield* chats.export(first.id, "json")
      assert.isNull((yield* chats.import(text, "json")).write)
    }))
})
