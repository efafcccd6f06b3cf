import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { ToolName } from "../../src/index.ts"

/** Pieces that meet, collide and go wrong often when they are put together. */
const Piece = Schema.Literals([
  "a",
  "b",
  "_",
  "__",
  "a_b",
  ".",
  "/",
  "-",
  " ",
  "1",
  "é",
  "😀",
  "\u0000",
  "\ud800",
  "view",
  "file",
  "list",
  "dir",
  "_0123abcd",
  "x".repeat(52),
  "y".repeat(300)
])

const Name = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 4 }), (pieces) => pieces.join(""))
const Server = Arbitrary.all({ name: Name, tools: Arbitrary.array(Name, { maxLength: 6 }) })
const Servers = Arbitrary.array(Server, { minLength: 1, maxLength: 5 })
const MANY = { arbitrary: { runs: 300 } }

interface Named {
  readonly server: string
  readonly tool: string
  readonly name: string
}

/** Every tool of a world under its name. Servers of one name are one server, as in a configuration. */
const nameAll = (world: ReadonlyArray<{ readonly name: string; readonly tools: ReadonlyArray<string> }>) => {
  const servers = namesOf(world)
  return servers.flatMap((server): Array<Named> => {
    const tools = world.filter(({ name }) => name === server).flatMap(({ tools }) => tools)
    return [...ToolName.assign(server, tools, servers)].map(([tool, name]) => ({ server, tool, name }))
  })
}

const namesOf = (world: ReadonlyArray<{ readonly name: string }>) => [...new Set(world.map(({ name }) => name))]

const nameOf = (server: string, tool: string, servers = [server], tools = [tool]): string =>
  ToolName.assign(server, tools, servers).get(tool) ?? assert.fail(`${tool} got no name`)

const SUFFIX = /_[0-9a-f]{8}$/
const byText = (a: Named, b: Named) => a.name < b.name ? -1 : 1

describe("ToolName.assign", () => {
  it.prop(
    "gives only legal names that are not reserved, whatever the raw ones (Decision 1, R14)",
    [Servers],
    ([world]) =>
      nameAll(world).every(({ name }) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name) && !ToolName.RESERVED.has(name)),
    MANY
  )

  it.prop(
    "gives legal names to random Unicode",
    [Schema.String, Schema.String],
    ([server, tool]) => ToolName.LEGAL.test(nameOf(server, tool)),
    MANY
  )

  it.prop("never gives one name to two tools, of one server or of several (Decision 1, R15)", [Servers], ([world]) => {
    const named = nameAll(world)
    assert.strictEqual(new Set(named.map(({ name }) => name)).size, named.length)
    assert.strictEqual(named.length, namesOf(world).reduce((sum, server) => sum + toolsOf(world, server).size, 0))
    return true
  }, MANY)

  it.prop("gives the same names in whatever order tools and servers come (Decision 1, R51)", [Servers], ([world]) => {
    const turned = world.toReversed().map(({ name, tools }) => ({ name, tools: tools.toReversed() }))
    const sorted = world.toSorted((a, b) => a.name < b.name ? -1 : 1)
      .map(({ name, tools }) => ({ name, tools: tools.toSorted() }))
    assert.deepStrictEqual(nameAll(turned).sort(byText), nameAll(world).sort(byText))
    assert.deepStrictEqual(nameAll(sorted).sort(byText), nameAll(world).sort(byText))
    return true
  }, MANY)

  it.prop("gives names in the order of the tools, those of one name the same", [Server], ([{ name, tools }]) => {
    const twice = [...tools, ...tools]
    const names = ToolName.assign(name, tools, [name])
    assert.deepStrictEqual(ToolName.inOrder(name, twice, [name]), twice.map((tool) => names.get(tool) ?? ""))
    return true
  })

  it.prop("gives a repeated tool one name", [Name, Name], ([server, tool]) => {
    assert.deepStrictEqual(
      ToolName.assign(server, [tool, tool], [server, server]),
      ToolName.assign(server, [tool], [server])
    )
    return true
  })

  it.prop(
    "suffixes b_* of a whenever a_b is configured, and no x of a_b (Decision 1)",
    [Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,20}$/))],
    ([tool]) => {
      const servers = ["a", "a_b"]
      return SUFFIX.test(nameOf("a", `b_${tool}`, servers)) && nameOf("a_b", tool, servers) === `a_b_${tool}` &&
        nameOf("a", tool, servers) === `a_${tool}`
    }
  )

  it("leaves ordinary names as they are", () => {
    const servers = ["files", "git-hub", "my.server", "_x"]
    assert.strictEqual(nameOf("files", "read_file", servers), "files_read_file")
    assert.strictEqual(nameOf("git-hub", "create-issue", servers), "git-hub_create-issue")
    assert.strictEqual(nameOf("my.server", "x", servers), "my_server_x")
    assert.strictEqual(nameOf("files", "read file", servers), "files_read_file")
    assert.strictEqual(nameOf("_x", "get", servers), "_x_get")
  })

  it("begins a name that would begin with a digit with _ (R14)", () => {
    assert.strictEqual(nameOf("1password", "get"), "_1password_get")
    assert.strictEqual(nameOf("", "get"), "__get")
  })

  it("keeps the plain name for the tool that was legal as written (R15)", () => {
    const tools = ["a.b", "a_b", "a/b"]
    assert.strictEqual(nameOf("s", "a_b", ["s"], tools), "s_a_b")
    assert.match(nameOf("s", "a.b", ["s"], tools), /^s_a_b_[0-9a-f]{8}$/)
    assert.match(nameOf("s", "a/b", ["s"], tools), /^s_a_b_[0-9a-f]{8}$/)
  })

  it("keeps the plain names for the server that was legal as written (R15)", () => {
    const servers = ["a.b", "a_b"]
    assert.strictEqual(nameOf("a_b", "x", servers), "a_b_x")
    assert.match(nameOf("a.b", "x", servers), /^a_b_x_[0-9a-f]{8}$/)
  })

  it("never takes the name of a built-in tool, nor one that looks suffixed (Decision 1)", () => {
    assert.match(nameOf("view", "file"), /^view_file_[0-9a-f]{8}$/)
    assert.match(nameOf("tool", "search"), /^tool_search_[0-9a-f]{8}$/)
    assert.match(nameOf("s", "x_0123abcd"), /^s_x_0123abcd_[0-9a-f]{8}$/)
  })

  it("cuts a name of more than 64 characters and tells it from its like (R14)", () => {
    const tools = [`${"t".repeat(300)}1`, `${"t".repeat(300)}2`]
    const names = tools.map((tool) => nameOf("s", tool, ["s"], tools))
    for (const name of names) assert.match(name, /^s_t{53}_[0-9a-f]{8}$/)
    assert.notStrictEqual(names[0], names[1])
    assert.strictEqual(nameOf("s", "t".repeat(62)), `s_${"t".repeat(62)}`)
  })

  it("tells pairs apart that are the same text when they are put together (R15)", () => {
    const servers = ["a", "a\u0000b"]
    const names = [
      nameOf("a", "b\u0000c/", servers, ["b\u0000c/", "b_c_"]),
      nameOf("a\u0000b", "c/", servers, ["c/", "c_"])
    ]
    for (const name of names) assert.match(name, /^a_b_c__[0-9a-f]{8}$/)
    assert.notStrictEqual(names[0], names[1])
  })

  it("gives today's suffixes for ever, because agents' patterns name them (R14)", () => {
    assert.strictEqual(nameOf("a", "b_x", ["a", "a_b"]), "a_b_x_2cf623db")
    assert.strictEqual(nameOf("é", "😀", ["é", "_"]), "____1419b991")
  })
})

const toolsOf = (
  world: ReadonlyArray<{ readonly name: string; readonly tools: ReadonlyArray<string> }>,
  server: string
) => new Set(world.filter(({ name }) => name === server).flatMap(({ tools }) => tools))

describe("ToolName.owner", () => {
  it.prop(
    "names the server whose plain name it is (Decision 1)",
    [Servers],
    ([world]) =>
      nameAll(world).every(({ name, server }) => SUFFIX.test(name) || ToolName.owner(name, namesOf(world)) === server),
    MANY
  )

  it.prop(
    "names the server of a suffixed name that holds the raw one whole",
    [Servers],
    ([world]) =>
      nameAll(world).every(({ name, server, tool }) =>
        name.length > 63 || !name.endsWith(`_${tool}${name.slice(-9)}`) ||
        ToolName.owner(name, namesOf(world)) === server
      ),
    MANY
  )

  it.prop(
    "never leaves an assigned name without an owner",
    [Servers],
    ([world]) => nameAll(world).every(({ name }) => ToolName.owner(name, namesOf(world)) !== null),
    MANY
  )

  it("gives a name to the longest server name that claims its beginning", () => {
    assert.strictEqual(ToolName.owner("a_b_x", ["a", "a_b"]), "a_b")
    assert.strictEqual(ToolName.owner("a_x", ["a", "a_b"]), "a")
    assert.strictEqual(ToolName.owner("a_b_x", ["a"]), "a")
    assert.strictEqual(ToolName.owner("my_server_x", ["my.server"]), "my.server")
  })

  it("gives a plain name of twins to the one that was legal as written", () => {
    assert.strictEqual(ToolName.owner("a_b_x", ["a.b", "a_b"]), "a_b")
    assert.strictEqual(ToolName.owner("a_b_x", ["a_b", "a.b"]), "a_b")
  })

  it("finds the server of a suffixed name by its suffix, where several claim its beginning", () => {
    const servers = ["a", "a_b", "a.b"]
    assert.strictEqual(ToolName.owner(nameOf("a", "b_x", servers), servers), "a")
    assert.strictEqual(ToolName.owner(nameOf("a.b", "x", servers), servers), "a.b")
    assert.strictEqual(ToolName.owner(nameOf("a_b", "x_0123abcd", servers), servers), "a_b")
  })

  it("finds the server of a name that was cut within the server's part", () => {
    const long = "s".repeat(80)
    assert.strictEqual(ToolName.owner(nameOf(long, "x", ["a", long]), ["a", long]), long)
  })

  it("knows no owner of a name that nobody claims", () => {
    assert.isNull(ToolName.owner("grep", ["a", "g"]))
    assert.isNull(ToolName.owner("ax", ["a"]))
    assert.isNull(ToolName.owner("a_x", []))
  })
})
