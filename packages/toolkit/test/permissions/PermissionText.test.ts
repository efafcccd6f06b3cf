import { assert, describe, it } from "@effect/vitest"
import { PermissionRule, PermissionText } from "../../src/index.ts"

const read = (text: string, owner: PermissionText.Owner = "user") => PermissionText.read(text, "p.jsonc", owner)

const problems = (text: string, owner: PermissionText.Owner = "user") =>
  read(text, owner).problems.map(({ message }) => message)

describe("PermissionText", () => {
  it("reads rules, examples and hooks, with comments and the line of each", () => {
    const content = read(`{
  // what may be written
  "write": "rules",
  "rules": [
    { "deny": "*_delete_*", "note": "never" },
    { "allow": ["files_*", "!files_move"], "class": "writes", "server": "files", "agent": ["Writer"],
      "where": { "path": "notes/*", "mode": { "in": ["append"] }, "count": { "max": 3 } },
      "until": "2026-12-31T18:00:00+01:00" }
  ],
  "examples": [{ "tool": "files_write_file", "args": { "path": "a" }, "agent": "Writer", "expect": "deny" }],
  "hooks": [{ "command": ["check", "--strict"] }],
}`)
    assert.deepStrictEqual(content.problems, [])
    assert.strictEqual(content.write, "rules")
    assert.deepStrictEqual(content.rules.map(PermissionRule.toJson), [
      {
        outcome: "deny",
        patterns: ["*_delete_*"],
        class: null,
        server: null,
        agent: null,
        where: {},
        until: null,
        note: "never",
        source: "p.jsonc:5"
      },
      {
        outcome: "allow",
        patterns: ["files_*", "!files_move"],
        class: ["writes"],
        server: ["files"],
        agent: ["Writer"],
        where: { path: "notes/*", mode: { in: ["append"] }, count: { max: 3 } },
        until: "2026-12-31T17:00:00.000Z",
        note: null,
        source: "p.jsonc:6"
      }
    ])
    assert.deepStrictEqual(content.examples, [
      { tool: "files_write_file", args: { path: "a" }, agent: "Writer", expect: "deny", source: "p.jsonc:10" }
    ])
    assert.deepStrictEqual(content.hooks, [{ command: ["check", "--strict"], source: "p.jsonc:11" }])
  })

  it("describes a rule in one line", () => {
    const [rule] = read(`{ "rules": [{ "allow": ["files_*", "!files_move"], "class": "writes", "agent": "Writer",
      "where": { "path": "notes/*", "mode": { "in": ["a", "b"] }, "count": { "min": 1, "max": 3 } } }] }`).rules
    assert.strictEqual(
      rule === undefined ? null : PermissionRule.describe(rule),
      "allow files_*, !files_move of class writes for agent Writer " +
        "where path is notes/* and mode is one of a, b and count is 1 to 3"
    )
  })

  it("names the place, the key and the correction of each mistake", () => {
    const content = read(`{
  "wirte": "off",
  "write": "on",
  "rules": [
    { "deny": "x", "where": { "path": 3 } },
    { "allow": "x", "agnet": "Writer" },
    { "deny": "x", "deny": "y" },
    { "deny": ["!x"] },
    { "note": "none" },
    "deny"
  ],
  "examples": [{ "tool": "x", "expect": "maybe" }, { "expect": "ask" }],
  "hooks": [{ "command": "check" }, { "command": [] }]
}`)
    assert.deepStrictEqual(content.problems.map(({ hint, message }) => `${message}; ${hint}`), [
      "p.jsonc:2:3: wirte: there is no such key; did you mean \"write\"?",
      "p.jsonc:3:12: write: expected \"off\" or \"ask\" or \"rules\", found another text; write \"off\" or \"ask\" or \"rules\"",
      "p.jsonc:5:39: rules[0].where.path: expected a pattern, or an object with \"in\", or with \"min\" or \"max\", found a number; write \"notes/*\", { \"in\": [\"one\", \"two\"] } or { \"max\": 10 }",
      "p.jsonc:6:21: rules[1].agnet: there is no such key; did you mean \"agent\"?",
      "p.jsonc:7:20: rules[2].deny: is written more than once; keep one of them",
      "p.jsonc:8:15: rules[3].deny: exceptions alone name nothing; put \"*\" first",
      "p.jsonc:9:5: rules[4]: expected one of \"deny\", \"ask\", \"allow\"; write { \"deny\": \"PATTERN\" }, or \"ask\" or \"allow\"",
      "p.jsonc:10:5: rules[5]: expected a rule, found a text; write { \"deny\": \"PATTERN\" }, or \"ask\" or \"allow\"",
      "p.jsonc:12:41: examples[0].expect: expected \"deny\" or \"ask\" or \"allow\", found another text; write \"deny\" or \"ask\" or \"allow\"",
      "p.jsonc:12:52: examples[1]: \"tool\" is missing; write { \"tool\": \"NAME\", \"args\": {}, \"expect\": \"deny\" }",
      "p.jsonc:13:13: hooks[0]: expected a command; write { \"command\": [\"PROGRAM\", \"ARGUMENT\"] }",
      "p.jsonc:13:26: hooks[0].command: expected a list of texts, found a text; write [\"one\", \"two\"]",
      "p.jsonc:13:37: hooks[1]: expected a command; write { \"command\": [\"PROGRAM\", \"ARGUMENT\"] }"
    ])
    assert.strictEqual(content.fault?.key, "wirte")
    assert.deepStrictEqual(content.rules, [])
  })

  it("takes a text that is no JSON object for a fault at its place", () => {
    assert.deepStrictEqual(problems("{ \"rules\": [ }"), ["p.jsonc:1:14: expected a value"])
    assert.deepStrictEqual(problems(""), ["p.jsonc:1:1: the file is empty"])
    assert.strictEqual(read("[]").fault?.detail, "expected an object, found a list")
    assert.strictEqual(read("{ \"rules\": {} }").fault?.key, "rules")
  })

  it("leaves a wrong allow and a wrong example out without asking about everything", () => {
    const content = read(`{ "rules": [{ "allow": "x", "class": "safe" }], "examples": [{}] }`)
    assert.isNull(content.fault)
    assert.strictEqual(content.problems.length, 3)
  })

  it("takes from a project only what asks and denies", () => {
    const text = `{ "write": "rules", "rules": [{ "allow": "*" }, { "ask": "a" }, { "deny": "b" }], "hooks": [{}],
      "examples": [{ "tool": "a", "expect": "ask" }] }`
    const content = read(text, "project")
    assert.isNull(content.write)
    assert.isNull(content.fault)
    assert.deepStrictEqual(content.hooks, [])
    assert.deepStrictEqual(content.rules.map(({ outcome }) => outcome), ["ask", "deny"])
    assert.strictEqual(content.examples.length, 1)
    assert.deepStrictEqual(content.problems.map(({ key }) => key), ["write", "rules[0]", "hooks"])
    assert.strictEqual(content.problems[0]?.detail, "a project's file can only ask and deny, so this is ignored")
  })
})
