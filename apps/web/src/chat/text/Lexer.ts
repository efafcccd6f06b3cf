/**
 * Markdown as tokens: marked reads it, and beside what it knows formulas, footnotes and `<details>`.
 *
 * `$…$` is a formula only where it cannot be money: no space inside its ends, and no figure after it.
 */
import { Marked, type MarkedToken, type Token, type TokenizerAndRendererExtension, type Tokens } from "marked"
import remend from "remend"

export interface FormulaToken extends Tokens.Generic {
  readonly type: "formula"
  readonly tex: string
  readonly isBlock: boolean
}

/** A reference to a footnote, or the footnote. */
export interface NoteToken extends Tokens.Generic {
  readonly type: "noteRef" | "note"
  readonly label: string
}

export interface DetailsToken extends Tokens.Generic {
  readonly type: "details"
  readonly isExpanded: boolean
  readonly summary: Array<Token>
}

/** The mark of a source of the answer. */
export interface SourceToken extends Tokens.Generic {
  readonly type: "sourceMark"
  readonly number: number
}

type Extension = FormulaToken | NoteToken | DetailsToken | SourceToken

export type OwnToken = MarkedToken | Extension

const OWN: ReadonlySet<string> = new Set(["formula", "noteRef", "note", "details", "sourceMark"])

// Nothing else here makes tokens that marked does not know.
export const isOwn = (token: Token): token is OwnToken => token.type !== "generic"

export const isExtension = (token: OwnToken): token is Extension => OWN.has(token.type)

const formula = (raw: string, tex: string | undefined, isBlock: boolean): FormulaToken | undefined =>
  tex === undefined || tex.trim() === "" ? undefined : { type: "formula", raw, tex: tex.trim(), isBlock }

const BLOCK_FORMULA = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/
const INLINE_FORMULA =
  /^(?:\$\$((?:[^$\\]|\\[\s\S])+?)\$\$|\$((?!\s)(?:[^$\\\n]|\\.)*?[^\s$\\]|[^\s$\\])\$(?!\d)|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/

const blockFormula: TokenizerAndRendererExtension = {
  name: "blockFormula",
  level: "block",
  start: (text) => /\n {0,3}(?:\$\$|\\\[)/.exec(text)?.index,
  tokenizer: (text) => {
    const found = BLOCK_FORMULA.exec(text)
    return found === null ? undefined : formula(found[0], found[1] ?? found[2], true)
  }
}

const inlineFormula: TokenizerAndRendererExtension = {
  name: "inlineFormula",
  level: "inline",
  start: (text) => /\$|\\[([]/.exec(text)?.index,
  tokenizer: (text) => {
    const found = INLINE_FORMULA.exec(text)
    return found === null ? undefined : formula(found[0], found[1] ?? found[2] ?? found[3] ?? found[4], false)
  }
}

const note: TokenizerAndRendererExtension = {
  name: "note",
  level: "block",
  start: (text) => /\n\[\^/.exec(text)?.index,
  tokenizer(text) {
    const found = /^\[\^([^\]\s]{1,60})\]:[ \t]*((?:[^\n]+(?:\n(?!\s*\n|\[\^)|$)?)*)\n?/.exec(text)
    if (found === null) return undefined
    const [raw, label = "", content = ""] = found
    return { type: "note", raw, label, tokens: this.lexer.inlineTokens(content.trim()) }
  }
}

const noteRef: TokenizerAndRendererExtension = {
  name: "noteRef",
  level: "inline",
  start: (text) => text.indexOf("[^"),
  tokenizer: (text) => {
    const found = /^\[\^([^\]\s]{1,60})\](?!:)/.exec(text)
    return found === null ? undefined : { type: "noteRef", raw: found[0], label: found[1] ?? "" }
  }
}

/** Stands before and behind the number of a source: a character of no writing. */
export const MARK = "\uE2C6"

const sourceMark: TokenizerAndRendererExtension = {
  name: "sourceMark",
  level: "inline",
  start: (text) => text.indexOf(MARK),
  tokenizer: (text) => {
    const found = /^\uE2C6(\d{1,4})\uE2C6/.exec(text)
    return found === null ? undefined : { type: "sourceMark", raw: found[0], number: Number(found[1]) }
  }
}

const details: TokenizerAndRendererExtension = {
  name: "details",
  level: "block",
  start: (text) => /\n<details/.exec(text)?.index,
  tokenizer(text) {
    const found =
      /^<details( open)?>\s*<summary>([^\n]*?)<\/summary>((?:(?!<details)[\s\S])*?)<\/details>[ \t]*(?:\n|$)/
        .exec(text)
    if (found === null) return undefined
    const [raw, open, summary = "", content = ""] = found
    return {
      type: "details",
      raw,
      isExpanded: open !== undefined,
      summary: this.lexer.inlineTokens(summary.trim()),
      tokens: this.lexer.blockTokens(content.trim())
    }
  }
}

const marked = new Marked({ gfm: true, breaks: true }, {
  extensions: [blockFormula, inlineFormula, note, noteRef, sourceMark, details]
})

/** Items of a list this far in cost the lexer seconds, many times over as they stream. */
const FAR_IN = /^(?: {100,}|\t{25,})(?:[-*+]|\d{1,9}[.)]) /m

/** As it is written, in one paragraph. */
const plain = (text: string): ReadonlyArray<Token> => [
  { type: "paragraph", raw: text, text, tokens: [{ type: "escape", raw: text, text }] }
]

/** The blocks of a text; it stays as it is written where it is nested deeper than anybody reads. */
export const lex = (text: string): ReadonlyArray<Token> => {
  if (FAR_IN.test(text)) return plain(text)
  try {
    return marked.lexer(text.replaceAll(/\r\n?/g, "\n"))
  } catch {
    return plain(text) // the lexer goes down by recursion, and the stack has an end
  }
}

/** Closes what the last words of a text left open, so that nobody sees half a mark of bold, of a link or of a formula. */
export const closed = (text: string): string =>
  remend(text, { linkMode: "text-only", comparisonOperators: false, singleTilde: false, htmlTags: false })

interface Read {
  readonly text: string
  readonly tokens: ReadonlyArray<Token>
}

/**
 * The blocks of a text that grew: all but the last two blocks stay as they were, so that a long answer is not read anew
 * at each frame. `finish` is applied to the text of the others.
 */
export const relex = (before: Read, text: string, finish = (rest: string) => rest): ReadonlyArray<Token> => {
  const kept = text.startsWith(before.text) ? before.tokens.slice(0, -2) : []
  const length = kept.reduce((sum, { raw }) => sum + raw.length, 0)
  return [...kept, ...lex(finish(text.slice(length)))]
}
