import { assert, describe, it } from "@effect/vitest"
import { PermissionExamples, Permissions, PermissionText, UnmatchedRules } from "../../src/index.ts"

const TOOLS = [
  { name: "files_write_file", server: "files", class: "writes" },
  { name: "files_read_file", server: "files", class: "reads" },
  { name: "memory_add", server: "memory", class: "undeclared" },
  { name: "grep", server: null, class: "reads" }
] as const

const read = (content: object) => PermissionText.read(JSON.stringify(content), "p.jsonc", "user")

const messages = (rules: ReadonlyArray<object>) =>
  UnmatchedRules.find(read({ rules }).rules, TOOLS, Date.parse("2026-11-23")).map(({ message }) => message)

describe("UnmatchedRules", () => {
  it("reports a rule that matches no tool, with the nearest names", () => {
    assert.deepStrictEqual(messages([{ allow: "files_wirte_file" }, { deny: "file_read*" }, { deny: "zebra" }]), [
      "it matches no tool of 4; did you mean files_write_file or files_read_file?",
      "it matches no tool of 4; did you mean files_read_file?",
      "it matches no tool of 4"
    ])
  })

  it("reports a rule whose class or server leaves no tool of those that it names", () => {
    assert.deepStrictEqual(messages([{ allow: "memory_*", class: "reads" }, { allow: "files_*", server: "memory" }]), [
      "it names memory_add, but it is for reads",
      "it names files_write_file, but it is for memory"
    ])
  })

  it("says nothing of rules that match, of agents and arguments, and of rules that are over", () => {
    assert.deepStrictEqual(
      messages([
        { deny: "*" },
        { allow: "files_*", agent: "Nobody", where: { path: "x" } },
        { allow: "zebra", until: "2020-01-01T00:00:00Z" }
      ]),
      []
    )
  })
})

describe("PermissionExamples", () => {
  it("tells which examples come out as expected, which do not and why, and whose tool nobody knows", () => {
    const content = read({
      write: "rules",
      rules: [{ allow: "files_*", where: { path: "notes/*" } }, { deny: "memory_*", agent: "Writer" }],
      examples: [
        { tool: "files_write_file", args: { path: "notes/a" }, expect: "allow" },
        { tool: "files_write_file", args: { path: "a" }, expect: "deny" },
        { tool: "files_write_file", args: { path: "b" }, expect: "ask" },
        { tool: "memory_add", agent: "Writer", expect: "deny" },
        { tool: "memory_add", expect: "deny" },
        { tool: "zebra", expect: "deny" }
      ]
    })
    const report = PermissionExamples.run(Permissions.tableOf([content]), content.examples, TOOLS, 0)
    assert.strictEqual(report.passed, 3)
    assert.deepStrictEqual(
      report.failed.map(({ example, outcome, verdict }) => [example.args, outcome, verdict.why]),
      [[{ path: "b" }, "deny", "no rule allows it"], [{}, "allow", "no rule is about it"]]
    )
    assert.deepStrictEqual(report.unknown.map(({ tool }) => tool), ["zebra"])
  })

  it("counts `writes` of the server's entry", () => {
    const content = read({ examples: [{ tool: "files_write_file", expect: "ask" }] })
    const tools = [{ ...TOOLS[0], writes: "ask" }] as const
    assert.strictEqual(PermissionExamples.run(Permissions.tableOf([content]), content.examples, tools, 0).passed, 1)
  })
})
