import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { open, text } from "./support/Scripted.ts"

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
