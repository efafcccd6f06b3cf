import { assert, describe, it } from "@effect/vitest"
import { svgPicture } from "../../../src/chat/artifacts/SvgPicture.ts"

const textOf = (address: string | undefined) => decodeURIComponent(address?.split(",")[1] ?? "")

describe("a picture in SVG", () => {
  it("has its size and its namespace, and nothing around it", () => {
    const found = svgPicture(
      "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY a \"b\">]>\n<svg viewBox=\"0 0 30.4 20\"><g/></svg>\n"
    )
    assert.strictEqual(
      textOf(found?.address),
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 30.4 20\"><g/></svg>\n"
    )
    assert.deepStrictEqual([found?.width, found?.height], [30, 20])
  })

  it("is always an image of its own type, whatever stands in it", () => {
    const found = svgPicture("<svg onload=\"alert(1)\"><script>alert(1)</script>\"#?,</svg>")
    assert.match(found?.address ?? "", /^data:image\/svg\+xml;charset=utf-8,[\w%.!~*'()-]+$/)
  })

  it("is none without an end, and none above a megabyte", () => {
    assert.isNull(svgPicture("<svg><rect"))
    assert.isNull(svgPicture("<p>no</p>"))
    assert.isNull(svgPicture(`<svg>${"a".repeat(1_000_000)}</svg>`))
  })

  it("does not ask for a size that no page has", () => {
    assert.deepStrictEqual(svgPicture("<svg width=\"99999999\" height=\"2\"></svg>")?.width, 4096)
    assert.isNull(svgPicture("<svg width=\"100%\"></svg>")?.width ?? null)
  })
})
