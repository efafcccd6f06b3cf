/** Marks around words that somebody else wrote, which those words cannot end by themselves (R101). Pure. */
import { CleanText } from "@boocode/mcp-registry"
import * as Utf8 from "./Utf8.ts"

/** Marks of one name. */
export interface Frame {
  /** What stands before the words. */
  readonly before: (attributes: Readonly<Record<string, string>>) => string
  /** What stands after them. */
  readonly after: string
  /** The words without anything that looks like the marks. */
  readonly enclosed: (text: string) => string
}

/** Marks such as `<tool_result …>` and `</tool_result>`; the name is words with `_` between them. */
export const make = (name: string): Frame => {
  const words = name.split("_").map(alike).join(String.raw`[^\p{L}\p{N}<>]{0,3}`)
  const likeTheFrame = new RegExp(String.raw`[${BRACKETS}](?=[^\p{L}\p{N}<>]{0,20}${words})`, "giu")
  return {
    before: (attributes) => {
      let mark = `<${name}`
      for (const key in attributes) mark += ` ${key}="${escaped(attributes[key] ?? "")}"`
      return `${mark}>\n`
    },
    after: `\n</${name}>`,
    // The search for one character is by far the faster.
    enclosed: (text) => BRACKET.test(text) ? text.replace(likeTheFrame, "&lt;") : text
  }
}

const BRACKETS = "<‹〈❬❮⟨〈﹤＜"
const BRACKET = new RegExp(`[${BRACKETS}]`)

/** A model reads letters of other scripts, and other brackets, as those they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  c: "cсϲｃ",
  e: "e3еｅ",
  i: "i1lіı|ｉ",
  l: "l1iі|ӏｌ",
  n: "nոｎ",
  o: "o0оοօｏ",
  r: "rгｒ",
  s: "s5ѕｓ",
  t: "tтτｔ",
  u: "uυսｕ",
  v: "vνѵｖ"
}

const alike = (word: string): string =>
  [...word].map((letter) => String.raw`[${LOOK_ALIKES[letter] ?? letter}\u{1D400}-\u{1D7FF}]\p{M}*`).join("")

const NAME_BYTES = 200
/** Most names need no escape. */
const PLAIN = /^[\w.:/@-]{0,200}$/

const escaped = (name: string): string =>
  PLAIN.test(name) ? name : Utf8.prefix(CleanText.clean(name).replaceAll(/\s+/g, " "), NAME_BYTES)
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")
