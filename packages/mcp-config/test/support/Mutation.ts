/** Texts changed at random, the same way for the same seed. */

/** Gives whole numbers from 0 up to a limit that they do not reach. */
export type Dice = (limit: number) => number

/** The seed that was asked for, or another one in each run. */
export const seedOf = (asked: string | undefined): number =>
  asked === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(asked)

/** Dice that fall the same way for the same seed (mulberry32). */
export const dice = (seed: number): Dice => {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

export const pick = <A>(roll: Dice, [first, ...rest]: readonly [A, ...ReadonlyArray<A>]): A => {
  const index = roll(rest.length + 1)
  return rest[index - 1] ?? first
}

const SIGNS = [..."{}[]\"',:=#/*\\$&!|>-~?%@`. \n\t\r"] as const
const ODD = ["\0", "\uFEFF", "\uD800", "\u2028", "é", "😀", "\u0001", "\r\n", "0", "9", "-", "e", "_"] as const
const TOKENS = [
  ...[
    "true",
    "false",
    "null",
    "\"true\"",
    "0",
    "1e999",
    "-1",
    "0x1F",
    "inf",
    "nan",
    "[]",
    "{}",
    "\"\"",
    "~",
    "yes",
    "no"
  ],
  ...[
    "\"${A}\"",
    "\"${A:-\"",
    "\"{env:A}\"",
    "\"${env:A}\"",
    "\"${input:a}\"",
    "\"$A\"",
    "\"{file:a}\"",
    "\"\\u0000\""
  ],
  ...["*a", "&a", "<<", "!!str", "!x", "|", ">-", "---", "...", "'''", "\"\"\"", "//", "/*", "*/", "#"],
  ...["1979-05-27", "[[a]]", "[a.b]", "a.b = 1", "\n\n", "\n  - ", "\n\t"]
] as const
const KEYS = [
  ...["__proto__", "constructor", "toString", "enabled", "disabled", "mcpServers", "servers", "mcp", "mcp_servers"],
  ...["extensions", "projects", "type", "command", "url", "env", "headers", "timeout", "tools", "inputs", "", "$schema"]
] as const

/** One random change; `other` is a text that pieces may come from. */
const change = (text: string, other: string, roll: Dice): string => {
  const at = roll(text.length + 1)
  const span = () => Math.min(text.length, at + 1 + roll(12))
  const insert = (piece: string) => text.slice(0, at) + piece + text.slice(at)
  const lines = text.split("\n")
  switch (roll(14)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1)
    case 1:
      return insert(pick(roll, ["x", ...SIGNS]))
    case 2:
      return text.slice(0, at) + pick(roll, ["x", ...SIGNS]) + text.slice(at + 1)
    case 3:
      return insert(pick(roll, ODD))
    case 4:
      return insert(pick(roll, TOKENS))
    case 5:
      return text.slice(0, at) + text.slice(span())
    case 6:
      return insert(text.slice(at, span()))
    case 7:
      return text.slice(0, at)
    case 8:
      return lines.toSpliced(roll(lines.length), 1).join("\n")
    case 9:
      return lines.toSpliced(roll(lines.length), 0, lines[roll(lines.length)] ?? "").join("\n")
    case 10:
      return replaced(text, /[A-Za-z_][\w-]*(?="?\s*[:=])/g, pick(roll, KEYS), roll)
    case 11:
      return replaced(text, /"[^"\n]*"|\b(?:true|false|\d+)\b/g, pick(roll, TOKENS), roll)
    case 12: {
      const from = roll(other.length + 1)
      return insert(other.slice(from, from + 1 + roll(80)))
    }
    default:
      return insert(pick(roll, ["[", "{", "${A:-", "a: ", "- ", "a.", "\"", "&a ", " "]).repeat(1 + roll(300)))
  }
}

/** One of the matches of a pattern becomes something else. */
const replaced = (text: string, pattern: RegExp, piece: string, roll: Dice): string => {
  const matches = Array.from(text.matchAll(pattern))
  const match = matches[roll(matches.length + 1)]
  return match === undefined ? text : text.slice(0, match.index) + piece + text.slice(match.index + match[0].length)
}

/** A text with one to six changes. */
export const mutate = (text: string, other: string, roll: Dice): string => {
  let changed = text
  for (let left = 1 + roll(6); left > 0; left--) changed = change(changed, other, roll)
  return changed
}

/** A part of a text with one or two changes of a single character. */
export const slip = (text: string, start: number, end: number, roll: Dice): string => {
  let part = text.slice(start, end)
  for (let left = 1 + roll(2); left > 0; left--) {
    const at = roll(part.length + 1)
    const sign = pick(roll, ["x", "e", "d", "A", "_", "0", ...SIGNS])
    const kind = roll(4)
    if (kind === 0) part = part.slice(0, at) + part.slice(at + 1)
    else if (kind === 1) part = part.slice(0, at) + sign + part.slice(at)
    else if (kind === 2) part = part.slice(0, at) + sign + part.slice(at + 1)
    else part = part.slice(0, at) + (part[at + 1] ?? "") + (part[at] ?? "") + part.slice(at + 2)
  }
  return text.slice(0, start) + part + text.slice(end)
}
