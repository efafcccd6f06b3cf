import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, open, post, text } from "../support/Scripted.ts"

describe("a document of a chat that is shown", () => {
  it.effect("is served as apps are, once somebody asked for it, and is granted no address at all", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const html = "<meta http-equiv=\"content-security-policy\" content=\"connect-src *\"><script>1</script>"
      const { origin, url } = Object(yield* json(yield* request("/api/previews", post({ html }))))
      assert.isNull(origin)
      assert.match(url, /^\/apps\/[\w-]{32}$/)
      const answer = yield* request(url)
      assert.strictEqual(yield* text(answer), html)
      const policy = (answer.headers.get("content-security-policy") ?? "").split("; ")
      for (
        const what of ["default-src", "connect-src", "frame-src", "font-src", "base-uri", "form-action", "object-src"]
      ) {
        assert.include(policy, `${what} 'none'`)
      }
      assert.includeMembers(policy, [
        "script-src 'unsafe-inline'",
        "img-src data:",
        "media-src data:",
        "sandbox allow-scripts allow-forms"
      ])
      assert.strictEqual((yield* request(`${url.slice(0, -1)}!`)).status, 404)
    }))

  it.effect("may have 1 MB, and is refused above that with words that say so", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const send = (html: string) => request("/api/previews", post({ html }))
      assert.strictEqual((yield* send("\u0001".repeat(1_000_000))).status, 200)
      const refused = yield* send("é".repeat(500_001))
      assert.strictEqual(refused.status, 413)
      const { _tag, detail, hint } = Object(yield* json(refused))
      assert.strictEqual(_tag, "PreviewTooLarge")
      assert.match(detail, /has 1000002 bytes.* at most 1000000/)
      assert.match(hint, /save it/)
      assert.strictEqual((yield* send("a".repeat(7_000_000))).status, 413)
    }))
})
