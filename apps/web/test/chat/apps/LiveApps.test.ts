import { assert, describe, it } from "@effect/vitest"
import { pageOf } from "../../../src/chat/apps/AppWish.tsx"
import { close, isLive, open } from "../../../src/chat/apps/LiveApps.ts"

describe("The apps of a page", () => {
  it("run while they are among the last three that were opened", () => {
    for (const key of ["a", "b", "c", "d"]) open(key)
    assert.deepStrictEqual(["a", "b", "c", "d"].map(isLive), [false, true, true, true])
    open("b")
    open("a")
    assert.deepStrictEqual(["a", "b", "c", "d"].map(isLive), [true, true, false, true])
    close("d")
    assert.deepStrictEqual(["a", "b", "c", "d"].map(isLive), [true, true, false, false])
  })

  it("may ask for pages of the web alone", () => {
    assert.deepStrictEqual(
      [
        "https://a.example/x",
        "http://a.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "/api/chats",
        "file:///etc",
        1
      ]
        .map(pageOf),
      ["https://a.example/x", "http://a.example/", null, null, null, null, null]
    )
  })
})
