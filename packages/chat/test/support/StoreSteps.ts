/** Random steps on a store, and what it answers to each. */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChatStore } from "../../src/store/ChatStore.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"
import { HOSTILE, numbered, record, result, said, turn } from "./StoreSuite.ts"

const Id = Schema.Literals(["a", "b", "\0c'"])
const Turn = Schema.Literals([1, 2, 3])
const Text = Schema.Literals([
  "",
  "Grüße an die Welt",
  "naive Cafe and bread",
  "bread, flour and water",
  "東京 flour",
  ...HOSTILE
])

const step = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), id: Id, ...fields })

const Step = Schema.Union([
  step("put", { title: Text, day: Schema.Literals([1, 2, 3]) }),
  step("putTurn", { turn: Turn, text: Text, state: Schema.Literals(["waiting", "running", "ended"]) }),
  step("removeTurn", { turn: Turn }),
  step("append", { turn: Turn, texts: Schema.Array(Text) }),
  step("result", { turn: Turn, text: Text }),
  step("retry", { turn: Turn }),
  step("putFile", { text: Text }),
  step("removeFile", {}),
  step("remove", {}),
  step("get", {}),
  step("file", {}),
  step("parts", { after: Schema.Literals([0, 1, 5]) }),
  step("list", {}),
  step("unfinished", {}),
  step("search", { words: Text })
])

export type Step = typeof Step.Type

export const sequences = Arbitrary.array(Arbitrary.schema(Step), { minLength: 20, maxLength: 60 })

/** From one empty chat; what each step answered, and all there is in the end. */
export const answers = Effect.fnUntraced(function*(store: ChatStore["Service"], steps: ReadonlyArray<Step>) {
  yield* Effect.forEach(Id.literals, store.remove)
  yield* store.put(record("a"))
  const answered = yield* Effect.forEach(steps, (step) => answer(store, step))
  return {
    answered,
    left: yield* Effect.forEach(Id.literals, store.get),
    unfinished: (yield* store.unfinished).toSorted(),
    texts: yield* Effect.forEach(["bread flour", "gru", "water naive"], (words) => store.find(FIRST.id, words, 9)),
    found: yield* Effect.forEach(
      ["bread flour", "gru", "water naive", "東京"],
      (words) => store.search(FIRST.id, words, 9)
    )
  }
})

const answer = Effect.fnUntraced(function*(store: ChatStore["Service"], step: Step) {
  const next = (yield* store.get(step.id))?.lastSeq ?? 0
  switch (step.type) {
    case "put":
      return yield* store.put(record(step.id, { title: step.title, updatedAt: `2026-11-0${step.day}T00:00:00.000Z` }))
    case "putTurn":
      return yield* store.putTurn(step.id, turn(step.turn, { text: step.text, state: step.state }))
    case "removeTurn":
      return yield* store.removeTurn(step.id, step.turn)
    case "append":
      return yield* store.append(step.id, numbered(step.turn, next, step.texts.map(said)))
    case "result":
      return yield* store.append(step.id, numbered(step.turn, next, [result("c", step.text)]))
    case "retry":
      return yield* store.append(
        step.id,
        numbered(step.turn, next, [{ type: "retry", attempt: 1, limit: 2, delayMillis: 1, message: "" }])
      )
    case "putFile":
      return yield* store.putFile(step.id, "f", new TextEncoder().encode(step.text))
    case "removeFile":
      return yield* store.removeFile(step.id, "f")
    case "file":
      return yield* store.file(step.id, "f")
    case "remove":
      return yield* store.remove(step.id)
    case "get":
      return yield* store.get(step.id)
    case "parts":
      return yield* store.parts(step.id, step.after, 3)
    case "list":
      return (yield* store.list(FIRST.id)).toSorted((one, other) => one.id < other.id ? -1 : 1)
    case "unfinished":
      return (yield* store.unfinished).toSorted()
    case "search":
      return yield* store.search(FIRST.id, step.words, 2)
  }
})
