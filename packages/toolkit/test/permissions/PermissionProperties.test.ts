import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { posix, win32 } from "node:path"
import { PermissionRule, Permissions, PermissionTable, PermissionText } from "../../src/index.ts"

const MANY = { arbitrary: { runs: 300 } }
const NOW = Date.parse("2026-11-23T12:00:00Z")

// Few words, so that rules and calls meet.

const oneOf = <const Values extends readonly [Schema.Json, ...ReadonlyArray<Schema.Json>]>(
  ...values: Values
): Arbitrary.Arbitrary<Values[number]> =>
  Arbitrary.map(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: values.length - 1 }))),
    (index) => values[index] ?? values[0]
  )

const Step = oneOf(
  "a",
  "a",
  "a",
  "b",
  "A",
  "..",
  "..",
  ".",
  "",
  "\\",
  "a\\..",
  "..\\..",
  "%2e%2e",
  "%2E.",
  "..%2f..",
  ".\n.",
  ".. "
)
const Path = Arbitrary.map(Arbitrary.array(Step, { minLength: 1, maxLength: 6 }), (steps) => steps.join("/"))
const Fixed = oneOf(null, 3, 12, true, {}, [], [[]], ["a/b"], ["a/b", "b"], [null], "a", "b")
const Args = Arbitrary.map(
  Arbitrary.all({ path: Path, fixed: Fixed, kind: oneOf("path", "fixed", "none"), count: oneOf(null, 1, 12, "1") }),
  ({ count, fixed, kind, path }): Schema.JsonObject => ({
    ...kind === "none" ? {} : { path: kind === "path" ? path : fixed },
    ...count === null ? {} : { count }
  })
)

const NoWhere = { where: undefined }
const Written = Arbitrary.map(
  Arbitrary.all({
    outcome: oneOf("allow", "allow", "ask", "deny"),
    patterns: oneOf("*", "s_*", "s_write", "t_*", "s_read"),
    kind: oneOf(null, "writes", "reads"),
    agent: oneOf(null, null, "Writer"),
    where: oneOf(null, { path: "a/*" }, { path: "*" }, { path: { in: ["a", "b"] } }, { count: { max: 10 } }),
    until: oneOf(null, null, "2027-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
  }),
  ({ agent, kind, outcome, patterns, until, where }) => ({
    [outcome]: patterns,
    ...kind === null ? {} : { class: kind },
    ...agent === null ? {} : { agent },
    ...where === null ? NoWhere : { where },
    ...until === null ? {} : { until }
  })
)
const Rules = Arbitrary.array(Written, { maxLength: 5 })

const Call = Arbitrary.map(
  Arbitrary.all({
    name: oneOf("s_write", "s_read", "t_write"),
    kind: oneOf(...PermissionRule.CLASSES),
    mode: oneOf(...PermissionRule.MODES),
    writes: oneOf(null, "ask", "off"),
    agent: oneOf(null, "Writer", "Reader"),
    args: Args,
    real: oneOf(null, { path: "a/b" }, { path: "/etc/b" }, { path: null }),
    print: oneOf("p", "q")
  }),
  ({ kind, name, real, ...call }): PermissionTable.Call => ({
    ...call,
    name,
    server: name.slice(0, 1),
    class: kind,
    now: NOW,
    ...real === null ? {} : { real }
  })
)

const Grants = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.all({ print: oneOf("p", "r"), where: oneOf({}, { path: "a/*" }), until: oneOf(null, NOW - 1, NOW + 1) }),
    (grant): PermissionRule.Grant => ({ name: "s_write", since: "2026-11-01T00:00:00Z", ...grant })
  ),
  { maxLength: 2 }
)

const user = (rules: ReadonlyArray<object>) =>
  PermissionText.read(JSON.stringify({ rules }), "permissions.jsonc", "user")
const project = (content: object) =>
  PermissionText.read(JSON.stringify(content), ".boocode/permissions.jsonc", "project")

const outcome = (
  call: PermissionTable.Call,
  contents: ReadonlyArray<PermissionText.PermissionContent>,
  grants: ReadonlyArray<PermissionRule.Grant> = []
) => PermissionTable.decide(Permissions.tableOf(contents, [], grants), call).outcome

/** How much an outcome lets through. */
const much = (one: PermissionRule.Outcome): number => PermissionRule.OUTCOMES.indexOf(one)

describe("Properties of permissions", () => {
  it.prop("a deny that is added never allows more", [Rules, Written, Call, Grants], ([rules, added, call, grants]) => {
    const patterns = Object.values(added)[0]
    const { allow: _, ask: __, deny: ___, ...conditions }: Record<string, unknown> = added
    const deny = { ...conditions, deny: patterns }
    return much(outcome(call, [user([...rules, deny])], grants)) <= much(outcome(call, [user(rules)], grants))
  }, MANY)

  it.prop(
    "a project's file never allows more, whatever stands in it",
    [Rules, Rules, oneOf("off", "ask", "rules", "on"), oneOf(null, [], [{ command: ["true"] }], "x"), Call, Grants],
    ([rules, others, write, hooks, call, grants]) => {
      const without = user(rules)
      const content = project({ write, rules: others, hooks })
      const table = Permissions.tableOf([without, content], [], grants)
      assert.strictEqual(table.write, "off")
      return much(PermissionTable.decide(table, call).outcome) <= much(outcome(call, [without], grants))
    },
    MANY
  )

  it.prop("the order of rules does not matter", [Rules, Call, Grants], ([rules, call, grants]) => {
    const forwards = outcome(call, [user(rules)], grants)
    return forwards === outcome(call, [user(rules.toReversed())], grants.toReversed()) &&
      forwards === outcome(call, [user([...rules.slice(2), ...rules.slice(0, 2)])], grants)
  }, MANY)

  it.prop("a rule that allows covers no path outside what it names, however that is spelt", [Path], ([path]) => {
    const call: PermissionTable.Call = {
      name: "s_write",
      server: "s",
      class: "writes",
      agent: null,
      now: NOW,
      mode: "ask",
      print: null,
      args: { path }
    }
    if (outcome(call, [user([{ allow: "*", where: { path: "a/*" } }])]) !== "allow") return true
    const address = new URL(`https://example.com/${path}`).pathname.replaceAll(/\/+/g, "/")
    assert.isTrue(address.startsWith("/a/"), JSON.stringify(path))
    // As systems, servers and clients may read it.
    const readings = [
      path,
      path.replaceAll("\\", "/"),
      decodeURIComponent(path),
      decodeURIComponent(path).replaceAll("\\", "/"),
      win32.normalize(path).replaceAll("\\", "/"),
      path.replaceAll("\n", ""),
      path.replaceAll(/ +(?=\/|$)/g, "")
    ]
    for (const reading of readings) assert.isTrue(posix.normalize(reading).startsWith("a/"), JSON.stringify(path))
    return true
  }, { arbitrary: { runs: 300 } })

  it.prop(
    "an argument that cannot be compared allows nothing",
    [Fixed, Arbitrary.schema(Schema.Json)],
    ([one, other]) => {
      for (const value of [one, other, [one], [other], { path: "a/b" }]) {
        const isReadable = (part: unknown): boolean => part !== null && typeof part !== "object"
        if (Array.isArray(value) ? value.length > 0 && value.every(isReadable) : isReadable(value)) continue
        const call: PermissionTable.Call = {
          name: "s_write",
          server: "s",
          class: "destroys",
          agent: null,
          now: NOW,
          mode: "rules",
          print: "p",
          args: { path: value }
        }
        const grant = { print: "p", name: "s_write", where: { path: "*" }, until: null, since: "" }
        assert.strictEqual(outcome(call, [user([{ allow: "*", where: { path: "*" } }])], [grant]), "deny")
      }
      return true
    },
    MANY
  )

  it.prop("without rules and grants the outcome is the default of class and mode", [Call], ([call]) => {
    const { class: kind, mode, writes } = call
    const isWriter = kind === "writes" || kind === "destroys"
    const expected = !isWriter ? "allow" : mode === "off" || mode === "rules" && writes !== "ask" ? "deny" : "ask"
    const verdict = PermissionTable.decide({ write: "off", rules: [], grants: [], fault: null }, call)
    return verdict.outcome === expected && verdict.rule === null && verdict.grant === null
  }, MANY)

  it.prop("while a file cannot be understood nothing is allowed", [Rules, Call, Grants], ([rules, call, grants]) => {
    const broken = user([...rules, { dney: "*" }])
    return outcome(call, [broken], grants) !== "allow" &&
      much(outcome(call, [broken], grants)) <= Math.max(much(outcome(call, [user(rules)], grants)), much("ask"))
  }, MANY)

  it.prop("a tool that is not offered would be denied with any arguments", [Rules, Call, Grants], (
    [rules, call, grants]
  ) => {
    const table = Permissions.tableOf([user(rules)], [], grants)
    return PermissionTable.isOffered(table, call) || PermissionTable.decide(table, call).outcome === "deny"
  }, MANY)

  it.prop("an explanation names the rule that decided among those that apply", [Rules, Call, Grants], (
    [rules, call, grants]
  ) => {
    const table = Permissions.tableOf([user(rules)], [], grants)
    const { applies, others, ...verdict } = PermissionTable.explain(table, call)
    assert.deepStrictEqual(verdict, PermissionTable.decide(table, call))
    const named = table.rules.filter((rule) => rule.tools.allows(call.name))
    assert.strictEqual(applies.length + others.length, named.length)
    return verdict.rule === null || applies.includes(verdict.rule)
  }, MANY)
})
