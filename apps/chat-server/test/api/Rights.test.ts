import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ChatApi } from "../../src/api/ChatApi.ts"
import * as Rights from "../../src/api/users/Rights.ts"
import { browser, open2 } from "../support/People.ts"
import { json, post } from "../support/Scripted.ts"

/** Each route of the document with who may use it. */
const routes = Object.values(ChatApi.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => ({
    key: `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    method,
    path: path.replaceAll(/:\w+/g, "x"),
    right: Rights.rightOf(group.identifier, identifier)
  }))
)

describe("Rights", () => {
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
