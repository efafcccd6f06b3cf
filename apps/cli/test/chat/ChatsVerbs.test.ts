import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode } from "../support/Scripted.ts"

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
