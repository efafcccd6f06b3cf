import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { json, open, post, withPage } from "../support/Scripted.ts"

const RULES = `{
  "write": "ask",
  "rules": [
    { "deny": "files_read", "where": { "path": "secrets/*" }, "note": "not for models" },
    { "allow": "files_raed" }
  ],
  "examples": [
    { "tool": "files_read", "args": { "path": "secrets/key" }, "expect": "deny" },
    { "tool": "files_read", "args": { "path": "a" }, "expect": "ask" },
    { "tool": "none", "args": {}, "expect": "deny" }
  ]
}`

const asking = Effect.fnUntraced(function*(options: Parameters<typeof open>[0] = {}) {
  const request = yield* open({ permissions: RULES, ...options })
  return Effect.fnUntraced(function*(method: "GET" | "POST" | "PUT", path: string, body: unknown = null) {
    const response = yield* request(path, method === "GET" ? {} : { ...post(body), method })
    return { status: response.status, body: Object(yield* json(response)) }
  })
})

describe("Permissions over HTTP", () => {
  it.effect("are listed with where each rule comes from, and the rules that are about no tool", () =>
    Effect.gen(function*() {
      const { body, status } = yield* (yield* asking())("GET", "/api/permissions")
      assert.strictEqual(status, 200)
      const { examples, file, grants, problems, rules, write } = body
      assert.deepStrictEqual({ file, grants, problems, write }, {
        file: "permissions.jsonc",
        grants: [],
        problems: [],
        write: "ask"
      })
      assert.deepStrictEqual(rules[0], {
        outcome: "deny",
        patterns: ["files_read"],
        class: null,
        server: null,
        agent: null,
        where: { path: "secrets/*" },
        until: null,
        note: "not for models",
        source: "permissions.jsonc:4",
        text: "deny files_read where path is secrets/*",
        problem: null
      })
      assert.include(rules[1].problem, "did you mean files_read")
      assert.lengthOf(examples, 3)
    }))

  it.effect("explain a call: the outcome, the rule, where it stands, class and mode", () =>
    Effect.gen(function*() {
      const ask = yield* asking()
      const explain = (body: object) => ask("POST", "/api/permissions/explain", body)
      const denied = (yield* explain({ tool: "files_read", args: { path: "secrets/x" } })).body
      assert.deepInclude(denied, { outcome: "deny", source: "permissions.jsonc:4", class: "undeclared", mode: "ask" })
      assert.strictEqual(denied.rule.text, "deny files_read where path is secrets/*")
      const allowed = (yield* explain({ tool: "files_read", args: { path: "a" } })).body
      assert.deepInclude(allowed, { outcome: "allow", rule: null, source: "default" })
      assert.strictEqual(allowed.others[0].because, "path is not secrets/*")
      assert.deepInclude(yield* explain({ tool: "files_raed", args: {} }), { status: 404 })
      assert.deepInclude(yield* explain({ tool: "files_read", args: {}, agent: "Nobody" }), { status: 404 })
      assert.deepInclude(yield* explain({ tool: "files_read", args: {}, chat: "none" }), { status: 404 })
      assert.deepInclude(yield* explain({ tool: "files_read" }), { status: 400 })
    }))

  it.effect("run their examples, and tell which came out in another way or name no tool", () =>
    Effect.gen(function*() {
      const { body, status } = yield* (yield* asking())("POST", "/api/permissions/test")
      assert.strictEqual(status, 200)
      assert.strictEqual(body.passed, 1)
      assert.deepStrictEqual(
        body.failed.map(({ expect, outcome, tool }: Record<string, unknown>) => [tool, expect, outcome]),
        [["files_read", "ask", "allow"], ["none", "deny", null]]
      )
    }))

  it.effect("are not written when the file is wrong or an example fails, with the place", () =>
    Effect.gen(function*() {
      const ask = yield* asking()
      const put = (text: string) => ask("PUT", "/api/permissions", { text })
      const wrong = yield* put(`{\n  "wriet": "ask"\n}`)
      assert.deepInclude(wrong.body, { status: 400, line: 2, key: "wriet" })
      const failed = yield* put(`{"examples": [{ "tool": "files_read", "args": {}, "expect": "deny" }]}`)
      assert.deepInclude(failed.body, { status: 400, _tag: "ExamplesFailed", key: "examples" })
      assert.deepInclude(failed.body.failed[0], { tool: "files_read", expect: "deny", outcome: "allow" })
    }))

  it.effect("are not written over a file that is another one than its editor saw", () =>
    Effect.gen(function*() {
      const memory = new MemoryFiles({})
      const ask = yield* asking({ files: Layer.merge(withPage(memory.view()), Path.layer) })
      const put = (text: string, seen?: string | null) =>
        ask("PUT", "/api/permissions", { text, ...(seen === undefined ? {} : { seen }) })
      const first = yield* put(`{ "write": "ask" }`, null)
      assert.strictEqual(first.status, 200)
      const late = yield* put(`{ "write": "rules" }`, null)
      assert.deepInclude(late.body, { status: 409, state: "changed" })
      assert.strictEqual(memory.text("/permissions.jsonc"), `{ "write": "ask" }`)
      assert.strictEqual((yield* put(`{ "write": "off" }`, first.body.seen)).status, 200)
      assert.strictEqual((yield* put(`{ "write": "off" }`, first.body.seen)).status, 409)
      assert.strictEqual((yield* put(`{}`)).status, 200)
    }))

  it.effect("start no programs for those who reach the server over the network", () =>
    Effect.gen(function*() {
      const token = "a-token-of-some-length"
      const request = yield* open({ permissions: RULES, token, host: "0.0.0.0" })
      const init = post({ text: `{"hooks": [{ "command": ["touch", "x"] }]}` })
      const response = yield* request("/api/permissions", {
        ...init,
        method: "PUT",
        headers: { ...Object(init.headers), authorization: `Bearer ${token}` }
      })
      assert.strictEqual(response.status, 403)
      assert.deepInclude(Object(yield* json(response)), { _tag: "HooksOfTheFile" })
    }))
})
