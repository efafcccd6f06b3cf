import { Attachments, ChatDocument } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as RequestLimits from "../../src/http/RequestLimits.ts"

const limit = (method: string, url: string) => ByteSize.toNumberUnsafe(RequestLimits.bodyLimitOf(method, url))

describe("BodyLimits", () => {
  it("leave room for every chat that can be imported, for what a message attaches, and for little else", () => {
    assert.isAtLeast(limit("POST", "/api/chats/import"), ChatDocument.LIMIT_CHARACTERS)
    assert.isAbove(limit("POST", "/api/chats/c1/messages"), (Attachments.MOST_PDF_BYTES * 4) / 3)
    assert.strictEqual(limit("POST", "/api/chats/c1/messages?x"), 72 * 1024 * 1024)
    for (
      const url of ["/api/chats", "/api/login", "/api/chats/a/b/messages", "/api/mcp/servers", "//api/chats/import"]
    ) {
      assert.strictEqual(limit("POST", url), 1024 * 1024, url)
    }
    assert.strictEqual(limit("PUT", "/api/chats/import"), 1024 * 1024)
  })
})

describe("The places of streams", () => {
  it.effect("that other applications take leave those of the people at the page alone", () =>
    Effect.gen(function*() {
      const bounded = yield* RequestLimits.limitStreams
      const asked = (url: string) =>
        Effect.provideService(
          bounded(Effect.succeed(HttpServerResponse.empty({ status: 200 }))),
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request(`http://host${url}`, { method: "POST" }))
        )
      for (let place = 0; place < RequestLimits.LIMIT; place++) {
        assert.strictEqual((yield* asked("/v1/chat/completions")).status, 200)
      }
      assert.strictEqual((yield* asked("/v1/chat/completions")).status, 503)
      assert.strictEqual((yield* asked("/api/chats/c1/messages")).status, 200)
    }))
})
