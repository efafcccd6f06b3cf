import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HostGuard from "../../src/access/HostGuard.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { open } from "../support/Scripted.ts"

const PATHS = ["/", "/api/health", "/api/docs", "/api/openapi.json", "/icon.svg"]

/** What one server answers on every path to a request with these headers. */
const guarded = (options: { readonly allowedHosts?: ReadonlyArray<string>; readonly host?: string } = {}) =>
  Effect.map(
    open(options),
    (request) => (headers: Record<string, string>, paths = PATHS) =>
      Effect.forEach(paths, (path) => Effect.map(request(path, { headers }), (response) => response.status))
  )

/** The reference and the contract of the API take long to make, and a host that may see one path may see all. */
const LIGHT = ["/", "/api/health"]

const all = (status: number, paths = PATHS) => paths.map(() => status)

describe("HostGuard", () => {
  it.effect("R78: answers 403 to a foreign Host, on the page and the reference too", () =>
    Effect.gen(function*() {
      const statuses = yield* guarded()
      for (
        const host of ["evil.example", "evil.example:4266", "127.0.0.1.evil.example", "127.0.0.1@evil.example", ""]
      ) {
        assert.deepStrictEqual(yield* statuses({ host }), all(403), host)
      }
    }))

  it.effect("answers 400 to two Host headers, of which Node shows the first alone", () =>
    Effect.gen(function*() {
      const answered = Effect.fnUntraced(function*(...rawHeaders: ReadonlyArray<string>) {
        const guard = yield* HostGuard.guard("127.0.0.1", () => false)
        const asked = new Request("http://localhost/", { headers: { host: "localhost" } })
        const request = HttpServerRequest.fromWeb(Object.assign(asked, { rawHeaders }))
        const { status } = yield* guard(Effect.succeed(HttpServerResponse.empty())).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request)
        )
        return status
      })
      assert.strictEqual(yield* answered("Host", "localhost", "Accept", "host"), 204)
      assert.strictEqual(yield* answered("Host", "localhost", "HOST", "localhost"), 400)
      assert.strictEqual(yield* answered("host", "localhost", "Accept", "*/*", "Host", "evil.example"), 400)
    }).pipe(Effect.scoped, Effect.provide(Settings.layerValues({}))))

  it.effect("R78: answers 403 to a foreign Origin, another port of this machine included", () =>
    Effect.gen(function*() {
      const statuses = yield* guarded()
      for (const origin of ["https://evil.example", "null", "http://localhost:3000", "http://evil.localhost:4266"]) {
        assert.deepStrictEqual(yield* statuses({ host: "localhost:4266", origin }), all(403), origin)
      }
    }))

  it.effect("answers 403 to the origin of the apps, also under a name that is allowed", () =>
    Effect.gen(function*() {
      const answered = Effect.fnUntraced(function*(origin: string) {
        const guard = yield* HostGuard.guard("127.0.0.1", ({ port }) => port === "8443")
        const request = HttpServerRequest.fromWeb(
          new Request("http://chat.example/", { headers: { host: "chat.example", origin } })
        )
        const { status } = yield* guard(Effect.succeed(HttpServerResponse.empty())).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request)
        )
        return status
      })
      assert.strictEqual(yield* answered("https://chat.example"), 204)
      assert.strictEqual(yield* answered("https://chat.example:8443"), 403)
    }).pipe(Effect.scoped, Effect.provide(Settings.layerValues({ allowedHosts: ["chat.example"] }))))

  it.effect("accepts loopback names, with and without its own Origin", () =>
    Effect.gen(function*() {
      const statuses = yield* guarded()
      assert.deepStrictEqual(yield* statuses({ host: "localhost" }), all(200))
      for (const host of ["localhost", "127.0.0.1:4266", "[::1]:4266", "LOCALHOST:1"]) {
        assert.deepStrictEqual(yield* statuses({ host }, LIGHT), all(200, LIGHT), host)
        assert.deepStrictEqual(yield* statuses({ host, origin: `http://${host}` }, LIGHT), all(200, LIGHT), host)
      }
      assert.deepStrictEqual(
        yield* statuses({ host: "127.0.0.1:4266", origin: "http://localhost:4266" }, LIGHT),
        all(200, LIGHT)
      )
    }))

  it.effect("accepts what allowedHosts names", () =>
    Effect.gen(function*() {
      const statuses = yield* guarded({ allowedHosts: ["Chat.example", "localhost:5173"] })
      assert.deepStrictEqual(yield* statuses({ host: "chat.example" }, LIGHT), all(200, LIGHT))
      const origin = "https://chat.example"
      assert.deepStrictEqual(yield* statuses({ host: "chat.example", origin }, LIGHT), all(200, LIGHT))
      const proxied = { host: "localhost:4266", origin: "http://localhost:5173" }
      assert.deepStrictEqual(yield* statuses(proxied, LIGHT), all(200, LIGHT))
      assert.deepStrictEqual(yield* statuses({ host: "other.example" }), all(403))
    }))

  it.effect("R78: accepts any address, but no foreign name, where every address is bound", () =>
    Effect.gen(function*() {
      for (const host of ["0.0.0.0", "::"]) {
        const statuses = yield* guarded({ host })
        for (const own of ["192.168.1.5:4266", "[fd00::1]:4266", "127.0.0.1", "localhost:4266"]) {
          assert.deepStrictEqual(yield* statuses({ host: own }, LIGHT), all(200, LIGHT), own)
          assert.deepStrictEqual(yield* statuses({ host: own, origin: `http://${own}` }, LIGHT), all(200, LIGHT), own)
        }
        assert.deepStrictEqual(yield* statuses({ host: "evil.example:4266" }), all(403))
        for (const origin of ["http://192.168.1.6:4266", "http://localhost:4266", "http://evil.example:4266"]) {
          assert.deepStrictEqual(yield* statuses({ host: "192.168.1.5:4266", origin }), all(403), origin)
        }
      }
      const statuses = yield* guarded({ host: "192.168.1.5" })
      assert.deepStrictEqual(yield* statuses({ host: "192.168.1.6" }), all(403))
      assert.deepStrictEqual(yield* statuses({ host: "192.168.1.5:1" }, LIGHT), all(200, LIGHT))
    }))

  it.effect("R78: answers 403 to what a browser asks for on behalf of another site, a link that is followed aside", () =>
    Effect.gen(function*() {
      const host = "localhost:4266"
      const statuses = yield* guarded()
      const asked = (site: string, mode: string, dest: string, paths = PATHS) =>
        statuses({ host, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest }, paths)
      for (const site of ["cross-site", "same-site"]) {
        assert.deepStrictEqual(yield* asked(site, "no-cors", "image"), all(403), site)
        assert.deepStrictEqual(yield* asked(site, "navigate", "iframe"), all(403), site)
        assert.deepStrictEqual(yield* asked(site, "navigate", "document", LIGHT), all(200, LIGHT), site)
      }
      for (const site of ["same-origin", "none"]) {
        assert.deepStrictEqual(yield* asked(site, "cors", "empty", LIGHT), all(200, LIGHT), site)
      }
    }))

  it.effect("takes an allowed host that is written as an origin", () =>
    Effect.gen(function*() {
      const statuses = yield* guarded({ allowedHosts: ["https://Chat.example/"] })
      const headers = { host: "chat.example", origin: "https://chat.example" }
      assert.deepStrictEqual(yield* statuses(headers, LIGHT), all(200, LIGHT))
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
