/**
 * The colours of a server's words, beside the text: escapes are never part of a text, so that nothing that shows or sends
 * one has to look for them.
 */
import * as CleanText from "../base/CleanText.ts"

/** How one piece of a text looks; what is left out is as usual. */
export interface TextStyle {
  /** Where the piece begins and ends in the clean text, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** As `#rrggbb`, as the next. */
  readonly colour?: string
  readonly background?: string
  readonly bold?: true
  readonly dim?: true
  readonly underline?: true
  readonly inverse?: true
}

/** A text has at most so many pieces with a style; what follows them has none. */
export const MOST = 1000

/**
 * The styles that a server sent with a text, for the text as it is shown: the sequences of ECMA-48 for colours (16, 256 and
 * RGB), bold, dim, underlined and inverse. None if the shown text is not the one that `CleanText` makes of it. Takes
 * linear time.
 */
export const of = (sent: string, shown: string): ReadonlyArray<TextStyle> => {
  if (!sent.includes("\u001B[")) return []
  const styles: Array<TextStyle> = []
  let clean = ""
  let pen = PLAIN
  const put = (piece: string) => {
    const from = clean.length
    clean += CleanText.clean(piece)
    if (clean.length > from && isStyled(pen) && styles.length < MOST) styles.push(styleOf(pen, from, clean.length))
  }
  let at = 0
  for (const { 0: sequence, 1: parameters = "", index } of sent.matchAll(SGR)) {
    if (styles.length === MOST) break
    put(sent.slice(at, index))
    at = index + sequence.length
    pen = after(pen, parameters.slice(0, LONGEST))
  }
  put(sent.slice(at))
  return clean === shown ? styles : []
}

// oxlint-disable-next-line no-control-regex -- these are the sequences to find
const SGR = /\u001B\[([\d;:]*)m/g

const LONGEST = 200

interface Pen {
  readonly colour: string | null
  readonly background: string | null
  readonly bold: boolean
  readonly dim: boolean
  readonly underline: boolean
  readonly inverse: boolean
}

const PLAIN: Pen = { colour: null, background: null, bold: false, dim: false, underline: false, inverse: false }

const isStyled = (pen: Pen): boolean => Object.values(pen).some((look) => look !== null && look !== false)

const styleOf = ({ background, bold, colour, dim, inverse, underline }: Pen, from: number, to: number): TextStyle => ({
  from,
  to,
  ...colour === null ? {} : { colour },
  ...background === null ? {} : { background },
  ...bold ? { bold } : {},
  ...dim ? { dim } : {},
  ...underline ? { underline } : {},
  ...inverse ? { inverse } : {}
})

/** A colour takes the parameters after it, or has its own behind colons; that of underlines is left out. */
const after = (before: Pen, parameters: string): Pen => {
  let pen = before
  const fields = parameters.split(";")
  for (let index = 0; index < fields.length; index++) {
    const [code = 0, ...own] = (fields[index] ?? "").split(":").map(Number)
    if (code !== 38 && code !== 48 && code !== 58) {
      pen = own[0] === 0 && code === 4 ? { ...pen, underline: false } : simple(pen, code)
      continue
    }
    const rest = own.length > 0 ? own : fields.slice(index + 1, index + 5).map(Number)
    if (own.length === 0) index += rest[0] === 2 ? 4 : 2
    const colour = extended(rest)
    if (code === 38) pen = { ...pen, colour }
    if (code === 48) pen = { ...pen, background: colour }
  }
  return pen
}

const simple = (pen: Pen, code: number): Pen => {
  if (code === 0) return PLAIN
  const bright = code >= 90 ? 8 : 0
  const decade = Math.floor(code / 10) - (bright === 0 ? 0 : 6)
  if (code % 10 > 7) return { ...pen, ...SWITCHES[code] }
  if (decade === 3) return { ...pen, colour: ofPalette(code % 10 + bright) }
  return decade === 4 ? { ...pen, background: ofPalette(code % 10 + bright) } : { ...pen, ...SWITCHES[code] }
}

const SWITCHES: Readonly<Record<number, Partial<Pen>>> = {
  1: { bold: true },
  2: { dim: true },
  4: { underline: true },
  7: { inverse: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  24: { underline: false },
  27: { inverse: false },
  39: { colour: null },
  49: { background: null }
}

/** `5;N`, `2;R;G;B`, or `2:SPACE:R:G:B` behind colons; null for anything else. */
const extended = ([kind, ...values]: ReadonlyArray<number>): string | null => {
  const channels = kind === 2 ? values.slice(-3) : []
  if (channels.length === 3) return hex(channels)
  const number = values[0] ?? -1
  return kind === 5 && number >= 0 && number < 256 ? ofPalette(number) : null
}

const hex = (channels: ReadonlyArray<number>): string | null =>
  channels.every((channel) => channel >= 0 && channel < 256)
    ? `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`
    : null

/** The 256 colours of terminals: 16 with names, a cube of 216, and 24 greys. */
const ofPalette = (number: number): string | null => {
  if (number < 16) return NAMED[number] ?? null
  if (number > 231) return hex([0, 0, 0].fill(8 + (number - 232) * 10))
  const steps = [Math.floor((number - 16) / 36), Math.floor((number - 16) / 6) % 6, (number - 16) % 6]
  return hex(steps.map((step) => step === 0 ? 0 : 55 + step * 40))
}

const NAMED = [
  ..."#000000 #cd0000 #00cd00 #cdcd00 #0000ee #cd00cd #00cdcd #e5e5e5".split(" "),
  ..."#7f7f7f #ff0000 #00ff00 #ffff00 #5c5cff #ff00ff #00ffff #ffffff".split(" ")
]
