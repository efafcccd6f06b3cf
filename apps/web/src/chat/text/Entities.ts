/** Entities in Markdown text (`&amp;`, `&#8212;`), as the characters they stand for. */

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  bull: "•",
  copy: "©",
  deg: "°",
  ensp: "\u2002",
  eur: "€",
  euro: "€",
  ge: "≥",
  gt: ">",
  hellip: "…",
  larr: "←",
  laquo: "«",
  le: "≤",
  lt: "<",
  mdash: "—",
  middot: "·",
  minus: "−",
  nbsp: "\u00a0",
  ndash: "–",
  ne: "≠",
  para: "¶",
  quot: "\"",
  raquo: "»",
  rarr: "→",
  reg: "®",
  sect: "§",
  times: "×",
  trade: "™"
}

const LAST = 0x10ffff

const character = (code: number): string =>
  Number.isInteger(code) && code > 0 && code <= LAST ? String.fromCodePoint(code) : "\ufffd"

/** One that is not known here stays as it is written. */
export const decoded = (text: string): string =>
  text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return character(Number.parseInt(hex, 16))
      if (decimal !== undefined) return character(Number(decimal))
      return NAMED[name ?? ""] ?? whole
    }
  )
