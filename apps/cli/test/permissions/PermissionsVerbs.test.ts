import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json, type Script, status, tool } from "../support/Scripted.ts"

const OWN = `{
  "write": "ask",
  "rules": [
    { "deny": "*_delete_*", "note": "by hand" },
    { "allow": "files_write_file", "where": { "path": "notes/*" }, "agent": "Writer" },
    { "ask": "files_raed" }
  ],
  "examples": [
    { "tool": "files_write_file", "args": { "path": "notes/a" }, "agent": "Writer", "expect": "allow" },
    { "tool": "files_write_file", "args": { "path": "b" }, "expect": "deny" },
    { "tool": "nobody_has", "expect": "ask" }
  ]
}`

const WRITER = { ...tool("files", "write_file"), class: "writes" as const, needsApproval: true, isAsked: false }

const SCRIPT: Script = {
  servers: [status("files"), status("web")],
  tools: [tool("files", "read")],
  writers: [WRITER, { ...tool("files", "delete_file"), class: "destroys" as const }],
  permissions: OWN
}

describe("permissions list", () => {
  it.effect("shows each rule with its place, and the one that is about no tool with the nearest name", () =>
    Effect.gen(function*() {
      const { code, log, stderr, stdout } = yield* boocode(["permissions", "list"], SCRIPT)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(stdout.split("\n"), [
        "permissions.jsonc, write mode ask",
        "",
        "  deny   *_delete_*",
        "         permissions.jsonc:4  by hand",
        "  allow  files_write_file for agent Writer where path is notes/*",
        "         permissions.jsonc:5",
        "  ask    files_raed",
        "         permissions.jsonc:6",
        "         it matches no tool of 12; did you mean files_read?",
        "",
        "  3 examples; boocode permissions test runs them",
        ""
      ])
      assert.deepStrictEqual(log, ["open", "settled", "close"])
    }))

  it.effect("fits 80 columns", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["permissions", "list"], {
        ...SCRIPT,
        isTerminal: true,
        columns: 80,
        variables: { NO_COLOR: "1" },
        permissions: JSON.stringify({
          rules: [{ deny: ["files_*", "!files_read_text_file", "github_*"], where: { path: `${"a".repeat(70)}/*` } }]
        })
      })
      for (const line of stdout.split("\n")) assert.isAtMost(line.length, 80, line)
    }))

  it.effect("starts no server where there is no rule", () =>
    Effect.gen(function*() {
      const { log, stdout } = yield* boocode(["permissions", "list"], { ...SCRIPT, permissions: "{}" })
      assert.deepStrictEqual(log, ["open", "close"])
      assert.strictEqual(stdout, "permissions.jsonc, write mode off\n\n  no rules\n")
    }))

  it.effect("blames no rule for a server that is not ready, and names that server", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* boocode(["permissions", "list", "--json"], {
        ...SCRIPT,
        servers: [status("files", { state: "failed" })],
        tools: []
      })
      assert.include(stderr, "files is failed")
      const rules: ReadonlyArray<{ readonly problem: string | null }> = Object(json(stdout)).rules
      assert.deepStrictEqual(rules.map(({ problem }) => problem), [null, null, null])
    }))

  it.effect("tells what is wrong in a file, and what of a project's file is ignored", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* boocode(["permissions", "list"], {
        ...SCRIPT,
        permissions: "{ \"rules\": [{ \"dney\": \"*\" }] }",
        projectPermissions: ["{ \"write\": \"ask\" }"]
      })
      assert.strictEqual(code, 0)
      assert.include(stderr, "permissions.jsonc:1:")
      assert.include(stderr, ".boocode/permissions.jsonc:1:3: write: a project's file can only ask and deny")
    }))
})

describe("permissions explain", () => {
  it.effect("prints outcome, rule, source, class and mode as one document, and exits 0 for a refusal, too", () =>
    Effect.gen(function*() {
      const { code, log, stdout } = yield* boocode(
        ["permissions", "explain", "files_delete_file", "{\"path\":\"a\"}", "--json"],
        SCRIPT
      )
      assert.strictEqual(code, 0)
      const { class: kind, mode, outcome, rule, source } = Object(json(stdout))
      assert.deepStrictEqual(
        [outcome, kind, mode, source, rule.text, rule.patterns],
        ["deny", "destroys", "ask", "permissions.jsonc:4", "deny *_delete_*", ["*_delete_*"]]
      )
      assert.deepStrictEqual(log, ["open", "settled files", "close"])
    }))

  it.effect("says why in words, and which rules name the tool and do not apply", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["permissions", "explain", "files_write_file", "{\"path\":\"a\"}"], SCRIPT)
      assert.deepStrictEqual(stdout.split("\n"), [
        "files_write_file {\"path\":\"a\"}",
        "  ask, because",
        "    it writes, and no rule allows it",
        "  class writes, write mode ask",
        "",
        "  rules that name it and do not apply",
        "  allow  files_write_file for agent Writer where path is notes/*",
        "         permissions.jsonc:5: it is for the agent Writer",
        ""
      ])
    }))

  it.effect("is about a call of the agent that is named, and its own patterns ask", () =>
    Effect.gen(function*() {
      const base = { description: null, model: null, tools: null, steps: 1, temperature: null, prompt: "" }
      const agents = [{ ...base, name: "Writer", ask: ["files_read"], file: null, line: null }] as const
      const explained = (...words: ReadonlyArray<string>) =>
        Effect.map(
          boocode(["permissions", "explain", ...words, "--agent", "Writer", "--json"], { ...SCRIPT, agents }),
          ({ stdout }) => [Object(json(stdout)).outcome, Object(json(stdout)).source]
        )
      assert.deepStrictEqual(
        yield* explained("files_write_file", "{\"path\":\"notes/a\"}"),
        ["allow", "permissions.jsonc:5"]
      )
      assert.deepStrictEqual(yield* explained("files_read"), ["ask", "agent Writer: ask"])
      const ended = yield* boocode(["permissions", "explain", "files_read", "--agent", "Wrtier"], { ...SCRIPT, agents })
      assert.strictEqual(ended.code, 1)
      assert.include(ended.stderr, "Writer")
    }))

  it.effect("decides with the write mode of the chat that is named, and for its agent", () =>
    Effect.gen(function*() {
      const base = { description: null, model: null, steps: 1, temperature: null, prompt: "", file: null, line: null }
      const agents = [{ ...base, name: "Reader", tools: ["*_read"] }, { ...base, name: "Writer", tools: null }] as const
      const script = { ...SCRIPT, agents, chatIds: ["c0ffee00-0000"], write: { mode: "off", until: null } } as const
      const explained = (...words: ReadonlyArray<string>) =>
        Effect.map(
          boocode(["permissions", "explain", "files_write_file", "{\"path\":\"notes/a\"}", ...words, "--json"], script),
          ({ stdout }) => {
            const { error, mode, outcome, source } = Object(json(stdout))
            return error === undefined ? [outcome, mode, source] : error._tag
          }
        )
      assert.deepStrictEqual(yield* explained(), ["ask", "ask", "default"])
      assert.deepStrictEqual(yield* explained("--agent", "Writer"), ["allow", "ask", "permissions.jsonc:5"])
      const off = ["deny", "off", "write mode off"]
      assert.deepStrictEqual(yield* explained("--chat", "c0ff", "--agent", "Writer"), off)
      assert.deepStrictEqual(yield* explained("--chat", "c0ff"), ["deny", "off", "agent Reader: tools"])
      assert.strictEqual(yield* explained("--chat", "nobody"), "UnknownChat")
    }))

  it.effect("refuses a name that nobody has with the nearest, and arguments that are no object", () =>
    Effect.gen(function*() {
      const unknown = yield* boocode(["permissions", "explain", "files_raed"], SCRIPT)
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "files_read")
      const wrong = yield* boocode(["permissions", "explain", "files_read", "[1]"], SCRIPT)
      assert.deepStrictEqual([wrong.code, wrong.stdout, wrong.log], [2, "", []])
    }))
})

describe("permissions test", () => {
  it.effect("names each example that came out in another way, or could not be run, and exits 1", () =>
    Effect.gen(function*() {
      const { code, log, stdout } = yield* boocode(["permissions", "test"], SCRIPT)
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(stdout.split("\n"), [
        "  ✗ files_write_file {\"path\":\"b\"}",
        "    expected deny, found ask: it writes, and no rule allows it",
        "    permissions.jsonc:10",
        "  ✗ nobody_has {}",
        "    not tried: no tool is called nobody_has",
        "    permissions.jsonc:11",
        "",
        "1 example passed, 2 failed",
        ""
      ])
      assert.deepStrictEqual(log, ["open", "settled files", "settled web", "close"])
    }))

  it.effect("exits 0 when all came out as they should", () =>
    Effect.gen(function*() {
      const permissions = JSON.stringify({ examples: [{ tool: "files_read", expect: "allow" }] })
      const { code, stdout } = yield* boocode(["permissions", "test"], { ...SCRIPT, permissions })
      assert.deepStrictEqual([code, stdout], [0, "1 example passed, 0 failed\n"])
      const document = yield* boocode(["permissions", "test", "--json"], { ...SCRIPT, permissions })
      assert.deepStrictEqual(json(document.stdout), { passed: 1, failed: [], problems: [] })
    }))

  it.effect("exits 1 for a file that is wrong", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* boocode(["permissions", "test"], { ...SCRIPT, permissions: "{ \"rlues\": [] }" })
      assert.strictEqual(code, 1)
      assert.include(stderr, "did you mean \"rules\"?")
    }))
})

describe("permissions, of a running server", () => {
  const RULE = {
    ...{ outcome: "deny", patterns: ["*_delete_*"], class: null, server: null, agent: null, where: {}, until: null },
    ...{ note: null, source: "data/permissions.jsonc:4", text: "deny *_delete_*" }
  }
  const LIST = {
    file: "data/permissions.jsonc",
    text: null,
    seen: null,
    write: "ask",
    rules: [{ ...RULE, problem: null }],
    grants: [{
      server: "files",
      tool: "write",
      name: "files_write",
      since: "2026-05-01T10:00:00Z",
      where: { path: "a" }
    }],
    problems: [],
    examples: [{ tool: "files_read", args: {}, agent: null, expect: "allow", source: "data/permissions.jsonc:9" }]
  }
  const EXPLAINED = {
    ...{ outcome: "deny", rule: RULE, source: RULE.source, why: "it says so", class: "destroys", mode: "ask" },
    ...{ applies: [RULE], others: [] }
  }
  const TESTED = { passed: 0, failed: [{ ...LIST.examples[0], outcome: "ask", why: "so it is" }], problems: [] }
  const world = (asked: Array<unknown>): Script => ({
    running: "http://127.0.0.1:4266",
    answer: (request, body) => {
      const answers: Readonly<Record<string, object>> = {
        "GET /api/mcp/servers": { servers: [status("files")], problems: [], write: "off" },
        "GET /api/permissions": LIST,
        "POST /api/permissions/explain": EXPLAINED,
        "POST /api/permissions/test": TESTED
      }
      if (body !== null) asked.push(body)
      const answer = answers[request]
      return answer === undefined ? Effect.die(`nobody expects ${request}`) : Effect.sync(() => Response.json(answer))
    }
  })

  it.effect("are the answers of that server, and no server is started", () =>
    Effect.gen(function*() {
      const asked = new Array<unknown>()
      const script = world(asked)
      const list = yield* boocode(["permissions", "list"], script)
      assert.strictEqual(list.code, 0)
      assert.match(list.stdout, /^data\/permissions.jsonc, write mode ask\n\n {2}deny {3}\*_delete_\*\n/)
      assert.match(list.stdout, /files_write where \{"path":"a"\}, since 2026-05-01 /)
      const explained = yield* boocode(["permissions", "explain", "files_delete", "{\"a\":1}", "--json"], script)
      assert.deepStrictEqual(json(explained.stdout), EXPLAINED)
      assert.deepStrictEqual(asked, [{ tool: "files_delete", args: { a: 1 }, agent: null, chat: null }])
      const tested = yield* boocode(["permissions", "test", "--json"], script)
      assert.deepStrictEqual([tested.code, json(tested.stdout)], [1, TESTED])
      for (const { log, stderr } of [list, explained, tested]) {
        assert.notInclude(log, "open")
        assert.include(stderr, "talking to the server at")
      }
    }))
})
