import { assert, describe, it } from "@effect/vitest"
import { type PermissionRule, Permissions, PermissionTable, PermissionText } from "../../src/index.ts"

const NOW = Date.parse("2026-11-23T12:00:00Z")

interface Given {
  readonly class?: PermissionRule.ToolClass
  readonly server?: string | null
  readonly agent?: string | null
  readonly mode?: PermissionRule.WriteMode
  readonly writes?: "off" | "ask" | null
  readonly args?: PermissionTable.Call["args"]
  readonly real?: PermissionTable.Call["real"]
  readonly grants?: ReadonlyArray<Partial<PermissionRule.Grant>>
  /** The rules of a project's file. */
  readonly project?: ReadonlyArray<object>
}

const verdict = (rules: ReadonlyArray<object>, name: string, given: Given = {}) => {
  const { grants = [], project = [], ...call } = given
  const contents = [
    PermissionText.read(JSON.stringify({ rules }), "permissions.jsonc", "user"),
    PermissionText.read(JSON.stringify({ rules: project }), ".boocode/permissions.jsonc", "project")
  ]
  const all = grants.map((grant) => ({
    print: "p",
    name,
    where: {},
    until: null,
    since: "2026-11-01T00:00:00Z",
    ...grant
  }))
  return PermissionTable.decide(Permissions.tableOf(contents, [], all), {
    name,
    server: name.split("_")[0] ?? null,
    class: "writes",
    agent: null,
    mode: "ask",
    args: {},
    print: "p",
    now: NOW,
    ...call
  })
}

type Case = readonly [
  outcome: PermissionRule.Outcome,
  rules: ReadonlyArray<object>,
  name: string,
  given?: Given
]

const cases = (title: string, all: ReadonlyArray<Case>) =>
  describe(title, () => {
    it.each(all.map((one) => [one[0], JSON.stringify(one.slice(1)), one] as const))(
      "gives %s for %s",
      (_, __, [outcome, rules, name, given]) => {
        assert.strictEqual(verdict(rules, name, given).outcome, outcome)
      }
    )
  })

const WRITE = "files_write_file"
const at = (path: unknown): Pick<Given, "args"> => ({ args: JSON.parse(JSON.stringify({ path })) })
const notes = [{ allow: WRITE, where: { path: "notes/*" } }]
const secrets = [{ allow: WRITE }, { deny: WRITE, where: { path: "secrets/*" } }]

const CLASSES = ["reads", "undeclared", "writes", "destroys"] as const
const DEFAULTS = {
  off: ["allow", "allow", "deny", "deny"],
  ask: ["allow", "allow", "ask", "ask"],
  rules: ["allow", "allow", "deny", "deny"]
} as const

cases(
  "Without a rule the class and the mode decide",
  (["off", "ask", "rules"] as const).flatMap((mode) =>
    CLASSES.map((kind, index): Case => [DEFAULTS[mode][index] ?? "deny", [], WRITE, { class: kind, mode }])
  )
)

cases("`writes` of an entry", [
  ["ask", [], WRITE, { mode: "ask", writes: "ask" }],
  ["ask", [], WRITE, { mode: "rules", writes: "ask" }],
  ["deny", [], WRITE, { mode: "off", writes: "ask" }],
  ["deny", [], WRITE, { mode: "rules", writes: "off" }],
  ["allow", [{ allow: WRITE }], WRITE, { mode: "rules", writes: "ask" }],
  ["allow", [], "files_read", { class: "reads", mode: "off", writes: "off" }]
])

cases("Outcomes: any deny, any grant, any ask, any allow", [
  ["allow", [{ allow: WRITE }], WRITE],
  ["ask", [{ ask: WRITE }], WRITE],
  ["deny", [{ deny: WRITE }], WRITE],
  ["ask", [{ allow: WRITE }, { ask: WRITE }], WRITE],
  ["ask", [{ ask: WRITE }, { allow: WRITE }], WRITE],
  ["deny", [{ allow: WRITE }, { deny: WRITE }], WRITE],
  ["deny", [{ deny: WRITE }, { allow: WRITE }], WRITE],
  ["deny", [{ ask: WRITE }, { deny: WRITE }, { allow: WRITE }], WRITE],
  ["deny", [{ deny: "*" }, { allow: WRITE }], WRITE],
  ["allow", [{ deny: "*_delete_*" }, { allow: "files_*" }], WRITE],
  ["deny", [{ allow: WRITE }], WRITE, { mode: "off" }],
  ["allow", [{ allow: WRITE }], WRITE, { mode: "rules" }],
  ["deny", [{ allow: "files_read" }], WRITE, { mode: "rules" }],
  ["ask", [{ allow: "files_read" }], WRITE],
  ["ask", [{ ask: "*" }], "files_read", { class: "reads" }],
  ["deny", [{ deny: "*" }], "files_read", { class: "reads" }],
  ["deny", [{ deny: "github_*" }], "github_get", { class: "undeclared" }],
  ["deny", [{ deny: "*" }], "grep", { class: "reads", server: null }]
])

cases("Patterns", [
  ["allow", [{ allow: "*" }], WRITE],
  ["allow", [{ allow: ["files_*"] }], WRITE],
  ["allow", [{ allow: "files_*_file" }], WRITE],
  ["ask", [{ allow: "write_file" }], WRITE],
  ["ask", [{ allow: "Files_write_file" }], WRITE],
  ["ask", [{ allow: "files_write_file_now" }], WRITE],
  ["ask", [{ allow: ["files_*", "!files_write_*"] }], WRITE],
  ["allow", [{ allow: ["files_*", "!files_write_*", WRITE] }], WRITE],
  ["allow", [{ deny: ["*", "!files_*"] }, { allow: WRITE }], WRITE],
  ["deny", [{ deny: ["*", "!files_*"] }, { allow: "*" }], "memory_add"],
  ["ask", [{ allow: "files?write_file" }], WRITE],
  ["ask", [{ allow: "files_write_(file)" }], WRITE]
])

cases("Class, server and agent", [
  ["allow", [{ allow: "*", class: "writes" }], WRITE],
  ["ask", [{ allow: "*", class: "writes" }], WRITE, { class: "destroys" }],
  ["ask", [{ allow: "*", class: "reads" }], WRITE],
  ["allow", [{ allow: "*", class: ["writes", "destroys"] }], WRITE, { class: "destroys" }],
  ["deny", [{ deny: "*", class: "undeclared" }], "github_get", { class: "undeclared" }],
  ["allow", [{ deny: "*", class: "undeclared" }], "files_read", { class: "reads" }],
  ["deny", [{ allow: "*" }, { deny: "*", class: "destroys" }], "files_delete", { class: "destroys" }],
  ["allow", [{ allow: "*", server: "files" }], WRITE],
  ["allow", [{ allow: "*", server: ["files", "memory"] }], "memory_add"],
  ["ask", [{ allow: "*", server: "memory" }], WRITE],
  ["allow", [{ allow: "*", server: "f*" }], WRITE],
  ["ask", [{ allow: "*", server: ["*", "!files"] }], WRITE],
  ["ask", [{ allow: "*", server: "*" }], "write_file", { server: null }],
  ["allow", [{ allow: "*" }], "write_file", { server: null }],
  ["allow", [{ allow: "*", agent: "Writer" }], WRITE, { agent: "Writer" }],
  ["ask", [{ allow: "*", agent: "Writer" }], WRITE, { agent: "writer" }],
  ["ask", [{ allow: "*", agent: "Writer" }], WRITE, { agent: "Reader" }],
  ["ask", [{ allow: "*", agent: "Writer" }], WRITE],
  ["ask", [{ allow: "*", agent: "Writ*" }], WRITE, { agent: "Writer" }],
  ["allow", [{ allow: "*", agent: ["Writer", "Editor"] }], WRITE, { agent: "Editor" }],
  ["deny", [{ allow: "*" }, { deny: "*", agent: "Writer" }], WRITE, { agent: "writer" }],
  ["allow", [{ allow: "*" }, { deny: "*", agent: "Writer" }], WRITE, { agent: "Reader" }],
  ["allow", [{ allow: "*" }, { deny: "*", agent: "Writer" }], WRITE]
])

cases("Time", [
  ["allow", [{ allow: WRITE, until: "2026-11-23T12:00:01Z" }], WRITE],
  ["ask", [{ allow: WRITE, until: "2026-11-23T12:00:00Z" }], WRITE],
  ["ask", [{ allow: WRITE, until: "2026-11-23T12:30:00+01:00" }], WRITE],
  ["allow", [{ allow: WRITE, until: "2026-11-23T11:30-01:00" }], WRITE],
  ["deny", [{ allow: WRITE }, { deny: WRITE, until: "2027-01-01T00:00:00Z" }], WRITE],
  ["allow", [{ allow: WRITE }, { deny: WRITE, until: "2026-01-01T00:00:00Z" }], WRITE]
])

cases("An allow by path covers what lies within, exactly", [
  ["allow", notes, WRITE, at("notes/a.md")],
  ["allow", notes, WRITE, at("notes/deep/a.md")],
  ["allow", notes, WRITE, at("./notes/a.md")],
  ["allow", notes, WRITE, at("notes/./a.md")],
  ["allow", notes, WRITE, at("notes//a.md")],
  ["allow", notes, WRITE, at("notes/deep/../a.md")],
  ["allow", notes, WRITE, at("notes/..a.md")],
  ["allow", notes, WRITE, at("notes/.a.md")],
  ["allow", notes, WRITE, at("notes/a b.md")],
  ["allow", notes, WRITE, at("notes/50%.md")],
  ["allow", [{ allow: WRITE, where: { path: "./notes/**" } }], WRITE, at("notes/a.md")],
  ["allow", [{ allow: WRITE, where: { path: "*.md" } }], WRITE, at("notes/a.md")],
  ["allow", [{ allow: WRITE, where: { path: "/home/me/notes/*" } }], WRITE, at("/home/me/notes/a.md")],
  ["allow", [{ allow: WRITE, where: { path: "C:\\notes\\*" } }], WRITE, at("C:\\notes\\a.md")],
  ["allow", [{ allow: WRITE, where: { path: "caf\u00e9/*" } }], WRITE, at("cafe\u0301/a.md")],
  ["ask", notes, WRITE, at("notes")],
  ["ask", notes, WRITE, at("notes/")],
  ["ask", notes, WRITE, at("notes2/a.md")],
  ["ask", notes, WRITE, at("other/notes/a.md")],
  ["ask", notes, WRITE, at("Notes/a.md")],
  ["ask", notes, WRITE, at("NOTES/a.md")],
  ["ask", notes, WRITE, at("/notes/a.md")],
  ["ask", notes, WRITE, at("~/notes/a.md")],
  ["ask", notes, WRITE, at("../notes/a.md")],
  ["ask", notes, WRITE, at("notes/../../notes/a.md")],
  ["ask", notes, WRITE, at("notes/../a.md")],
  ["ask", notes, WRITE, at("notes/../secrets/a.md")],
  ["ask", notes, WRITE, at("notes/deep/../../a.md")],
  ["ask", notes, WRITE, at("notes//..//a.md")],
  ["ask", notes, WRITE, at("notes/./../a.md")],
  ["ask", notes, WRITE, at("notes\\..\\a.md")],
  ["ask", notes, WRITE, at("notes\\a.md")],
  ["ask", notes, WRITE, at("notes/..\\a.md")],
  ["ask", notes, WRITE, at("notes/%2e%2e/a.md")],
  ["ask", notes, WRITE, at("notes/%2E./a.md")],
  ["ask", notes, WRITE, at("notes/..%2fa.md")],
  ["ask", notes, WRITE, at("notes/..%5Ca.md")],
  ["ask", notes, WRITE, at("notes/.\n./a.md")],
  ["ask", notes, WRITE, at("notes/.. /a.md")],
  ["ask", notes, WRITE, at("notes/... /../../a.md")],
  ["ask", notes, WRITE, at("notes/a.md\0.txt")],
  ["ask", notes, WRITE, at("elsewhere/../notes/a.md")],
  ["ask", [{ allow: WRITE, where: { path: "*" } }], WRITE, at("../a.md")],
  ["ask", [{ allow: WRITE, where: { path: "*" } }], WRITE, at("a/../../b.md")],
  ["ask", [{ allow: WRITE, where: { path: "*" } }], WRITE, at("C:../a.md")],
  ["ask", [{ allow: WRITE, where: { path: "../notes/*" } }], WRITE, at("../notes/a.md")],
  ["allow", [{ allow: WRITE, where: { path: "*" } }], WRITE, at("/etc/passwd")]
])

const address = (url: string): Pick<Given, "args"> => ({ args: { url } })
const site = [{ allow: "web_post", where: { url: "https://example.com/me/*" } }]
const whole = [{ allow: "web_post", where: { url: "https://example.com/*" } }]

cases("An allow by address", [
  ["allow", site, "web_post", address("https://example.com/me/a?b=c")],
  ["ask", site, "web_post", address("https://example.com/you/a")],
  ["ask", site, "web_post", address("https://example.com.evil.org/me/a")],
  ["ask", site, "web_post", address("https://evil.org/https://example.com/me/a")],
  ["ask", site, "web_post", address("http://example.com/me/a")],
  ["ask", site, "web_post", address("https://example.com/me/../you/a")],
  ["ask", site, "web_post", address("https://example.com/me/%2e%2e/you/a")],
  ["ask", site, "web_post", address("https://example.com/me/.%2E/you/a")],
  ["ask", site, "web_post", address("https://example.com/me\\..\\you")],
  ["ask", site, "web_post", address("https://example.com/me/.\t./you")],
  ["allow", whole, "web_post", address("https://example.com/")],
  ["allow", whole, "web_post", address("https://example.com")],
  [
    "allow",
    [{ allow: "web_post", where: { url: "https://example.com*" } }],
    "web_post",
    address("https://example.com/")
  ],
  [
    "allow",
    [{ allow: "web_post", where: { url: "https://example.com" } }],
    "web_post",
    address("https://example.com/")
  ],
  ["ask", whole, "web_post", address("https://example.com?@evil.org/")],
  ["ask", whole, "web_post", address("https://example.com\\@evil.org/")],
  ["ask", whole, "web_post", address("https://example.com:8443/")],
  ["ask", whole, "web_post", address("https://me@example.com/")]
])

const closed = [{ allow: "web_post" }, { deny: "web_post", where: { url: "https://evil.org/*" } }]

cases("A deny by address reaches the site in every spelling", [
  ["deny", closed, "web_post", address("https://evil.org/a")],
  ["deny", closed, "web_post", address("https://evil.org/")],
  ["deny", closed, "web_post", address("https://evil.org")],
  ["deny", closed, "web_post", address("https://evil.org?a=b")],
  ["deny", closed, "web_post", address("https://evil.org#a")],
  ["deny", closed, "web_post", address("HTTPS://Evil.Org")],
  ["deny", closed, "web_post", address("https://evil.org:443/a")],
  ["deny", closed, "web_post", address("https://me:word@evil.org/a")],
  ["deny", closed, "web_post", address("https:\\\\evil.org\\a")],
  ["deny", closed, "web_post", address("https:evil.org")],
  ["deny", closed, "web_post", address("https://%65vil.org/a")],
  ["deny", closed, "web_post", address(" https://evil.org/a")],
  ["allow", closed, "web_post", address("https://evil.org.example.com/")],
  ["allow", closed, "web_post", address("https://example.com/?to=https://evil.org/")],
  ["allow", closed, "web_post", address("http://evil.org/")]
])

cases("A text that is no path", [
  ["allow", [{ allow: "git_run", where: { args: "status" } }], "git_run", { args: { args: "status" } }],
  ["ask", [{ allow: "git_run", where: { args: "status" } }], "git_run", { args: { args: "rm; x/../status" } }],
  ["ask", [{ allow: "git_run", where: { args: "status" } }], "git_run", { args: { args: "./status" } }],
  ["ask", [{ allow: "git_run", where: { args: "status" } }], "git_run", { args: { args: "status " } }],
  ["ask", [{ allow: "git_run", where: { args: "status" } }], "git_run", { args: { args: "status\n" } }],
  ["allow", [{ allow: "git_run", where: { args: "log *" } }], "git_run", { args: { args: "log -p" } }]
])

cases("A deny by path reaches the path in every spelling", [
  ["deny", secrets, WRITE, at("secrets/key")],
  ["deny", secrets, WRITE, at("secrets")],
  ["deny", secrets, WRITE, at("./secrets/")],
  ["deny", secrets, WRITE, at("/home/me/secrets")],
  ["deny", secrets, WRITE, at("Secrets/Key")],
  ["deny", secrets, WRITE, at("SECRETS/key")],
  ["deny", secrets, WRITE, at("./secrets/key")],
  ["deny", secrets, WRITE, at("secrets//key")],
  ["deny", secrets, WRITE, at("secrets\\key")],
  ["deny", secrets, WRITE, at("secrets%2Fkey")],
  ["deny", secrets, WRITE, at("notes/../secrets/key")],
  ["deny", secrets, WRITE, at("notes\\..\\secrets\\key")],
  ["deny", secrets, WRITE, at("secrets/../notes/a.md")],
  ["deny", secrets, WRITE, at("/home/me/secrets/key")],
  ["deny", secrets, WRITE, at("C:\\work\\secrets\\key")],
  ["deny", secrets, WRITE, at("~/secrets/key")],
  ["deny", secrets, WRITE, at("../here/secrets/key")],
  ["deny", secrets, WRITE, at("file:///home/me/secrets/key")],
  ["deny", [{ allow: WRITE }, { deny: WRITE, where: { path: "../*" } }], WRITE, at("a/../../b")],
  ["deny", [{ allow: WRITE }, { deny: WRITE, where: { path: "*.env" } }], WRITE, at("deep/.ENV")],
  ["deny", [{ allow: WRITE }, { deny: WRITE, where: { path: "stra\u00dfe/*" } }], WRITE, at("STRASSE/a")],
  ["allow", secrets, WRITE, at("notes/a.md")],
  ["allow", secrets, WRITE, at("secrets2/key")],
  ["allow", secrets, WRITE, at("notes/secrets/key")],
  ["deny", secrets, WRITE, at("secrets/../secrets2/key")]
])

cases("An ask by path reaches like a deny", [
  ["ask", [{ allow: WRITE }, { ask: WRITE, where: { path: "secrets/*" } }], WRITE, at("Secrets\\key")],
  ["allow", [{ allow: WRITE }, { ask: WRITE, where: { path: "secrets/*" } }], WRITE, at("notes/a.md")]
])

cases("An argument that is missing or of another kind", [
  ["ask", notes, WRITE, { args: {} }],
  ["ask", notes, WRITE, { args: { Path: "notes/a.md" } }],
  ["ask", notes, WRITE, at(null)],
  ["ask", notes, WRITE, at({ of: "notes/a.md" })],
  ["ask", notes, WRITE, at([["notes/a.md"]])],
  ["ask", notes, WRITE, at([])],
  ["ask", notes, WRITE, at(["notes/a.md", { of: 1 }])],
  ["ask", [{ allow: WRITE, where: { toString: "*" } }], WRITE],
  ["ask", [{ allow: WRITE, where: { constructor: "*" } }], WRITE],
  ["allow", secrets, WRITE, { args: {} }],
  ["allow", secrets, WRITE, at([])],
  ["deny", secrets, WRITE, at(null)],
  ["deny", secrets, WRITE, at({ of: "notes/a.md" })],
  ["deny", secrets, WRITE, at([["notes/a.md"]])]
])

cases("A list", [
  ["allow", notes, WRITE, at(["notes/a.md"])],
  ["allow", notes, WRITE, at(["notes/a.md", "notes/b.md"])],
  ["ask", notes, WRITE, at(["notes/a.md", "b.md"])],
  ["ask", notes, WRITE, at(["notes/a.md", "notes/../b.md"])],
  ["deny", secrets, WRITE, at(["notes/a.md", "secrets/key"])],
  ["allow", secrets, WRITE, at(["notes/a.md", "notes/b.md"])]
])

const count = (value: unknown): Pick<Given, "args"> => ({ args: JSON.parse(JSON.stringify({ count: value })) })
const atMost = [{ allow: WRITE, where: { count: { max: 10 } } }]
const noMore = [{ allow: WRITE }, { deny: WRITE, where: { count: { min: 11 } } }]

cases("Numbers", [
  ["allow", atMost, WRITE, count(10)],
  ["allow", atMost, WRITE, count(-1)],
  ["ask", atMost, WRITE, count(10.5)],
  ["ask", atMost, WRITE, count("10")],
  ["ask", atMost, WRITE, count(true)],
  ["ask", atMost, WRITE, count(null)],
  ["ask", atMost, WRITE, count([1, 11])],
  ["allow", atMost, WRITE, count([1, 2])],
  ["allow", [{ allow: WRITE, where: { count: { min: 1, max: 3 } } }], WRITE, count(1)],
  ["ask", [{ allow: WRITE, where: { count: { min: 1, max: 3 } } }], WRITE, count(0)],
  ["ask", [{ allow: WRITE, where: { count: { min: 1, max: 3 } } }], WRITE, count(4)],
  ["allow", [{ allow: WRITE, where: { count: { min: 0 } } }], WRITE, count(0)],
  ["deny", noMore, WRITE, count(11)],
  ["allow", noMore, WRITE, count(10)],
  ["deny", noMore, WRITE, count("5")],
  ["deny", noMore, WRITE, count([1, 12])],
  ["allow", [{ allow: WRITE, where: { count: "5" } }], WRITE, count(5)],
  ["allow", [{ allow: WRITE, where: { count: "true" } }], WRITE, count(true)]
])

const branch = (value: unknown): Pick<Given, "args"> => ({ args: JSON.parse(JSON.stringify({ branch: value })) })
const branches = [{ allow: "git_push", where: { branch: { in: ["dev", "test"] } } }]
const noMain = [{ allow: "git_push" }, { deny: "git_push", where: { branch: { in: ["main"] } } }]

cases("One of some values", [
  ["allow", branches, "git_push", branch("dev")],
  ["allow", branches, "git_push", branch(["dev", "test"])],
  ["ask", branches, "git_push", branch("Dev")],
  ["ask", branches, "git_push", branch("main")],
  ["ask", branches, "git_push", branch("dev/x")],
  ["ask", branches, "git_push", branch("main/../dev")],
  ["ask", branches, "git_push", branch(["dev", "main"])],
  ["ask", [{ allow: "git_push", where: { branch: { in: ["*"] } } }], "git_push", branch("dev")],
  ["allow", [{ allow: "git_push", where: { branch: { in: [1, true] } } }], "git_push", branch(1)],
  ["allow", [{ allow: "git_push", where: { branch: { in: [1, true] } } }], "git_push", branch(true)],
  ["deny", noMain, "git_push", branch("main")],
  ["deny", noMain, "git_push", branch("MAIN")],
  ["allow", noMain, "git_push", branch("maintenance")],
  ["deny", noMain, "git_push", branch({ name: "dev" })]
])

cases("Several conditions all count", [
  ["allow", [{ allow: WRITE, where: { path: "notes/*", mode: "append" } }], WRITE, {
    args: { path: "notes/a", mode: "append" }
  }],
  ["ask", [{ allow: WRITE, where: { path: "notes/*", mode: "append" } }], WRITE, { args: { path: "notes/a" } }],
  ["ask", [{ allow: WRITE, where: { path: "notes/*", mode: "append" } }], WRITE, {
    args: { path: "notes/a", mode: "replace" }
  }],
  ["allow", [{ allow: WRITE }, { deny: WRITE, where: { path: "a", mode: "replace" } }], WRITE, {
    args: { path: "a", mode: "append" }
  }],
  ["deny", [{ allow: WRITE }, { deny: WRITE, where: { path: "a", mode: "replace" } }], WRITE, {
    args: { path: "a", mode: "replace" }
  }]
])

cases("Links", [
  ["allow", notes, WRITE, { ...at("notes/a"), real: { path: "notes/a" } }],
  ["allow", notes, WRITE, { ...at("notes/a"), real: {} }],
  ["ask", notes, WRITE, { ...at("notes/link/a"), real: { path: "/etc/a" } }],
  ["ask", notes, WRITE, { ...at("other/a"), real: { path: "notes/a" } }],
  ["ask", notes, WRITE, { ...at("notes/a"), real: { path: null } }],
  ["deny", secrets, WRITE, { ...at("notes/link"), real: { path: "secrets/key" } }],
  ["deny", secrets, WRITE, { ...at("secrets/link"), real: { path: "notes/a" } }],
  ["allow", secrets, WRITE, { ...at("notes/a"), real: { path: null } }]
])

cases("Grants", [
  ["allow", [], WRITE, { grants: [{}] }],
  ["allow", [], WRITE, { grants: [{}], mode: "rules" }],
  ["deny", [], WRITE, { grants: [{}], mode: "off" }],
  ["allow", [{ ask: WRITE }], WRITE, { grants: [{}] }],
  ["deny", [{ deny: WRITE }], WRITE, { grants: [{}] }],
  ["ask", [], WRITE, { grants: [{ print: "another" }] }],
  ["ask", [], WRITE, { grants: [{ until: NOW }] }],
  ["allow", [], WRITE, { grants: [{ until: NOW + 1 }] }],
  ["allow", [], WRITE, { grants: [{ where: { path: "notes/*" } }], ...at("notes/a.md") }],
  ["ask", [], WRITE, { grants: [{ where: { path: "notes/*" } }], ...at("notes/../a.md") }],
  ["ask", [], WRITE, { grants: [{ where: { path: "notes/*" } }], ...at("Notes/a.md") }],
  ["ask", [], WRITE, { grants: [{ where: { path: "notes/*" } }], args: {} }],
  ["ask", [{ ask: "*" }], "files_read", { class: "reads" }],
  ["allow", [{ ask: "*" }], "files_read", { class: "reads", grants: [{}] }]
])

cases("A project's file only tightens", [
  ["ask", [], WRITE, { project: [{ allow: WRITE }] }],
  ["deny", [], WRITE, { project: [{ allow: WRITE }], mode: "rules" }],
  ["ask", [{ allow: WRITE }], WRITE, { project: [{ ask: WRITE }] }],
  ["deny", [{ allow: WRITE }], WRITE, { project: [{ deny: WRITE }] }],
  ["deny", [{ deny: WRITE }], WRITE, { project: [{ allow: "*" }] }],
  ["deny", [], WRITE, { project: [{ deny: WRITE }], grants: [{}] }],
  ["deny", [], WRITE, { project: [{ ask: WRITE }], mode: "rules" }],
  ["ask", [{ ask: WRITE }], WRITE, { mode: "rules" }]
])

cases("A file that cannot be understood", [
  ["ask", [{ alow: WRITE }], WRITE],
  ["ask", [{ alow: WRITE }, { allow: "*" }], WRITE],
  ["ask", [{ alow: WRITE }], "files_read", { class: "reads" }],
  ["ask", [{ alow: WRITE }], WRITE, { grants: [{}] }],
  ["deny", [{ alow: WRITE }], WRITE, { mode: "off" }],
  ["deny", [{ alow: WRITE }], WRITE, { mode: "rules" }],
  ["deny", [{ alow: WRITE }, { deny: WRITE }], WRITE],
  ["ask", [{ deny: "x", allow: "y" }, { allow: WRITE }], WRITE],
  ["ask", [{ deny: "!x" }, { allow: WRITE }], WRITE],
  ["ask", [{ deny: [] }, { allow: WRITE }], WRITE],
  ["ask", [{ deny: "x", where: { path: "!a" } }, { allow: WRITE }], WRITE],
  ["ask", [{ deny: "x", class: "write" }, { allow: WRITE }], WRITE],
  ["ask", [{ deny: "x", until: "tomorrow" }, { allow: WRITE }], WRITE],
  ["ask", [{ deny: "x", agents: ["Writer"] }, { allow: WRITE }], WRITE],
  ["ask", [{ allow: WRITE, agents: ["Writer"] }], WRITE],
  ["ask", [{ allow: WRITE, where: { path: { max: 1, most: 2 } } }], WRITE, at("1")],
  ["ask", [{ allow: WRITE, where: { path: "!secrets/*" } }], WRITE, at("notes/a")],
  ["ask", [{ allow: WRITE, where: { path: {} } }], WRITE, at("notes/a")],
  ["ask", [{ allow: WRITE, until: "2027-01-01" }], WRITE],
  ["allow", [{ allow: WRITE, until: "2027-01-01" }, { allow: "files_*" }], WRITE],
  ["ask", [{ allow: "*" }], WRITE, { project: [{ dny: "*" }] }]
])
