import type { ChatTurn } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json } from "../support/Scripted.ts"

const ONE = "0f8fad5b-d9cb-469f-a165-70867728950e"
const OTHER = "0f8fad5b-d9cb-4000-a165-70867728950e"
const THIRD = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
const script = { chatIds: [ONE, OTHER, THIRD] }

describe("ids of chats", () => {
  it.effect("are shown short, and whole with --json", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["chats", "list"], script)
      assert.match(stdout, /^7c9e6679  2026/m)
      assert.notInclude(stdout, THIRD)
      const all = yield* boocode(["chats", "list", "--json"], script)
      assert.include(all.stdout, `"id":"${THIRD}"`)
    }))

  it.effect("stand in a table that fits the terminal", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["chats", "list"], { ...script, isTerminal: true, columns: 40 })
      // oxlint-disable-next-line no-control-regex -- colours take no columns
      const lines = stdout.replaceAll(/\u001B\[\d+m/g, "").trimEnd().split("\n")
      assert.strictEqual(lines.length, 3)
      for (const line of lines) assert.isAtMost(line.length, 40)
      assert.match(lines[0] ?? "", /^0f8fad5b {2}\S+ \S+ {2}Rain in May$/)
    }))

  it.effect("may be typed by their first characters, where these are of one chat alone", () =>
    Effect.gen(function*() {
      const shown = yield* boocode(["chats", "show", "7c9e"], script)
      assert.deepStrictEqual([shown.code, shown.stdout], [0, `markdown of ${THIRD}\n`])
      assert.include((yield* boocode(["chats", "delete", "7C9E6679"], script)).log, `remove ${THIRD}`)
      const exported = yield* boocode(["chats", "export", "0f8fad5b-d9cb-40"], script)
      assert.strictEqual(exported.stdout, `json of ${OTHER}\n`.replace("json", "markdown"))
      const both = yield* boocode(["chats", "delete", "0f8fad5b"], script)
      assert.strictEqual(both.code, 1)
      assert.include(both.stderr, "2 chats begin with 0f8fad5b")
      assert.notMatch(both.log.join(" "), /remove/)
      const none = yield* boocode(["chats", "show", "7c9"], script)
      assert.include(none.stderr, "no chat has the id 7c9")
    }))

  it.effect("may be typed short for chat --chat as well", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "--chat", "7c9e", "--agent", "Assistant", "hi"], script)
      assert.include(ended.log, "update {\"agent\":\"Assistant\",\"model\":null}")
      assert.notInclude(ended.stderr, "no chat has")
    }))
})

describe("a kept chat", () => {
  it.effect("is pinned, unpinned, put into a folder and taken out of it", () =>
    Effect.gen(function*() {
      const rows = [
        [["pin", "7c9e"], { pinned: true }],
        [["unpin", "7c9e"], { pinned: false }],
        [["folder", "7c9e", "Work and more"], { folder: "Work and more" }],
        [["folder", "7c9e"], { folder: null }]
      ] as const
      for (const [words, change] of rows) {
        const { code, log, stdout } = yield* boocode(["chats", ...words], script)
        assert.deepStrictEqual([code, stdout], [0, "7c9e6679  Rain in May\n"])
        assert.include(log, `update ${JSON.stringify({ ...change, agent: null, model: null })}`)
      }
    }))

  it.effect("is forked at its last turn that has ended, or at the one that is named", () =>
    Effect.gen(function*() {
      const turn = (number: number, state: "ended" | "running"): ChatTurn => ({
        turn: number,
        key: null,
        text: "hi",
        agent: "Assistant",
        model: "openai/gpt-5",
        createdAt: "2026-05-02T10:00:00.000Z",
        state,
        replacedBy: null,
        attachments: [],
        parts: []
      })
      const turns = [turn(1, "ended"), turn(2, "ended"), turn(3, "running")]
      const last = yield* boocode(["chats", "fork", "7c9e", "--json"], { ...script, turns })
      assert.include(last.log, `fork ${THIRD} 2`)
      assert.strictEqual(Object(json(last.stdout)).id, "f")
      assert.include((yield* boocode(["chats", "fork", "7c9e", "--turn", "1"], script)).log, `fork ${THIRD} 1`)
      const empty = yield* boocode(["chats", "fork", "7c9e"], script)
      assert.deepStrictEqual([empty.code, empty.stdout], [1, ""])
      assert.match(empty.stderr, /no turn of this chat has ended/)
    }))

  it.effect("has servers and tools turned off besides those that are, or in their place, and says which are", () =>
    Effect.gen(function*() {
      const off = (...words: ReadonlyArray<string>) => boocode(["chats", "off", "7c9e", ...words], script)
      assert.strictEqual((yield* off()).stdout, "nothing is off in this chat\n")
      const some = yield* off("--server", "web", "--tool", "files_*", "--tool", "files_*")
      assert.strictEqual(some.stdout, "server  web\ntool    files_*\n")
      assert.match(some.log.join("\n"), /"off":{"servers":\["web"\],"tools":\["files_\*"\]}/)
      const none = yield* off("--clear", "--json")
      assert.deepStrictEqual(json(none.stdout), { off: { servers: [], tools: [] } })
      const wrong = yield* off("--tool", "!files_*")
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
    }))
})
