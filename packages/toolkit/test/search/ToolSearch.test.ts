import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { ToolSearch } from "../../src/index.ts"

const tool = (name: string, description = "", changes: Partial<ToolSearch.Searchable> = {}): ToolSearch.Searchable => {
  const [server = ""] = name.split("_")
  return {
    name,
    server,
    tool: name.slice(server.length + 1),
    description,
    inputSchema: { type: "object", properties: {} },
    ...changes
  }
}

const TOOLS = [
  tool("files_read_file", "Reads a text file."),
  tool("files_list_directory", "Lists the files of a folder."),
  tool("git_diffStaged", "Shows what is staged for a commit."),
  tool("web_youTubeTranscript", "Gives the subtitles of a video."),
  tool("web_fetch", "Gets a page.", {
    inputSchema: { properties: { url: { type: "string", description: "Address, redirects are followed" } } }
  }),
  tool("cook_rezepte", "Sucht Rezepte für Crème brûlée und Weißbrot."),
  tool("cook_菜谱", "根据分类查询菜谱，推荐早餐"),
  tool("kr_weather", "오늘의 날씨를 알려줍니다"),
  tool("th_weather", "พยากรณ์อากาศวันนี้"),
  tool("gr_kairos", "Ο καιρός σήμερα"),
  tool("sky_forecast", "Predicts rain and wind.", { title: "Weather Forecast" })
]

const index = (tools = TOOLS) => {
  const made = ToolSearch.make()
  made.update(tools)
  return made
}

const first = (query: string, made = index()) => made.search(query)[0]?.name

describe("ToolSearch", () => {
  it("gives a tool whose name is said before all others, however it is written (R48)", () => {
    const tools = [
      ...TOOLS,
      ...Array.from({ length: 50 }, (_, at) => tool(`x${at}_diff`, "diff staged diff staged git"))
    ]
    const made = index(tools)
    for (const query of ["git_diffStaged", "diffStaged", "diff staged", "DIFF-STAGED", "please run git_diff_staged!"]) {
      assert.strictEqual(first(query, made), "git_diffStaged", query)
    }
    assert.strictEqual(first("weather forecast", made), "sky_forecast", "a title is a name too")
  })

  it("forgives slips of the hand", () => {
    for (const query of ["transcirpt", "transcrpt", "transcriptt", "trenscript", "subtitels"]) {
      assert.strictEqual(first(query), "web_youTubeTranscript", query)
    }
    assert.deepStrictEqual(index().search("zzzzqqqq"), [])
  })

  it("knows names by their parts, plurals, beginnings, parameters and their descriptions", () => {
    const asked = {
      youtube: "web_youTubeTranscript",
      tube: "web_youTubeTranscript",
      "text files": "files_read_file",
      directories: "files_list_directory",
      predict: "sky_forecast",
      url: "web_fetch",
      redirect: "web_fetch"
    }
    for (const [query, name] of Object.entries(asked)) assert.strictEqual(first(query), name, query)
  })

  it("tells words apart whose characters make one number", () => {
    const made = index([tool("x_one", "Aa AaBB"), tool("x_two", "BB"), tool("x_three", "AaAa")])
    assert.deepStrictEqual(made.search("bb").map(({ name }) => name), ["x_two", "x_one"])
    assert.strictEqual(first("aaaa", made), "x_three")
    assert.strictEqual(first("aabb", made), "x_one")
  })

  it("finds in several scripts, with and without accents and spaces", () => {
    const asked = {
      "creme brulee": "cook_rezepte",
      "Crème Brûlée": "cook_rezepte",
      "早餐": "cook_菜谱",
      "推荐菜谱": "cook_菜谱",
      "날씨": "kr_weather",
      "พยากรณ์": "th_weather",
      "ΚΑΙΡΌΣ": "gr_kairos"
    }
    for (const [query, name] of Object.entries(asked)) assert.strictEqual(first(query), name, query)
  })

  it("gives as many as were asked for, and only those that are allowed (R50)", () => {
    const made = index()
    assert.lengthOf(made.search("weather", { limit: 1 }), 1)
    const allows = (name: string) => name !== "files_read_file"
    for (const query of ["files_read_file", "read a file"]) {
      assert.notInclude(made.search(query, { allows }).map(({ name }) => name), "files_read_file")
    }
    const scores = made.search("the files of a folder").map(({ score }) => score)
    assert.deepStrictEqual(scores, scores.toSorted((one, other) => other - one))
    assert.isTrue(scores.every((score) => score > 0))
  })

  const Changes = Schema.Array(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 39 }))))
  const POOL = Array.from({ length: 40 }, (_, at) => {
    const base = TOOLS[at % TOOLS.length] ?? tool("none")
    return { ...base, name: `${base.name}${at}`, description: `${base.description} number ${at % 7}` }
  })

  it.prop("answers the same whatever came and went before, and in whatever order (R51)", [Changes], ([changes]) => {
    const grown = ToolSearch.make()
    for (const some of changes) grown.update(some.flatMap((at) => POOL[at] ?? []))
    const last = [...new Set(changes.at(-1) ?? [])].flatMap((at) => POOL[at] ?? [])
    const fresh = index(last.toReversed())
    for (const query of ["weather", "number 3", "read_file", "folder filse", "菜谱", "youtube"]) {
      assert.deepStrictEqual(grown.search(query, { limit: 40 }), fresh.search(query, { limit: 40 }))
    }
  })

  it("does only the work that a change asks for, and forgets what is gone", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => tool(`s${at % 50}_tool${at}`, `Thing number ${at}`))
    const made = index(many)
    assert.deepStrictEqual(made.update(many), { added: 0, removed: 0 })
    assert.deepStrictEqual(made.update(many.map((one) => ({ ...one }))), { added: 0, removed: 0 })
    const changed = many.map((one, at) => at === 5 ? tool(one.name, "Sings an aria") : one)
    assert.deepStrictEqual(made.update(changed), { added: 1, removed: 1 })
    assert.strictEqual(first("aria", made), many[5]?.name)
    const kept = changed.slice(0, 10)
    assert.deepStrictEqual(made.update(kept), { added: 0, removed: 9990 })
    assert.deepStrictEqual(made.search("number", { limit: 100 }), index(kept).search("number", { limit: 100 }))
    assert.deepStrictEqual(made.search("s7_tool57"), index(kept).search("s7_tool57"))
  })

  it.effect("takes many tools a part at a time, so that others go on meanwhile, and ends with exactly these", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 5000 }, (_, at) => tool(`s${at % 50}_tool${at}`, `Thing number ${at}`))
      const made = ToolSearch.make()
      let turns = 0
      const other = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.sync(() => turns++), Effect.yieldNow)))
      const both = [made.updateInSteps(many), made.updateInSteps(many.slice(0, 3000).toReversed())]
      const changes = yield* Effect.all(both, { concurrency: "unbounded" })
      assert.deepStrictEqual(changes, [{ added: 5000, removed: 0 }, { added: 0, removed: 2000 }])
      assert.isAbove(turns, 10)
      yield* Fiber.interrupt(other)
      const fresh = index(many.slice(0, 3000))
      assert.deepStrictEqual(made.search("thing tool77"), fresh.search("thing tool77"))
      const half = yield* Effect.forkChild(made.updateInSteps(many))
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      made.update(many.slice(0, 10))
      yield* Fiber.join(half)
      made.update(many)
      assert.deepStrictEqual(made.search("number", { limit: 50 }), index(many).search("number", { limit: 50 }))
    }))

  it("is bounded by what servers and models write, and takes names of JavaScript for words", () => {
    const made = index([
      tool("a_constructor", "__proto__ toString hasOwnProperty"),
      tool("a_long", "word ".repeat(1_000_000)),
      tool("a_wide", "", {
        inputSchema: {
          properties: { ...Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key${at}`, {}])), zebra: {} }
        }
      }),
      tool("a_odd", "", { inputSchema: { properties: "none" }, title: null })
    ])
    assert.strictEqual(first("constructor", made), "a_constructor")
    assert.strictEqual(first("__proto__", made), "a_constructor")
    assert.strictEqual(first("key7", made), "a_wide")
    assert.deepStrictEqual(made.search("zebra"), [])
    assert.strictEqual(first(`word ${"x".repeat(1_000_000)}`, made), "a_long")
    for (const query of ["", " ", "!?", "\ud800", "\u0000"]) assert.deepStrictEqual(made.search(query), [], query)
  })
})
