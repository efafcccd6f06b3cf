/** What every store of chats does, whatever is below it. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChatRecord } from "../../src/model/Chat.ts"
import { NO_USAGE, type Part, type TurnPart } from "../../src/model/Part.ts"
import type { TurnStart } from "../../src/store/ChatStore.ts"
import { ChatStore } from "../../src/store/ChatStore.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"

type Store = ChatStore["Service"]
type Case = readonly [title: string, run: (store: Store) => Effect.Effect<void, unknown>]

export const record = (id: string, more: Partial<ChatRecord> = {}): ChatRecord => ({
  id,
  owner: FIRST.id,
  title: "New chat",
  titledBy: "none",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "2026-11-22T10:00:00.000Z",
  updatedAt: "2026-11-22T10:00:00.000Z",
  ...more
})

export const turn = (number: number, more: Partial<TurnStart> = {}): TurnStart => ({
  turn: number,
  key: null,
  text: `message ${number}`,
  agent: "Assistant",
  model: "test/model",
  createdAt: "2026-11-22T10:00:00.000Z",
  state: "running",
  replacedBy: null,
  attachments: [],
  ...more
})

/** Parts of a turn, numbered on from `after`. */
export const numbered = (turn: number, after: number, parts: ReadonlyArray<TurnPart>): ReadonlyArray<Part> =>
  parts.map((part, index) => ({ ...part, turn, seq: after + index + 1 }))

export const said = (text: string): TurnPart => ({ type: "text-delta", text })

export const result = (id: string, text: string): TurnPart => ({
  type: "tool-result",
  id,
  isError: false,
  text,
  content: [{ type: "text", text }],
  truncated: null,
  origin: null,
  millis: 3
})

/** A chat with one message and its answer. */
const chat = Effect.fnUntraced(function*(store: Store, id: string, text: string, answer: string, more = {}) {
  yield* store.put(record(id, more))
  yield* store.putTurn(id, turn(1, { text }))
  yield* store.append(id, numbered(1, 0, [said(answer)]))
})

const foundBy = (store: Store, words: string) =>
  Effect.map(store.search(FIRST.id, words, 50), (hits) => hits.map(({ record }) => record.id))

/** They break quoting, encodings, patterns and query languages where something does not keep them apart. */
export const HOSTILE = [
  "\"quoted\" 'single' `back` \\ slash",
  "NEAR(a b) OR NOT c AND * ^ : { } ( ) -- ; DROP TABLE chats;",
  "100% _under_ [set] ?1 $1 :name @at",
  "nul \0 and lone \ud800 surrogate \udfff",
  "👩‍👩‍👧‍👦 flags 🇩🇪 and e\u0301 combining \u200b zero \u202e turned",
  "<script>alert(1)</script> &amp; ]]>",
  "line\r\nbreaks\u2028and\u2029more\ttabs",
  "x".repeat(10_000),
  "\"*\" & | ! <-> :*"
]

export const cases: ReadonlyArray<Case> = [
  ["gives back what it was given, in order", (store) =>
    Effect.gen(function*() {
      const attachments = [
        { id: "f", kind: "image", name: "a.png", mediaType: "image/png", bytes: 3, server: null, uri: null }
      ] as const
      const parts = [
        ...numbered(1, 0, [said("one "), {
          type: "tool-call",
          id: "c",
          name: "t",
          server: "s",
          args: { a: [1, null] }
        }]),
        ...numbered(1, 2, [result("c", "done")]),
        ...numbered(2, 3, [said("two")])
      ]
      yield* store.put(record("a", { title: "First" }))
      yield* store.putTurn("a", turn(1, { attachments, state: "ended" }))
      yield* store.putTurn("a", turn(2))
      yield* store.append("a", parts.slice(0, 2))
      yield* store.append("a", parts.slice(2))
      assert.deepStrictEqual(yield* store.get("a"), {
        record: record("a", { title: "First" }),
        turns: [
          { ...turn(1, { attachments, state: "ended" }), parts: parts.slice(0, 3) },
          { ...turn(2), parts: parts.slice(3) }
        ],
        lastSeq: 4,
        lastTurn: 2
      })
      assert.deepStrictEqual(yield* store.list(FIRST.id), [record("a", { title: "First" })])
    })],
  ["gives the head of a chat as the chat itself has it", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "one", "answer")
      yield* store.putTurn("a", turn(2, { state: "waiting" }))
      yield* store.put(record("empty", { titleUsage: { ...NO_USAGE, cost: 0.1 } }))
      for (const id of ["a", "empty"]) {
        const { turns, ...rest } = (yield* store.get(id)) ?? assert.fail("no chat")
        assert.deepStrictEqual(yield* store.head(id), { ...rest, turns: turns.map(({ parts: _, ...start }) => start) })
      }
      yield* store.claim("a")
      assert.deepInclude(yield* store.head("a"), { lastSeq: 1, lastTurn: 2 })
      assert.strictEqual((yield* store.head("empty"))?.record.titleUsage?.cost, 0.1)
    })],
  [
    "tells when each part of a turn was kept, and nothing of parts that were brought here",
    (store) =>
      Effect.gen(function*() {
        yield* chat(store, "a", "one", "answer")
        yield* store.append("a", numbered(2, 1, [said("two"), said("three")]))
        const { before, parts } = yield* store.timed("a", 2)
        assert.deepStrictEqual(parts.map(({ part }) => part.seq), [2, 3])
        const times = [before, ...parts.map(({ at }) => at)]
        assert.isTrue(times.every((at, index) => at !== null && at >= (times[index - 1] ?? 0)), times.join())
        const imported = { ...turn(1, { state: "ended" }), parts: numbered(1, 0, [said("old")]) }
        yield* store.add({ record: record("b"), turns: [imported], files: new Map() })
        assert.deepStrictEqual(yield* store.timed("b", 1), {
          before: null,
          parts: imported.parts.map((part) => ({ part, at: null }))
        })
        assert.deepStrictEqual(yield* store.timed("b", 9), { before: null, parts: [] })
        assert.deepStrictEqual(yield* store.timed("none", 1), { before: null, parts: [] })
      })
  ],
  ["takes a whole chat at once, which is found by its words", (store) =>
    Effect.gen(function*() {
      const parts = numbered(1, 0, Array.from({ length: 1200 }, (_, at) => said(at === 700 ? "needle " : "hay ")))
      const turns = [
        { ...turn(1, { state: "ended" }), parts },
        { ...turn(2, { state: "ended", text: "thread" }), parts: numbered(2, 1200, [said("end")]) }
      ]
      const files = new Map([["1-1", new Uint8Array([1, 2])]])
      yield* store.add({ record: record("a", { title: "Whole" }), turns, files })
      assert.deepStrictEqual(yield* store.get("a"), {
        record: record("a", { title: "Whole" }),
        turns,
        lastSeq: 1201,
        lastTurn: 2
      })
      assert.deepStrictEqual(yield* store.file("a", "1-1"), new Uint8Array([1, 2]))
      assert.deepStrictEqual(yield* store.unfinished, [])
      assert.deepStrictEqual(yield* foundBy(store, "needle thread whole"), ["a"])
    })],
  ["has nothing of a chat that is not there", (store) =>
    Effect.gen(function*() {
      for (const id of ["none", "", "\0", "\ud800", "x".repeat(5000), "' OR ''='"]) {
        assert.isNull(yield* store.get(id))
        assert.isNull(yield* store.head(id))
        assert.isNull(yield* store.file(id, "f"))
        assert.deepStrictEqual(yield* store.parts(id, 0, 10), [])
        yield* store.claim(id)
        yield* store.remove(id)
      }
    })],
  ["replaces what is known of a chat or a turn and keeps the rest", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "before", "answer")
      yield* store.put(record("a", { title: "Renamed", titledBy: "person" }))
      yield* store.putTurn("a", turn(1, { text: "before", state: "ended", replacedBy: 2 }))
      const stored = yield* store.get("a")
      assert.strictEqual(stored?.record.title, "Renamed")
      assert.deepStrictEqual(stored?.turns, [
        { ...turn(1, { text: "before", state: "ended", replacedBy: 2 }), parts: numbered(1, 0, [said("answer")]) }
      ])
    })],
  ["gives the parts after a number, and so many of them", (store) =>
    Effect.gen(function*() {
      yield* store.put(record("a"))
      yield* store.putTurn("a", turn(1))
      const parts = numbered(1, 0, Array.from({ length: 12_000 }, (_, index) => said(`${index} `)))
      yield* store.append("a", parts)
      assert.deepStrictEqual(yield* store.parts("a", 0, 20_000), parts)
      assert.deepStrictEqual(yield* store.parts("a", 5, 3), parts.slice(5, 8))
      assert.deepStrictEqual(yield* store.parts("a", 12_000, 3), [])
      assert.deepStrictEqual(yield* store.parts("a", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), [])
      assert.deepStrictEqual(yield* store.parts("a", 11_999, Infinity), parts.slice(-1))
    })],
  [
    "gives the first part however long it is, and those after it that are short together",
    (store) =>
      Effect.gen(function*() {
        yield* store.put(record("a"))
        yield* store.putTurn("a", turn(1))
        const parts = numbered(1, 0, [9000, 400, 400, 400, 9000, 1].map((length) => said("x".repeat(length))))
        yield* store.append("a", parts)
        assert.deepStrictEqual(yield* store.parts("a", 0, 10, 1000), parts.slice(0, 3))
        assert.deepStrictEqual(yield* store.parts("a", 0, 2, 1000), parts.slice(0, 2))
        assert.deepStrictEqual(yield* store.parts("a", 1, 10, 1000), parts.slice(1, 4))
        assert.deepStrictEqual(yield* store.parts("a", 3, 10, 1000), parts.slice(3, 4))
        assert.deepStrictEqual(yield* store.parts("a", 4, 10, 1000), parts.slice(4))
        assert.deepStrictEqual(yield* store.parts("a", 6, 10, 1000), [])
        assert.deepStrictEqual(yield* store.parts("b", 0, 10, 1000), [])
      })
  ],
  ["remembers the number of a turn that was removed", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "first", "answer")
      yield* store.putTurn("a", turn(2, { text: "dropped", state: "waiting" }))
      yield* store.removeTurn("a", 2)
      const stored = yield* store.get("a")
      assert.deepStrictEqual(stored?.turns.map(({ turn }) => turn), [1])
      assert.strictEqual(stored?.lastTurn, 2)
      assert.deepStrictEqual(yield* foundBy(store, "dropped"), [])
    })],
  ["names the chats with a turn that has not ended", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "running", "a", "b")
      yield* chat(store, "ended", "a", "b")
      yield* store.putTurn("ended", turn(1, { state: "ended" }))
      yield* chat(store, "waiting", "a", "b")
      yield* store.putTurn("waiting", turn(1, { state: "ended" }))
      yield* store.putTurn("waiting", turn(2, { state: "waiting" }))
      assert.sameMembers([...yield* store.unfinished], ["running", "waiting"])
    })],
  ["removes a chat with all that belongs to it, and writes nothing to it any more", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "needle in a message", "needle in an answer", { title: "needle in a title" })
      yield* chat(store, "b", "another", "one")
      yield* store.putFile("a", "f", new Uint8Array([1]))
      assert.deepStrictEqual(yield* foundBy(store, "needle"), ["a"])
      yield* store.remove("a")
      yield* store.append("a", numbered(1, 1, [said("late")]))
      yield* store.putTurn("a", turn(2))
      yield* store.putFile("a", "g", new Uint8Array([2]))
      assert.isNull(yield* store.get("a"))
      assert.isNull(yield* store.file("a", "f"))
      assert.isNull(yield* store.file("a", "g"))
      assert.deepStrictEqual(yield* store.parts("a", 0, 10), [])
      assert.deepStrictEqual(yield* foundBy(store, "needle"), [])
      assert.deepStrictEqual((yield* store.list(FIRST.id)).map(({ id }) => id), ["b"])
    })],
  ["keeps the bytes of files", (store) =>
    Effect.gen(function*() {
      const bytes = Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 7) % 256)
      yield* store.put(record("a"))
      yield* store.putFile("a", "f", bytes)
      yield* store.putFile("a", "empty", new Uint8Array())
      assert.deepStrictEqual(yield* store.file("a", "f"), bytes)
      assert.deepStrictEqual(yield* store.file("a", "empty"), new Uint8Array())
      assert.isNull(yield* store.file("b", "f"))
      yield* store.removeFile("a", "f")
      yield* store.removeFile("a", "gone")
      assert.isNull(yield* store.file("a", "f"))
      assert.deepStrictEqual(yield* store.file("a", "empty"), new Uint8Array())
    })],
  ["keeps every text to the letter", (store) =>
    Effect.gen(function*() {
      yield* store.put(record("a", { title: HOSTILE.join("\n") }))
      const turns = HOSTILE.map((text, index) => turn(index + 1, { text, state: "ended" }))
      const parts = HOSTILE.flatMap((text, index) => numbered(index + 1, index * 2, [said(text), result("c", text)]))
      yield* Effect.forEach(turns, (turn) => store.putTurn("a", turn))
      yield* store.append("a", parts)
      const stored = yield* store.get("a")
      assert.strictEqual(stored?.record.title, HOSTILE.join("\n"))
      assert.deepStrictEqual(stored?.turns.map(({ text }) => text), HOSTILE)
      assert.deepStrictEqual(stored?.turns.flatMap(({ parts }) => parts), parts)
    })],
  ["finds all words in title, messages and answers, the chat last used first", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "old", "How do I bake bread?", "With flour.", { updatedAt: "2026-11-01T10:00:00.000Z" })
      yield* chat(store, "new", "What is flour?", "Milled grain, for bread.", { updatedAt: "2026-11-02T10:00:00.000Z" })
      yield* chat(store, "title", "hello", "hi", { title: "Flour", updatedAt: "2026-11-03T10:00:00.000Z" })
      assert.deepStrictEqual(yield* foundBy(store, "flour"), ["title", "new", "old"])
      assert.deepStrictEqual(yield* foundBy(store, "bread flour"), ["new", "old"])
      assert.deepStrictEqual(yield* foundBy(store, "bread flour bake"), ["old"])
      assert.deepStrictEqual(yield* foundBy(store, "bread hello"), [])
      assert.deepStrictEqual((yield* store.search(FIRST.id, "flour", 2)).map(({ record }) => record.id), [
        "title",
        "new"
      ])
    })],
  ["finds words by their beginnings, whatever their case and accents", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "Grüße aus Zürich, STRASSE", "naïve CAFÉ 東京タワー e\u0301te\u0301 Ω foo_bar v1.25")
      for (const words of ["grusse", "GRÜ", "zurich stras", "café", "cafe", "NAIVE", "東京", "タワー", "été", "ω"]) {
        assert.deepStrictEqual(yield* foundBy(store, words), words === "grusse" ? [] : ["a"], words)
      }
      for (const words of ["foo_bar", "bar", "v1.25", "1.25", "(café)", "\"zurich\""]) {
        assert.deepStrictEqual(yield* foundBy(store, words), words === "1.25" ? [] : ["a"], words)
      }
      assert.deepStrictEqual(yield* foundBy(store, "ürich"), [])
    })],
  [
    "finds what the running turn said a moment ago, and not what the provider took back",
    (store) =>
      Effect.gen(function*() {
        yield* chat(store, "a", "hello", "The ele")
        assert.deepStrictEqual(yield* foundBy(store, "elephant"), [])
        yield* store.append("a", numbered(1, 1, [said("phant sl")]))
        assert.deepStrictEqual(yield* foundBy(store, "elephant"), ["a"])
        yield* store.append(
          "a",
          numbered(1, 2, [
            { type: "retry", attempt: 1, limit: 3, delayMillis: 5, message: "again" },
            said("A giraffe")
          ])
        )
        assert.deepStrictEqual(yield* foundBy(store, "elephant"), [])
        yield* store.putTurn("a", turn(1, { text: "hello", state: "ended" }))
        assert.deepStrictEqual(yield* foundBy(store, "giraffe hello"), ["a"])
      })
  ],
  ["finds a chat by its present title only", (store) =>
    Effect.gen(function*() {
      yield* store.put(record("a", { title: "Walrus" }))
      assert.deepStrictEqual(yield* foundBy(store, "walrus"), ["a"])
      yield* store.put(record("a", { title: "Otter" }))
      assert.deepStrictEqual(yield* foundBy(store, "walrus"), [])
      assert.deepStrictEqual(yield* foundBy(store, "otter"), ["a"])
    })],
  ["shows at most 200 characters around the first word", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "short", `${"before ".repeat(500)}Needle${" after".repeat(500)}`)
      const [hit] = yield* store.search(FIRST.id, "needle short", 5)
      assert.isAtMost(hit?.excerpt.length ?? 0, 200)
      assert.match(hit?.excerpt ?? "", /^\S.*before Needle after.*\S$/)
    })],
  ["tells each text in which words stand, and where in it", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "old", "How do I bake bread?", "With flour.", { updatedAt: "2026-11-01T10:00:00.000Z" })
      yield* store.put(record("new", { title: "Baking", updatedAt: "2026-11-02T10:00:00.000Z" }))
      yield* store.putTurn("new", turn(1, { text: "Bread or cake?" }))
      yield* store.append("new", [
        ...numbered(1, 0, [said("One"), { type: "tool-call", id: "c", name: "t", server: null, args: {} }]),
        ...numbered(1, 2, [
          result("c", "bread in a result"),
          said("Cake, no b"),
          said("re\u0301ad; br"),
          said("eadcrumbs")
        ])
      ])
      const hits = (words: string, limit = 50) =>
        Effect.map(store.find(FIRST.id, words, limit), (all) =>
          all.map(({ excerpt, marks, record, ...rest }) => ({
            ...rest,
            id: record.id,
            excerpt,
            marked: marks.map(([from, to]) => excerpt.slice(from, to))
          })))
      const answer = "One Cake, no bre\u0301ad; breadcrumbs"
      assert.deepStrictEqual(yield* hits("bread"), [
        { id: "new", turn: 1, seq: null, role: "user", excerpt: "Bread or cake?", marked: ["Bread"] },
        { id: "new", turn: 1, seq: 4, role: "assistant", excerpt: answer, marked: ["bre\u0301ad", "breadcrumbs"] },
        { id: "old", turn: 1, seq: null, role: "user", excerpt: "How do I bake bread?", marked: ["bread"] }
      ])
      assert.deepStrictEqual((yield* hits("breadcr")).map(({ seq }) => seq), [5])
      assert.deepStrictEqual((yield* hits("bak")).map(({ id, role, turn }) => [id, role, turn]), [
        ["new", "title", null],
        ["old", "user", 1]
      ])
      // Both words stand in one text of the one chat, and in two texts of the other.
      assert.deepStrictEqual((yield* hits("bread cake")).map(({ role }) => role), ["user", "assistant"])
      assert.deepStrictEqual((yield* hits("bake flour")).map(({ role, marked }) => [role, marked]), [
        ["user", ["bake"]],
        ["assistant", ["flour"]]
      ])
      assert.strictEqual((yield* hits("bread", 2)).length, 2)
      assert.deepStrictEqual(yield* hits(" *"), [])
    })],
  [
    "gives the words far inside a long answer with what is around them, and at most 20 texts of a chat",
    (store) =>
      Effect.gen(function*() {
        yield* chat(store, "a", "x", `${"before ".repeat(500)}Needle${" after".repeat(500)}`)
        const [hit] = yield* store.find(FIRST.id, "needle", 5)
        assert.match(hit?.excerpt ?? "", /^\S.*before Needle after.*\S$/)
        assert.deepStrictEqual(hit?.marks.map(([from, to]) => hit.excerpt.slice(from, to)), ["Needle"])
        yield* store.put(record("b"))
        for (let number = 1; number <= 25; number++) yield* store.putTurn("b", turn(number, { text: "thread" }))
        assert.deepStrictEqual(
          (yield* store.find(FIRST.id, "thread", 50)).map(({ turn }) => turn),
          Array.from({ length: 20 }, (_, at) => at + 1)
        )
      })
  ],
  ["replaces a part, and nothing where there is none", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", "one", "answer")
      const other = numbered(1, 0, [said("better")])
      yield* Effect.forEach([...other, ...numbered(1, 1, [said("none")])], (part) => store.putPart("a", part))
      yield* Effect.forEach(other, (part) => store.putPart("b", part))
      assert.deepStrictEqual(yield* store.parts("a", 0, 10), other)
    })],
  ["takes any search, and finds nothing without a word", (store) =>
    Effect.gen(function*() {
      yield* chat(store, "a", HOSTILE.join(" "), HOSTILE.join(" "))
      for (const text of HOSTILE) {
        const hits = yield* store.search(FIRST.id, text, 5)
        assert.isAtMost(hits.length, 1)
        for (const { excerpt } of [...hits, ...yield* store.find(FIRST.id, text, 5)]) {
          assert.isAtMost(excerpt.length, 200)
        }
      }
      assert.deepStrictEqual(yield* foundBy(store, "quoted single"), ["a"])
      for (const text of ["", " \n", "*", "\"\"", "--", "\0", "\ud800", "👍🏽"]) {
        assert.deepStrictEqual(yield* store.search(FIRST.id, text, 5), [], JSON.stringify(text))
      }
    })],

  ["keeps the chats of each person apart", (store) =>
    Effect.gen(function*() {
      yield* store.put(record("a", { title: "Bread of the first" }))
      yield* store.put(record("b", { title: "Bread of Bob", owner: "bob" }))
      yield* store.add({ record: record("c", { title: "Bread as well", owner: "b\0b" }), turns: [], files: new Map() })
      yield* store.put(record("b", { title: "More bread of Bob", owner: "bob" }))
      const ids = Effect.fnUntraced(function*(owner: string) {
        const [listed, found, texts] = [
          (yield* store.list(owner)).map(({ id }) => id),
          (yield* store.search(owner, "bread", 9)).map(({ record }) => record.id),
          (yield* store.find(owner, "bread", 9)).map(({ record }) => record.id)
        ]
        assert.deepStrictEqual([listed, texts], [found, found], owner)
        return found
      })
      assert.deepStrictEqual(
        yield* Effect.forEach([FIRST.id, "bob", "b\0b", "bo", "%", ""], ids),
        [["a"], ["b"], ["c"], [], [], []]
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(["a", "b", "c", "d"], store.owner),
        [FIRST.id, "bob", "b\0b", null]
      )
      assert.deepStrictEqual((yield* store.ids).toSorted(), ["a", "b", "c"])
      assert.strictEqual((yield* store.head("b"))?.record.owner, "bob")
    })]
]

/** Runs each case on a store of its own. */
export const all = (
  test: (title: string, run: Effect.Effect<void, unknown, ChatStore>) => void
): void => cases.forEach(([title, run]) => test(title, ChatStore.use(run)))
