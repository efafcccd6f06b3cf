import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Entries, withWorld, type World } from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { advance, tool } = ScriptedHost

const scripts: Readonly<Record<string, ScriptedHost.Script>> = {
  good: { tools: [tool("b_x"), tool("x")] },
  other: { tools: [tool("x"), tool("x_y")] },
  mute: { answer: () => null },
  stubborn: { obeysEndOfInput: false, obeysTerm: false },
  dying: { exitsAtOnce: { code: 1, stderr: "no" } }
}

const Entry = Schema.Struct({
  command: Schema.Literals(["good", "good", "other", "mute", "mute", "stubborn", "dying", "nowhere", ""]),
  args: Schema.Literals(["1", "2"]),
  enabled: Schema.Literals([true, true, true, false])
})

/** What a person does next. Of a configuration, null leaves a name out. */
const Step = Schema.Union([
  Schema.Struct({
    act: Schema.Literals(["save", "save", "save", "write"]),
    servers: Schema.Struct({
      a: Schema.NullOr(Entry),
      b: Schema.NullOr(Entry),
      a_b: Schema.NullOr(Entry),
      c: Schema.NullOr(Entry)
    })
  }),
  Schema.Struct({ act: Schema.Literals(["stop", "restart"]), name: Schema.Literals(["a", "b", "c"]) }),
  Schema.Struct({ act: Schema.Literal("wait"), seconds: Schema.Literals([1, 7, 31]) })
])
type Step = typeof Step.Type

const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(8))

const entriesOf = (servers: Readonly<Record<string, typeof Entry.Type | null>>): Entries =>
  Object.fromEntries(
    Object.entries(servers).flatMap(([name, entry]) => entry === null ? [] : [[name, { ...entry, args: [entry.args] }]])
  )

const take = ({ registry, save, write }: World, step: Step) => {
  switch (step.act) {
    case "stop":
    case "restart":
      return Effect.asVoid(Effect.forkChild(Effect.exit(registry[step.act](step.name))))
    case "wait":
      return advance(step.seconds)
    default:
      return (step.act === "save" ? save : write)(entriesOf(step.servers))
  }
}

const pids = ({ registry }: World) =>
  Effect.map(registry.servers, (all) => new Map(all.map(({ name, pid }) => [name, pid])))

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isGood = (entry: unknown): boolean =>
  Reflect.get(Object(entry), "enabled") === true && /good|other|stubborn/.test(Reflect.get(Object(entry), "command"))

/** Takes the steps, and looks after each save that nothing is as it must not be. */
const live = Effect.fnUntraced(function*(world: World, steps: ReadonlyArray<Step>) {
  let now: Entries = {}
  /** Which entry each process was started for, as far as that is known. */
  const started = new Map<number, unknown>()
  for (const step of steps) {
    const before = yield* pids(world)
    yield* take(world, step)
    // Takes effect beside the next steps, and what was stopped by hand stays stopped.
    if ("name" in step) started.delete(before.get(step.name) ?? 0)
    if ("servers" in step) now = entriesOf(step.servers)
    if (step.act !== "save") continue
    const after = yield* pids(world)
    assert.deepStrictEqual([...after.keys()], Object.keys(now).sort())
    for (const [name, entry] of Object.entries(now)) {
      const [was, is] = [before.get(name) ?? null, after.get(name) ?? null]
      const ran = was === null ? undefined : started.get(was)
      if (ran !== undefined && same(ran, entry)) assert.strictEqual(is, was, `${name} is unchanged`)
      if (ran !== undefined && !same(ran, entry) && isGood(entry)) assert.notStrictEqual(is, was, `${name} changed`)
      if (is !== null && is !== was && isGood(entry)) started.set(is, entry)
    }
    const names = (yield* world.registry.tools).map(({ name }) => name)
    assert.deepStrictEqual(names, [...new Set(names)])
  }
  yield* advance(7)
  // Of a server whose changed entry cannot be used there are two.
  assert.isAtMost(world.host.alive(), 2 * Object.keys(now).length)
})

describe("Any sequence of configurations (R68)", () => {
  it.effect.prop(
    "leaves unchanged servers their processes, gives no name twice, and leaves nothing behind",
    [Steps],
    ([steps]) =>
      Effect.gen(function*() {
        const { host, result } = yield* withWorld(scripts, {}, (world) =>
          Effect.gen(function*() {
            const exit = yield* Effect.exit(live(world, steps))
            yield* world.save({})
            yield* advance(7)
            assert.strictEqual(world.host.alive(), 0, "before the registry closed")
            return exit
          }))
        yield* result
        assert.strictEqual(host.alive(), 0)
      }),
    { arbitrary: { runs: 12 } }
  )
})
