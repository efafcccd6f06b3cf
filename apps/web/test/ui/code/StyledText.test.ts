import { assert, describe, it } from "@effect/vitest"
import { isValidElement } from "preact"
import { styledText } from "../../../src/ui/code/StyledText.tsx"

const written = (node: unknown): string => {
  if (Array.isArray(node)) return node.map(written).join("")
  if (!isValidElement(node)) return String(node)
  const { children, class: look, style } = Object(node.props)
  const colours = style === undefined || Object.keys(style).length === 0 ? "" : ` ${JSON.stringify(style)}`
  return `<${look}${colours}>${written(children)}</>`
}

describe("a text with colours", () => {
  it("has an element for each piece, with the colour as a variable of it", () => {
    const styles = [{ from: 0, to: 2, bold: true }, { from: 3, to: 9, colour: "#00ff00", inverse: true }] as const
    assert.strictEqual(
      written(styledText("ab cde", styles)),
      `<styled><is-bold>ab</> <is-inverse is-colour {"--own-colour":"#00ff00"}>cde</></>`
    )
  })

  it("takes no piece that does not fit, and no colour that is none, as a chat from elsewhere may have them", () => {
    const styles = [
      { from: 2, to: 1, bold: true },
      { from: 0, to: 1, colour: "red; background: url(//e.example)" },
      { from: 0, to: 3, dim: true },
      { from: 9, to: 12, bold: true }
    ] as const
    assert.strictEqual(written(styledText("abc", styles)), "<styled><is-colour>a</>bc</>")
  })
})
