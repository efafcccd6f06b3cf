import { assert, describe, it } from "@effect/vitest"
import * as FileAnswers from "../../src/http/FileAnswers.ts"
import * as KeptFile from "../../src/http/KeptFile.ts"

const HANDLE = "result-00000000-0000-4000-8000-000000000001"

/** A chat whose call gave one block of content. */
const chatWith = (call: string, block: object) =>
  ({ turns: [{ parts: [{ type: "tool-result", id: call, content: [block] }] }] }) as never

const kept = (mimeType: string) => ({ bytes: 3, mimeType, file: HANDLE })

describe("a file that a tool gave", () => {
  it("is found by the call that gave it, and by no other call or handle", () => {
    const chat = chatWith("c1", { type: "audio", data: kept("audio/wav") })
    assert.deepStrictEqual(KeptFile.of(chat, "c1", HANDLE), { mimeType: "audio/wav", name: "result.wav" })
    assert.isNull(KeptFile.of(chat, "c2", HANDLE))
    assert.isNull(KeptFile.of(chat, "c1", HANDLE.replace("1", "2")))
    const resource = chatWith("c1", {
      type: "resource",
      resource: { uri: "x://a/b.pdf?q", blob: kept("application/PDF; x") }
    })
    assert.deepStrictEqual(KeptFile.of(resource, "c1", HANDLE), { mimeType: "application/pdf", name: "b.pdf" })
  })

  it("is played or shown where nothing else can come of it, and saved otherwise, whatever the server calls it", () => {
    const answer = (mimeType: string) => {
      const { headers } = FileAnswers.ofResult(new TextEncoder().encode("<b>"), { mimeType, name: "a" })
      assert.strictEqual(headers["content-security-policy"], "default-src 'none'; sandbox")
      return [headers["content-type"], headers["content-disposition"]?.split(";")[0]]
    }
    for (const type of ["audio/wav", "audio/mpeg", "image/png"]) assert.deepStrictEqual(answer(type), [type, "inline"])
    for (const type of ["text/html", "image/svg+xml", "application/pdf", "audio/wav, text/html", "audio/x-scpls", ""]) {
      assert.deepStrictEqual(answer(type), ["application/octet-stream", "attachment"], type)
    }
  })
})
