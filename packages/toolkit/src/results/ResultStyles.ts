/** The colours of a result's text, for people alone: they stand beside it, and no escape is in it. */
import type { CallResult, TextStyle as Style } from "@boocode/mcp-registry"
import * as Schema from "effect/Schema"

const Colour = Schema.optionalKey(Schema.String)
const IsSo = Schema.optionalKey(Schema.Literal(true))

/** The style of one piece, as the client has it. */
export const TextStyle = Schema.Struct({
  from: Schema.Int,
  to: Schema.Int,
  colour: Colour,
  background: Colour,
  bold: IsSo,
  dim: IsSo,
  underline: IsSo,
  inverse: IsSo
}) satisfies Schema.Codec<Style>

/** The styles of blocks, for these texts joined with newlines, as far as they stand unchanged at the beginning of what is shown. */
export const joined = (
  styles: Exclude<CallResult["styles"], undefined>,
  texts: ReadonlyArray<string>,
  shown: string
): ReadonlyArray<Style> => {
  const end = commonLength(texts.join("\n"), shown)
  const starts: Array<number> = []
  let length = 0
  for (const text of texts) {
    starts.push(length)
    length += text.length + 1
  }
  return styles.flatMap(({ block, ...style }) => within(moved(style, starts[block] ?? end), end))
}

/** The style of the same piece behind so many characters more. */
export const moved = <One extends Style>(style: One, by: number): One => ({
  ...style,
  from: style.from + by,
  to: style.to + by
})

const within = (style: Style, end: number): ReadonlyArray<Style> =>
  style.from >= end ? [] : [{ ...style, to: Math.min(style.to, end) }]

const commonLength = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
