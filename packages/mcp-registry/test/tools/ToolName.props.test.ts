import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { ToolName } from "../../src/index.ts"

/** What people and attackers call servers and tools: names that collide once they are made legal, or look made. */
const PIECES: ReadonlyArray<string> = [
  ...["a", "A", "b", "1", "_", "__", "-", "a_b", "a_b_", "view", "file", "tool", "search", "grep", "list_dir"],
  ...[".", "/", "::", " ", "\t", "\u0000", "\u202e", "é", "e\u0301", "ß", "中", "😀", "👩‍👩‍👧", "\ud800", "\u{e0041}"],
  ..."_0123abcd _deadbeef 2cf623db constructor __proto__".split(" "),
  ...["x".repeat(52), "x".repeat(53), "x".repeat(54), "y".repeat(63), "Z".repeat(64), "ü".repeat(300)]
]
const Piece = Schema.Literals(PIECES)
const Joined = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 4 }), (pieces) => pieces.join(""))
const Random = Arbitrary.schema(Schema.String)
const Name = Arbitrary.flatMap(
  Arbitrary.schema(Schema.Literals(["joined", "joined", "joined", "random"])),
  (kind) => kind === "joined" ? Joined : Random
)
const World = Arbitrary.array(Arbitrary.all({ name: Name, tools: Arbitrary.array(Name, { maxLength: 7 }) }), {
  minLength: 1,
  maxLength: 6
})
const MANY = { arbitrary: { runs: 300 } }

interface Server {
  readonly name: string
  readonly tools: ReadonlyArray<string>
}

/** Servers of one name are one server, as in a configuration. */
const merged = (world: ReadonlyArray<Server>): ReadonlyArray<Server> =>
  [...Map.groupBy(world, ({ name }) => name)].map(([name, same]) => ({
    name,
    tools: same.flatMap(({ tools }) => tools)
  }))

/** Every raw pair with the name that models know it by. */
const named = (world: ReadonlyArray<Server>): ReadonlyMap<string, string> => {
  const servers = world.map(({ name }) => name)
  return new Map(
    world.flatMap(({ name, tools }) =>
      [...ToolName.assign(name, tools, servers)].map(([tool, given]) => [JSON.stringify([name, tool]), given] as const)
    )
  )
}

/** A shuffle that a number decides. */
const shuffled = <A>(values: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  values.map((value, index) => [Math.imul(index + 1, seed | 1) ^ (seed >>> 3), value] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, value]) => value)

const sortedEntries = (names: ReadonlyMap<string, string>) =>
  [...names].toSorted(([one], [other]) => one < other ? -1 : 1)

describe("Names of tools of any servers", () => {
  it.prop(
    "are legal, not reserved, and never the same, whatever servers and tools are called (R14, R15)",
    [World],
    ([drawn]) => {
      const world = merged(drawn)
      const names = [...named(world).values()]
      for (const name of names) {
        assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
        assert.isFalse(ToolName.RESERVED.has(name))
      }
      assert.strictEqual(new Set(names).size, names.length)
      assert.strictEqual(names.length, world.reduce((sum, { tools }) => sum + new Set(tools).size, 0))
      return true
    },
    MANY
  )

  it.prop(
    "are the same in any order of servers and of each list (R14, R51)",
    [World, Arbitrary.schema(Schema.Int)],
    ([drawn, seed]) => {
      const world = merged(drawn)
      const turned = shuffled(world, seed).map(({ name, tools }) => ({ name, tools: shuffled(tools, seed) }))
      assert.deepStrictEqual(sortedEntries(named(turned)), sortedEntries(named(world)))
      return true
    },
    MANY
  )

  it.prop("lead back to their server (R14)", [World], ([drawn]) => {
    const world = merged(drawn)
    const servers = world.map(({ name }) => name)
    for (const [pair, name] of named(world)) {
      const [server, tool] = JSON.parse(pair)
      const isWhole = !/_[0-9a-f]{8}$/.test(name) || name.endsWith(`_${tool}${name.slice(-9)}`) && name.length < 64
      if (isWhole) assert.strictEqual(ToolName.owner(name, servers), server)
      else assert.isNotNull(ToolName.owner(name, servers))
    }
    return true
  }, MANY)

  it.prop(
    "stay as they are when another server lists other tools (Decision 1)",
    [World, Arbitrary.array(Name)],
    ([drawn, tools]) => {
      const world = merged(drawn)
      const [first] = world
      if (first === undefined) return true
      const before = named(world)
      const after = named(world.map((server) => server === first ? { ...server, tools } : server))
      for (const [pair, name] of before) {
        if (JSON.parse(pair)[0] !== first.name) assert.strictEqual(after.get(pair), name)
      }
      return true
    },
    MANY
  )

  it.prop(
    "change with a new server only where it claims their beginning or is their server's twin (Decision 1)",
    [World, Name],
    ([drawn, added]) => {
      const world = merged(drawn).filter(({ name }) => name !== added)
      const after = named([...world, { name: added, tools: [] }])
      const claimed = `${beginning(added)}_`
      for (const [pair, name] of named(world)) {
        const [server] = JSON.parse(pair)
        const mayChange = name.startsWith(claimed) && beginning(added).length >= beginning(server).length
        if (!mayChange) assert.strictEqual(after.get(pair), name, `${pair} was renamed by ${JSON.stringify(added)}`)
        // A name never goes to another tool: what changes gets a suffix that is its own.
        if (after.get(pair) !== name) assert.match(after.get(pair) ?? "", /_[0-9a-f]{8}$/)
      }
      return true
    },
    MANY
  )

  /** How names begin, from Decision 1 alone. */
  const beginning = (server: string): string => {
    const legal = server.replaceAll(/[^a-zA-Z0-9_-]/gu, "_")
    return /^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`
  }
})
