import { assert, describe, it } from "@effect/vitest"
import { opener } from "../../src/terminal/Browser.ts"

describe("Browser", () => {
  it("hands the address over as one argument, and to no shell that would read it", () => {
    const href = "https://example.com/?a=1&calc=%PATH%"
    assert.deepStrictEqual(opener("darwin", href), ["open", href])
    assert.deepStrictEqual(opener("win32", href), ["rundll32", "url.dll,FileProtocolHandler", href])
    assert.deepStrictEqual(opener("linux", href), ["xdg-open", href])
    assert.deepStrictEqual(opener("freebsd", href), ["xdg-open", href])
  })
})
