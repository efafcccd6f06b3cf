/** A text in the colours that its server gave it. A colour gives its hue alone: the theme says how light it is. */
import type { TextStyle } from "@boocode/mcp-registry"
import type { ComponentChildren } from "preact"

const KINDS = ["bold", "dim", "underline", "inverse", "colour", "background"] as const

const isColour = (colour: string | undefined): colour is string => colour !== undefined && /^#[\da-f]{6}$/.test(colour)

/** The elements of a text; what no style is about, or only one that does not fit, stays as it is. */
export const styledText = (text: string, styles: ReadonlyArray<TextStyle>): ComponentChildren => {
  let at = 0
  const pieces: Array<ComponentChildren> = []
  for (const style of styles) {
    const { background, colour, from, to } = style
    if (from < at || to <= from || from >= text.length) continue
    pieces.push(
      text.slice(at, from),
      <span
        class={KINDS.filter((kind) => style[kind] !== undefined).map((kind) => `is-${kind}`).join(" ")}
        style={{
          ...(isColour(colour) ? { "--own-colour": colour } : {}),
          ...(isColour(background) ? { "--own-background": background } : {})
        }}
      >
        {text.slice(from, to)}
      </span>
    )
    at = Math.min(to, text.length)
  }
  return <span class="styled">{[...pieces, text.slice(at)]}</span>
}
