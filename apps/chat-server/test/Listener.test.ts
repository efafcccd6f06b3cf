import { assert, describe, it } from "@effect/vitest"
import * as Listener from "../src/Listener.ts"

/** What a request gets while nothing else is built. */
const early = (url: string) => {
  const answer = { status: 0, body: "" }
  Listener.make().emit("request", { url }, {
    writeHead: (status: number) => void (answer.status = status),
    end: (body: string) => void (answer.body = body)
  })
  return { status: answer.status, body: JSON.parse(answer.body) }
}

describe("A server that is starting", () => {
  it("is alive for who looks after it, and ready for nobody", () => {
    assert.deepStrictEqual(early("/api/health"), {
      status: 200,
      body: { status: "starting", ready: false, servers: null, proof: null }
    })
    for (const url of ["/api/health?ready=1", "/api/health?nonce=1", "/api/chats", "/"]) {
      const { body, status } = early(url)
      assert.deepStrictEqual([status, body["_tag"], body["state"]], [503, "NotReady", "starting"], url)
    }
  })
})
