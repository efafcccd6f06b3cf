import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { browser, open2, opened } from "../../support/People.ts"
import { json, post } from "../../support/Scripted.ts"

const BEGIN = post({ device: "laptop", scopes: ["chat", "chat"] })

describe("logging in by a code over HTTP", () => {
  it.effect("a command that is nobody begins and asks, and a person in the page alone allows it", () =>
    Effect.gen(function*() {
      const { ann, request } = yield* open2()
      const nobody = browser(request)
      const { deviceCode, expiresIn, userCode } = Object(yield* nobody.body("/api/device", BEGIN))
      assert.strictEqual(expiresIn, 600)
      const poll = nobody.body("/api/device/token", post({ deviceCode }))
      assert.deepStrictEqual(yield* poll, { status: "slow_down" })
      const at = `/api/me/device/${userCode}`
      assert.strictEqual((yield* nobody.ask(at, post({ allow: true }))).status, 401)
      const { token } = Object(yield* ann.body("/api/me/tokens", post({ name: "t", scopes: ["chat", "admin"] })))
      const bearer = { host: "127.0.0.1:4266", authorization: `Bearer ${token}` }
      assert.strictEqual((yield* request("/api/me", { headers: bearer })).status, 200)
      assert.strictEqual((yield* request(at, { headers: bearer })).status, 403)
      assert.deepStrictEqual(yield* ann.body(at), { device: "laptop", scopes: ["chat"] })
      assert.strictEqual((yield* ann.ask(at, post({ allow: false }))).status, 204)
      const gone = yield* ann.ask(at)
      assert.deepStrictEqual([gone.status, Object(yield* json(gone))._tag], [404, "UnknownCode"])
    }))

  it.effect("there is none on a server of one person", () =>
    Effect.gen(function*() {
      const refused = yield* browser(yield* opened()).ask("/api/device", BEGIN)
      assert.deepStrictEqual([refused.status, Object(yield* json(refused))._tag], [400, "OnePerson"])
    }))
})
