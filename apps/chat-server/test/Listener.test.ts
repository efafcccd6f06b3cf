import { assert, describe, it } from "@effect/vitest"
import * as Listener from "../src/Listener.ts"

/** What a request gets while nothing else is built. */
const early = (url: string, accept = "*/*") => {
  const answer = { status: 0, body: "" }
  Listener.make().emit("request", { url, headers: { accept } }, {
    writeHead: (status: number) => void (answer.status = status),
    end: (body: string) => void (answer.body = body)
  })
  return answer
}

describe("A server that is starting", () => {
  it("is alive for who looks after it, and ready for nobody", () => {
    const health = early("/api/health")
    assert.strictEqual(health.status, 200)
    assert.deepStrictEqual(JSON.parse(health.body), { status: "starting", ready: false, servers: null, proof: null })
    for (const url of ["/api/health?ready=1", "/api/health?nonce=1", "/api/chats", "/"]) {
      const { body, status } = early(url)
      const problem = JSON.parse(body)
      assert.deepStrictEqual([status, problem["_tag"], problem["state"]], [503, "NotReady", "starting"], url)
    }
  })

  it("tells a person in a browser that it is starting, and the browser to ask again", () => {
    const { body, status } = early("/", "text/html,application/xhtml+xml,*/*;q=0.8")
    assert.strictEqual(status, 503)
    assert.include(body, "BooCode is starting")
    assert.include(body, `<meta http-equiv="refresh" content="1">`)
  })
})
