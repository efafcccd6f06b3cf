import { Attachments, ChatDocument } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
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
