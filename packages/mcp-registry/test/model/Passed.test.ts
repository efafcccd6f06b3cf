import { assert, describe, it } from "@effect/vitest"
import * as Passed from "../../src/model/Passed.ts"
import * as Resources from "../../src/offerings/Resources.ts"

describe("What a server tells programs", () => {
  it("is passed on as it came", () => {
    const _meta = { ui: { csp: { connectDomains: ["https://example.org"] } } }
    assert.deepStrictEqual(Passed.of({ _meta, name: "x" }), { passed: { _meta } })
  })

  it("is left out where there is none, or none that can be written", () => {
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    for (const _meta of [undefined, null, {}, "text", { deep }, { number: Number.POSITIVE_INFINITY }]) {
      assert.deepStrictEqual(Passed.of(_meta === undefined ? {} : { _meta }), {})
    }
  })

  it("holds of icons those that a client takes", () => {
    const good = { src: "data:image/png;base64,AAAA", sizes: ["any"], theme: "light" }
    const bad = [null, "x", { src: 1 }, { src: "x", sizes: "48x48" }, { src: "x", theme: "blue" }]
    assert.deepStrictEqual(Passed.of({ icons: [...bad, good] }), { passed: { icons: [good] } })
    assert.deepStrictEqual(Passed.of({ icons: bad }), {})
  })

  it("belongs to resources and to what is read of them", () => {
    const told = { _meta: { ui: { prefersBorder: true } }, annotations: { priority: 0.5 } }
    const item = { uri: "ui://app", name: "app", ...told }
    const [resource] = Resources.ofListing("app", { items: [item], diagnostics: [], ttlMillis: null }).items
    assert.deepStrictEqual(resource?.passed, told)
    const [content] = Resources.toContents({ contents: [{ uri: "ui://app", text: "<p>", _meta: told._meta }] }, "", {
      maxBytes: 99,
      asWritten: false
    })
    assert.deepStrictEqual(content?.passed, { _meta: told._meta })
  })
})
