/** An answer as a voice reads it: its words, without code, formulas, tables of marks and addresses. Pure. */
import type { Token } from "marked"
import { isOwn, lex, type OwnToken } from "../text/Lexer.ts"

const inside = (tokens: ReadonlyArray<Token>): string => tokens.filter(isOwn).map(wordsOf).join("")

const wordsOf = (token: OwnToken): string => {
  switch (token.type) {
    case "code":
    case "formula":
    case "html":
    case "hr":
    case "noteRef":
    case "image":
    case "def":
      return ""
    case "list":
      return token.items.map(({ tokens }) => `${inside(tokens).trim()}\n`).join("")
    case "table":
      return [token.header, ...token.rows].map((row) => `${row.map(({ tokens }) => inside(tokens)).join(", ")}.\n`)
        .join("")
    case "paragraph":
    case "heading":
      return `${inside(token.tokens ?? [])}\n`
    case "codespan":
      return token.text
    case "br":
    case "space":
      return "\n"
    default:
      return "tokens" in token && token.tokens !== undefined
        ? inside(token.tokens)
        : "text" in token
        ? String(token.text)
        : ""
  }
}

/** The longest piece that browsers read without stopping by themselves. */
const MOST_CHARACTERS = 200

/** Cut at the ends of sentences, so that each piece can be read by itself. */
export const spoken = (markdown: string): ReadonlyArray<string> =>
  inside(lex(markdown)).split(/\n+|(?<=[.!?])\s+|(?<=[。！？])/u).flatMap((sentence) => {
    const text = sentence.replaceAll(/\bhttps?:\/\/\S+/g, "").trim()
    return text === ""
      ? []
      : text.match(new RegExp(`[\\s\\S]{1,${MOST_CHARACTERS}}(?=\\s|$)|[\\s\\S]{1,${MOST_CHARACTERS}}`, "gu")) ?? []
  }).map((piece) => piece.trim())
