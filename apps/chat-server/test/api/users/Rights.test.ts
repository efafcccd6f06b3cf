import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ChatApi } from "../../../src/api/ChatApi.ts"
import * as Rights from "../../../src/api/users/Rights.ts"
import { browser, open2 } from "../../support/People.ts"
import { json, post } from "../../support/Scripted.ts"

/** Each route of the document with who may use it. */
const routes = Object.values(ChatApi.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => ({
    key: `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    method,
    path: path.replaceAll(/:\w+/g, "x"),
    right: Rights.rightOf(group.identifier, identifier)
  }))
)

/** What a member may do besides looking: what they do with what is their own. */
const OWN_CHANGES = [
  "POST /api/logout",
  "PUT /api/me/password",
  "DELETE /api/me/sessions/{id}",
  "POST /api/me/device/{code}",
  "POST /api/me/tokens",
  "DELETE /api/me/tokens/{id}",
  "PUT /api/me/secrets/{name}",
  "DELETE /api/me/secrets/{name}",
  "PUT /api/chats/{id}/share",
  "DELETE /api/chats/{id}/share",
  "POST /api/mcp/servers/{name}/login",
  "POST /api/mcp/logins/{id}",
  "DELETE /api/mcp/logins/{id}",
  "POST /api/mcp/servers/{name}/logout",
  "POST /api/tools/{name}/call",
  "POST /api/tools/{name}/stream",
  "POST /api/mcp/servers/{name}/prompts/{prompt}",
  "POST /api/mcp/servers/{name}/resources/read",
  "POST /api/mcp/servers/{name}/complete",
  "POST /api/chats",
  "PATCH /api/chats/{id}",
  "DELETE /api/chats/{id}",
  "POST /api/chats/{id}/messages",
  "POST /api/chats/{id}/fork",
  "PATCH /api/chats/{id}/queue/{turn}",
  "POST /api/chats/{id}/queue/{turn}/now",
  "DELETE /api/chats/{id}/queue/{turn}",
  "PATCH /api/chats/{id}/summaries/{summary}",
  "POST /api/chats/{id}/stop",
  "POST /api/chats/import",
  "POST /api/chats/{id}/approvals/{approval}",
  "DELETE /api/approvals/granted/{name}",
  "POST /api/permissions/explain",
  "POST /api/permissions/test",
  "POST /api/questions/{id}",
  "POST /api/chats/{id}/writes/{write}/undo",
  "POST /api/chats/{id}/calls/{call}/app",
  "POST /api/chats/{id}/calls/{call}/app/call",
  "POST /api/chats/{id}/calls/{call}/app/read",
  "POST /api/previews",
  "POST /api/clients",
  "DELETE /api/clients/{name}",
  "POST /api/clients/{name}/end"
]

/** What a member may not look at. */
const HIDDEN = [
  "GET /api/fleet",
  "GET /api/fleet/configuration",
  "GET /api/fleet/configuration/compare",
  "GET /api/users",
  "GET /api/usage",
  "GET /api/usage/days",
  "GET /api/usage/servers/{name}",
  "GET /api/settings",
  "GET /api/mcp/servers/{name}/trust",
  "GET /api/mcp/servers/{name}/logs",
  "GET /api/mcp/servers/{name}/entry",
  "GET /api/mcp/connections",
  "GET /api/mcp/imports",
  "GET /api/registry/servers",
  "GET /api/registry/servers/{name}",
  "GET /api/registry/servers/{name}/versions",
  "GET /api/registry/outdated",
  "GET /api/providers",
  "GET /api/admin/approvals"
]

describe("Rights", () => {
  it("let a member change what is their own and nothing else", () => {
    const keysOf = (isWanted: (route: typeof routes[number]) => boolean) =>
      routes.filter(isWanted).map(({ key }) => key)
    assert.sameMembers(
      keysOf(({ method, right }) => method !== "GET" && (right === "member" || right === "own")),
      OWN_CHANGES
    )
    assert.sameMembers(keysOf(({ method, right }) => method === "GET" && right === "admin"), HIDDEN)
  })

  it.effect(
    "every route of the document stands in the table, and a member is refused what is the admins'",
    () =>
      Effect.gen(function*() {
        const { ann, bob, request } = yield* open2()
        const document = Object(yield* ann.body("/api/openapi.json"))
        const told = Object.entries(document.paths).flatMap(([path, methods]) =>
          Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`)
        )
        assert.sameMembers(told, routes.map(({ key }) => key))
        const nobody = browser(request)
        for (const { key, method, path, right } of routes) {
          const init = method === "GET" || method === "DELETE" ? { method } : { ...post({}), method }
          if (right !== "everyone") assert.strictEqual((yield* nobody.ask(path, init)).status, 401, key)
          if (right !== "admin") continue
          const refused = yield* bob.ask(path, init)
          const { _tag, hint } = Object(yield* json(refused))
          assert.deepStrictEqual([refused.status, _tag], [403, "AdminsOnly"], key)
          assert.match(hint, /ask one of them/)
        }
        assert.isAbove(routes.filter(({ right }) => right === "admin").length, 45)
        assert.strictEqual((yield* bob.ask("/metrics")).status, 403)
        assert.strictEqual((yield* ann.ask("/metrics")).status, 200)
        for (const path of ["/api/chats", "/api/mcp/servers", "/api/agents", "/api/tools", "/api/me"]) {
          assert.strictEqual((yield* bob.ask(path)).status, 200, path)
        }
      }),
    60_000
  )
})
