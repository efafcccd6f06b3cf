import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Page from "../../src/http/Page.ts"
import { open, packed, text } from "../support/Scripted.ts"

/** A page with hidden files beside it, served. */
const served = Effect.gen(function*() {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "page-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  mkdirSync(join(root, ".git"))
  writeFileSync(join(root, "page.pack"), packed("a page"))
  for (const name of [".env", ".git/config", "licenses.json"]) writeFileSync(join(root, name), "CANARY")
  const routes = Page.layer(root).pipe(Layer.provide(NodeHttpServer.layerHttpServices))
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  )
  return (path: string) => Effect.promise(() => handler(new Request(`http://127.0.0.1${path}`)))
})

describe("Page", () => {
  it.effect("serves the page with a policy that allows its own files alone", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const response = yield* request("/")
      assert.strictEqual(response.status, 200)
      assert.include(yield* text(response), "<title>BooCode</title>")
      const policy = response.headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "script-src 'self'")
      assert.notInclude(policy, "unsafe")
      assert.strictEqual(response.headers.get("x-content-type-options"), "nosniff")
    }))

  it.effect("has no inline script or style and asks no other host", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const html = yield* text(yield* request("/"))
      assert.notMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|https?:\/\//)
      for (const [, path] of html.matchAll(/(?:src|href)="(\/[^"#]+)"/g)) {
        assert.strictEqual((yield* request(path ?? "")).status, 200, path)
      }
    }))

  it.effect("serves no file that lies beside the page", () =>
    Effect.gen(function*() {
      const request = yield* served
      assert.strictEqual(yield* text(yield* request("/index.html")), "a page")
      for (
        const path of [
          "/.env",
          "/%2eenv",
          "/%2Eenv?x",
          "/.git/config",
          "/.git%2fconfig",
          "/a/..%2f.env",
          "/licenses.json"
        ]
      ) {
        const response = yield* request(path)
        assert.strictEqual(response.status, 404, path)
        assert.notInclude(yield* text(response), "CANARY", path)
      }
    }))

  it.effect("says how to build the page when there is none", () =>
    Effect.gen(function*() {
      const folder = join(tmpdir(), "no-page-here")
      const error = yield* Effect.flip(Layer.build(
        Page.layer(folder).pipe(Layer.provide([NodeHttpServer.layerHttpServices, HttpRouter.layer]))
      ))
      assert.include(error.message, folder)
      assert.include(error.hint, "node scripts/WebBuild.mjs")
    }))

  it.effect("sends what a browser has already no second time, and the packed form to those that take it", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const html = yield* text(yield* request("/"))
      const script = /src="(\/assets\/[^"]+)"/.exec(html)?.[1] ?? ""
      const plain = yield* request(script)
      assert.isNull(plain.headers.get("content-encoding"))
      assert.include(plain.headers.get("cache-control") ?? "", "immutable")
      const etag = plain.headers.get("etag") ?? ""
      assert.strictEqual((yield* request(script, { headers: { "if-none-match": etag } })).status, 304)
      const packed = yield* request(script, { headers: { "accept-encoding": "gzip, deflate" } })
      assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
      assert.strictEqual((yield* request("/")).headers.get("cache-control"), "no-cache")
    }))

  it.effect("serves nothing outside its folder and nothing hidden", () =>
    Effect.gen(function*() {
      const request = yield* open()
      for (
        const path of [
          "/.env",
          "/%2eenv",
          "/..%2fpackage.json",
          "/%2e%2e/package.json",
          "/.git/config",
          "/package.json"
        ]
      ) {
        assert.strictEqual((yield* request(path)).status, 404, path)
      }
    }))
})
