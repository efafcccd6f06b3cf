import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as MemoryStorage from "../../../../packages/mcp-client/test/support/MemoryStorage.ts"
import * as LoginSessions from "../../src/access/LoginSessions.ts"
import * as PrivateFile from "../../src/settings/PrivateFile.ts"
import * as Standing from "../support/Standing.ts"

/** A text as a node has it, whose own disk has these files. */
const textOf = ({ layer }: ReturnType<typeof MemoryStorage.make>, disk = new Map<string, string>()) =>
  Effect.provide(PrivateFile.shared("/s/words"), [layer, Standing.files(disk), Path.layer])

const adding = (word: string) => (text: string | null) => Effect.succeed([word, `${text ?? ""}${word} `] as const)

describe("A text that nodes have together", () => {
  it.effect("loses no change of nodes that change it at once, and is taken from the first that has a file", () =>
    Effect.gen(function*() {
      const storage = MemoryStorage.make("/s")
      const one = yield* textOf(storage, new Map([["/s/words", "old "]]))
      const other = yield* textOf(storage, new Map([["/s/words", "ignored "]]))
      const words = Array.from({ length: 8 }, (_, at) => `${at}`)
      const given = yield* Effect.forEach(
        words,
        (word, at) => (at % 2 === 0 ? one : other).change(adding(word)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(given, words)
      const kept = ((yield* other.read) ?? "").trim().split(" ")
      assert.strictEqual(kept[0], "old")
      assert.sameMembers(kept.slice(1), words)
    }))

  it.effect("is a file where no other node is", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      const text = yield* Effect.provide(PrivateFile.shared("/s/words"), [Standing.files(disk), Path.layer])
      yield* Effect.all([text.change(adding("a")), text.change(adding("b"))], { concurrency: 2 })
      assert.deepStrictEqual([...disk], [["/s/words", "a b "]])
      yield* text.change(() => Effect.succeed([null, null] as const))
      assert.strictEqual(yield* text.read, "a b ")
    }))
})

describe("Logins by token at the nodes of a fleet", () => {
  const node = ({ layer }: ReturnType<typeof MemoryStorage.make>) =>
    Effect.provide(LoginSessions.make("/s/sessions.json", Redacted.make("the-token")), [
      layer,
      Standing.files(new Map()),
      Path.layer
    ])

  it.effect("hold at all of them, until they end at one; the oldest of more than 200 goes", () =>
    Effect.gen(function*() {
      const storage = MemoryStorage.make("/s")
      const [one, other] = yield* Effect.all([node(storage), node(storage)])
      const id = Redacted.value(yield* one.begin)
      assert.notInclude(JSON.stringify([...storage.kept]), id)
      assert.isTrue(yield* other.isKnown(id))
      assert.isFalse(yield* other.isKnown("another"))
      yield* other.end(id)
      assert.isFalse(yield* one.isKnown(id))
      const ids = yield* Effect.forEach(Array.from({ length: 201 }), () => Effect.map(one.begin, Redacted.value))
      assert.isFalse(yield* other.isKnown(ids[0] ?? ""))
      assert.isTrue(yield* other.isKnown(ids[200] ?? ""))
    }))
})
