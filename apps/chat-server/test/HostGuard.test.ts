import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { open } from "./support/Scripted.ts"

const PATHS = ["/", "/api/health", "/api/docs", "/api/openapi.json", "/style.css"]

const statuses = (
  headers: Record<string, string>,
  options: { readonly allowedHosts?: ReadonlyArray<string> } = {},
  paths = PATHS
) =>
  Effect.flatMap(
    open(options),
    (request) => Effect.forEach(paths, (path) => Effect.map(request(path, { headers }), (response) => response.status))
  )

const all = (status: number) => PATHS.map(() => status)

describe("HostGuard", () => {
  it.effect("answers 403 to a foreign Host, on the page and the reference too (R78)", () =>
    Effect.gen(function*() {
      for (
        const host of ["evil.example", "evil.example:4266", "127.0.0.1.evil.example", "127.0.0.1@evil.example", ""]
      ) {
        assert.deepStrictEqual(yield* statuses({ host }), all(403), host)
      }
    }))

  it.effect("answers 403 to a foreign Origin, another port of this machine included (R78)", () =>
    Effect.gen(function*() {
      for (const origin of ["https://evil.example", "null", "http://localhost:3000", "http://evil.localhost:4266"]) {
        assert.deepStrictEqual(yield* statuses({ host: "localhost:4266", origin }), all(403), origin)
      }
    }))

  it.effect("accepts loopback names, with and without its own Origin", () =>
    Effect.gen(function*() {
      for (const host of ["localhost", "127.0.0.1:4266", "[::1]:4266", "LOCALHOST:1"]) {
        assert.deepStrictEqual(yield* statuses({ host }), all(200), host)
        assert.deepStrictEqual(yield* statuses({ host, origin: `http://${host}` }), all(200), host)
      }
      assert.deepStrictEqual(yield* statuses({ host: "127.0.0.1:4266", origin: "http://localhost:4266" }), all(200))
    }))

  it.effect("accepts what allowedHosts names", () =>
    Effect.gen(function*() {
      const allowedHosts = ["Chat.example", "localhost:5173"]
      assert.deepStrictEqual(yield* statuses({ host: "chat.example" }, { allowedHosts }), all(200))
      const origin = "https://chat.example"
      assert.deepStrictEqual(yield* statuses({ host: "chat.example", origin }, { allowedHosts }), all(200))
      const proxied = { host: "localhost:4266", origin: "http://localhost:5173" }
      assert.deepStrictEqual(yield* statuses(proxied, { allowedHosts }), all(200))
      assert.deepStrictEqual(yield* statuses({ host: "other.example" }, { allowedHosts }), all(403))
    }))

  it.effect("says what to do about it", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/api/health", { headers: { host: "evil.example" } })
      const body = Object(yield* Effect.promise(() => response.json()))
      assert.strictEqual(body._tag, "ForeignHost")
      assert.include(body.hint, "allowedHosts")
    }))
})
