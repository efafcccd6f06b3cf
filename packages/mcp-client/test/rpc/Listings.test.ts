import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { RequestFailed } from "../../src/errors/McpError.ts"
import * as Listings from "../../src/rpc/Listings.ts"

/** A server that answers by the cursor, and the cursors it was asked for. */
const server = (answer: (cursor: string | null, request: number) => Schema.JsonObject) => {
  const asked: Array<string | null> = []
  const page = (cursor: string | null) => Effect.sync(() => answer(cursor, asked.push(cursor)))
  return { asked, page }
}

const pages = (contents: Readonly<Record<string, Schema.JsonObject>>) =>
  server((cursor) => contents[cursor ?? "start"] ?? assert.fail(`no page at ${cursor}`))

const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))
const many = (count: number, lead = "t") => Array.from({ length: count }, (_, index) => ({ name: `${lead}${index}` }))

/** A page that takes so many characters. */
const taking = (characters: number, page: Schema.JsonObject): Schema.JsonObject => ({
  ...page,
  _meta: " ".repeat(characters - JSON.stringify({ ...page, _meta: "" }).length)
})

const nested = (levels: number): Schema.JsonObject => {
  let inputSchema: Schema.JsonObject = {}
  for (let level = 0; level < levels; level++) inputSchema = { items: inputSchema }
  return { name: "deep", inputSchema }
}

describe("Pages.collect", () => {
  it.effect("follows the cursor over all pages, in order (R53)", () =>
    Effect.gen(function*() {
      const { asked, page } = pages({
        start: { tools: named("a", "b"), nextCursor: "2" },
        2: { tools: named("c"), nextCursor: "3" },
        3: { tools: named("d") }
      })
      assert.deepStrictEqual(yield* Listings.collect(Listings.TOOLS, page), {
        items: named("a", "b", "c", "d"),
        diagnostics: [],
        ttlMillis: null
      })
      assert.deepStrictEqual(asked, [null, "2", "3"])
    }))

  it.effect("says that a page has no list, and keeps the others; it shows little of a cursor that is no text", () =>
    Effect.gen(function*() {
      const listed = (start: Schema.JsonObject, second: Schema.JsonObject = {}) =>
        Effect.map(
          Listings.collect(Listings.TOOLS, pages({ start, 2: second }).page),
          ({ diagnostics, items }) => [items.length, ...diagnostics]
        )
      for (const tools of [undefined, null, {}, "a", 7]) {
        const page = tools === undefined ? {} : { tools }
        assert.deepStrictEqual(
          yield* listed(page),
          [0, "page 1 of its list has no list of tools"],
          JSON.stringify(tools)
        )
      }
      assert.deepStrictEqual(yield* listed({ tools: named("a"), nextCursor: "2" }, { tools: { b: {} } }), [
        1,
        "page 2 of its list has no list of tools"
      ])
      const long = { tools: named("a"), nextCursor: ["x".repeat(1_000_000)] }
      assert.isBelow(String((yield* listed(long))[1]).length, 300)
    }))

  it.effect("holds for as long as its shortest page says, if each of them says so", () =>
    Effect.gen(function*() {
      const ttl = (first: Schema.Json, second: Schema.Json) =>
        Effect.map(
          Listings.collect(
            Listings.TOOLS,
            pages({
              start: { tools: named("a"), nextCursor: "2", ttlMs: first },
              2: { tools: named("b"), ttlMs: second }
            }).page
          ),
          ({ ttlMillis }) => ttlMillis
        )
      assert.strictEqual(yield* ttl(9000, 300), 300)
      assert.strictEqual(yield* ttl(0, 300), 0)
      assert.isNull(yield* ttl(9000, "300"))
      assert.isNull(yield* ttl(null, 300))
    }))

  it.effect("stops at an empty, null or meaningless cursor, and tells of the empty and the meaningless one (R54)", () =>
    Effect.gen(function*() {
      const odd = "stopped listing after page 1: its nextCursor is no text"
      const told: ReadonlyArray<[Schema.Json, ReadonlyArray<string>]> = [
        ["", ["the server ended its list with an empty cursor"]],
        [null, []],
        [7, [`${odd} (7)`]],
        [{}, [`${odd} ({})`]]
      ]
      for (const [nextCursor, diagnostics] of told) {
        const { asked, page } = pages({ start: { tools: named("a"), nextCursor } })
        assert.deepStrictEqual(yield* Listings.collect(Listings.TOOLS, page), {
          items: named("a"),
          diagnostics,
          ttlMillis: null
        })
        assert.lengthOf(asked, 1)
      }
    }))

  it.effect("stops at a cursor that comes again, with what there is and a diagnostic (R54)", () =>
    Effect.gen(function*() {
      const { asked, page } = pages({
        start: { tools: named("a"), nextCursor: "x" },
        x: { tools: named("b"), nextCursor: "y" },
        y: { tools: named("c"), nextCursor: "x" }
      })
      assert.deepStrictEqual(yield* Listings.collect(Listings.TOOLS, page), {
        items: named("a", "b", "c"),
        diagnostics: ["stopped listing after page 3: the server gave the same cursor twice"],
        ttlMillis: null
      })
      assert.deepStrictEqual(asked, [null, "x", "y"])
    }))

  it.effect("stops after 100 pages of ever new cursors, with a diagnostic (R54)", () =>
    Effect.gen(function*() {
      const { asked, page } = server((_, request) => ({ tools: named(`t${request}`), nextCursor: `c${request}` }))
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.lengthOf(asked, 100)
      assert.lengthOf(items, 100)
      assert.deepStrictEqual(diagnostics, ["stopped listing after 100 pages"])
    }))

  it.effect("says nothing when the hundredth page is the last", () =>
    Effect.gen(function*() {
      const { page } = server((_, request) => ({
        tools: named(`t${request}`),
        ...(request === 100 ? {} : { nextCursor: `c${request}` })
      }))
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.lengthOf(items, 100)
      assert.deepStrictEqual(diagnostics, [])
    }))

  it.effect("keeps 10,000 tools, whether they come in many pages or in one", () =>
    Effect.gen(function*() {
      const endless = server((_, request) => ({ tools: many(3000, `page${request}_`), nextCursor: `c${request}` }))
      const paged = yield* Listings.collect(Listings.TOOLS, endless.page)
      assert.lengthOf(endless.asked, 4)
      const whole = yield* Listings.collect(Listings.TOOLS, pages({ start: { tools: many(200_000) } }).page)
      for (const { diagnostics, items } of [paged, whole]) {
        assert.lengthOf(items, 10_000)
        assert.deepStrictEqual(diagnostics, ["stopped listing after 10000 tools"])
      }
      const exact = yield* Listings.collect(Listings.TOOLS, pages({ start: { tools: many(10_000) } }).page)
      assert.deepStrictEqual(exact.diagnostics, [])
    }))

  it.effect("stops at a server that answers with its first page whatever the cursor is (R54)", () =>
    Effect.gen(function*() {
      const stuck = server((_, request) => ({ tools: named("a", "b"), nextCursor: `c${request}` }))
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, stuck.page)
      assert.deepStrictEqual(items, named("a", "b"))
      assert.deepStrictEqual(diagnostics, ["stopped listing after page 2: it brought nothing new"])
      assert.lengthOf(stuck.asked, 2)
    }))

  it.effect("keeps a place for what is no object, and takes a missing list for an empty one (R8)", () =>
    Effect.gen(function*() {
      const { page } = pages({
        start: { tools: [{ name: "a" }, null, "b", 7, [], { name: "c" }], nextCursor: "2" },
        2: { nextCursor: "3" },
        3: { tools: "none", nextCursor: "4" },
        4: { tools: named("d") }
      })
      const { items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.deepStrictEqual(items.filter((tool) => "name" in tool), named("a", "c", "d"))
      assert.lengthOf(items, 7)
    }))

  it.effect("stops once the tools take 32 million characters, however many pages there would be (R54)", () =>
    Effect.gen(function*() {
      const { asked, page } = server((_, request) =>
        taking(5_000_000, { tools: named(`t${request}`), nextCursor: `c${request}` })
      )
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.lengthOf(asked, 7)
      assert.lengthOf(items, 7)
      assert.deepStrictEqual(diagnostics, ["stopped listing after page 7: the tools so far take 35 MB"])
    }))

  it.effect("keeps tools that are nested too deep to be written out, and the others (R37)", () =>
    Effect.gen(function*() {
      const deep = nested(100_000)
      const { page } = pages({ start: { tools: [...named("a"), deep], nextCursor: "2" }, 2: { tools: named("b") } })
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.deepStrictEqual(diagnostics, [])
      assert.deepStrictEqual(items.map(({ name }) => name), ["a", "deep", "b"])
    }))

  it.effect("counts what is nested too deep to be written out by what it holds, and so keeps many of it (R37)", () =>
    Effect.gen(function*() {
      const { page } = server((_, request) => ({
        tools: [{ ...nested(100_000), name: `t${request}` }],
        ...(request < 5 ? { nextCursor: `c${request}` } : {})
      }))
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.deepStrictEqual(diagnostics, [])
      assert.lengthOf(items, 5)
    }))

  it.effect("counts keys, lists and numbers as well as texts (R54)", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 600_000 }, (_, index) => index)
      for (const inputSchema of [{ enum: many }, { enum: many.map(() => []) }, { ["k".repeat(5_000_000)]: {} }]) {
        const { page } = server((_, request) => ({
          tools: [{ name: `t${request}`, inputSchema }],
          nextCursor: `c${request}`
        }))
        const { items } = yield* Listings.collect(Listings.TOOLS, page)
        assert.isBelow(items.length, 30)
      }
    }))

  it.effect("keeps all of one page, however large the message cap lets it be (R37)", () =>
    Effect.gen(function*() {
      const { page } = pages({ start: taking(64_000_000, { tools: named("a") }) })
      const { diagnostics, items } = yield* Listings.collect(Listings.TOOLS, page)
      assert.lengthOf(items, 1)
      assert.deepStrictEqual(diagnostics, [])
    }))

  it.effect("fails when a page fails", () =>
    Effect.gen(function*() {
      const reason = new RequestFailed({ method: "tools/list", code: -32603, detail: "no" })
      const error = yield* Effect.flip(Listings.collect(Listings.TOOLS, (cursor) =>
        cursor === null ? Effect.succeed({ tools: [], nextCursor: "2" }) : Effect.fail(reason)))
      assert.strictEqual(error, reason)
    }))
})
