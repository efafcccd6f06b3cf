import { assert, describe, it } from "@effect/vitest"
import { filesOf } from "../../../src/chat/apps/AppFiles.ts"

const resource = (uri: string, content: object) => ({ type: "resource", resource: { uri, ...content } })

describe("The files of an app", () => {
  it("have the last part of their address as a name that is one on every system", () => {
    const named = (uri: string) => filesOf([resource(uri, { text: "x" })])?.[0]?.name
    assert.deepStrictEqual(
      [
        "file:///a/report%20q4.csv?x#y",
        "ui://w/..%2F..%2Fetc",
        "file:///.bashrc",
        "file:///a/",
        "no%E0%A4%A",
        `f:///${"n".repeat(200)}`
      ].map(named),
      ["report q4.csv", "etc", "bashrc", "file", "no E0 A4 A", "n".repeat(100)]
    )
  })

  it("are those that it gives whole, as text or base64; a link, too many or too much are none", () => {
    assert.deepStrictEqual(
      filesOf([resource("f:///a.txt", { text: "hello" }), resource("f:///b.png", { blob: "AAAA" })]),
      [
        { name: "a.txt", content: { text: "hello" }, bytes: 5 },
        { name: "b.png", content: { base64: "AAAA" }, bytes: 3 }
      ]
    )
    const one = resource("f:///a.txt", { text: "hello" })
    assert.isNull(filesOf([one, { type: "resource_link", uri: "https://example.com/a", name: "a" }]))
    assert.isNull(filesOf([]))
    assert.isNull(filesOf("x"))
    assert.isNull(filesOf(Array.from({ length: 11 }, () => one)))
    assert.isNull(filesOf([resource("f:///a.txt", { text: "x".repeat(20_000_001) })]))
  })
})
