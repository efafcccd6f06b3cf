/** Markdown as elements: every token becomes an element or text, never markup. */
import type { Token, Tokens } from "marked"
import { Component, type ComponentChildren, h } from "preact"
import { artifact } from "../../messages/chat/ArtifactMessages.ts"
import { ui } from "../../messages/UiMessages.ts"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { SortedTable } from "../../ui/data/SortedTable.tsx"
import { safeImage, safeLink } from "../../ui/files/Safe.ts"
import { lazy } from "../../ui/Lazy.tsx"
import { kindOf, languageOf, nameOf } from "../artifacts/Artifact.ts"
import { Beside, PageCard } from "../artifacts/ArtifactCard.tsx"
import { decoded } from "./Entities.ts"
import type { FormulaProps } from "./Formula.tsx"
import {
  closed,
  type DetailsToken,
  type FormulaToken,
  isExtension,
  isOwn,
  lex,
  type NoteToken,
  type OwnToken,
  relex,
  type SourceToken
} from "./Lexer.ts"
import { NoteReference } from "./NoteReference.tsx"
import { SourceMark } from "./SourceMark.tsx"

/** The page has the first two levels of headings, and no level may be left out on the way down. */
export const headingLevels = (tokens: ReadonlyArray<Token>): ReadonlyArray<number> => {
  const depths = tokens.map((token) => token.type === "heading" ? Number(token["depth"]) : 0)
  const top = depths.reduce((least, depth) => depth === 0 ? least : Math.min(least, depth), 6)
  let before = 2
  return depths.map((depth) => depth === 0 ? 0 : before = Math.min(6, 3 + depth - top, before + 1))
}

/** Deeper than this, text stands as it was written: nobody reads it, and a browser lays it out for seconds. */
const DEEPEST = 32

let depth = 0

/** Tokens as elements; `isOpen` says that the last one may grow. */
export const all = (tokens: ReadonlyArray<Token> | undefined, isOpen = false): ComponentChildren => {
  if (tokens === undefined) return null
  if (depth >= DEEPEST) return tokens.map(({ raw }) => raw).join("")
  depth += 1
  try {
    return tokens.map((token, index) => isOwn(token) ? element(token, isOpen && index === tokens.length - 1, 3) : null)
  } finally {
    depth -= 1
  }
}

/** Few answers have a picture, and fewer the change of a file. */
const Figure = lazy(() => import("../artifacts/Figure.tsx").then(({ Figure: one }) => one), null)
const DiffView = lazy(() => import("../../ui/data/DiffView.tsx").then(({ DiffView: one }) => one), null)

const codeOf = ({ lang = "", text }: Tokens.Code, isOpen: boolean) => {
  const language = languageOf(lang)
  if (language === "diff" || language === "patch") return <DiffView text={text} title={language} />
  const kind = kindOf(language, text)
  const named = kind === null ? null : nameOf(kind, lang, text)?.text ?? null
  if (kind === "html") return <PageCard text={text} name={named ?? artifact.kind.html} isOpen={isOpen} />
  if (kind === "svg" || kind === "mermaid") {
    return <Figure kind={kind} text={text} name={named ?? artifact.kind[kind]} isOpen={isOpen} />
  }
  const title = named ?? (language === "" ? ui.asText : language)
  return (
    <CodeBlock
      code={text}
      language={language}
      title={title}
      isOpen={isOpen}
      actions={kind === null ? null : <Beside text={text} name={title} />}
    />
  )
}

const linkOf = ({ href, tokens }: Tokens.Link) => {
  const safe = safeLink(href)
  return safe === null
    ? <span>{all(tokens)}</span>
    : <a href={safe} target="_blank" rel="noopener noreferrer">{all(tokens)}</a>
}

/** A picture from elsewhere would be a request to elsewhere: it is a link instead. */
const imageOf = ({ href, text }: Tokens.Image) => {
  const image = safeImage(href)
  if (image !== null) return <img src={image} alt={text} loading="lazy" />
  const link = safeLink(href)
  const words = text === "" ? "image" : text
  return link === null ? <span>{words}</span> : <a href={link} target="_blank" rel="noopener noreferrer">{words}</a>
}

const SIDES: Readonly<Record<string, string>> = { right: "right", center: "center" }

const tableOf = ({ align, header, rows }: Tokens.Table, isOpen: boolean) => {
  const cellsOf = (cells: ReadonlyArray<Tokens.TableCell>) =>
    cells.map(({ text, tokens }, index) => ({ text, shown: all(tokens), side: SIDES[align[index] ?? ""] ?? "" }))
  return <SortedTable header={cellsOf(header)} rows={rows.map(cellsOf)} isOpen={isOpen} />
}

/** Few answers have formulas, and what draws them is large. As it waits, a formula stands as it is written. */
/** About the room that it takes when it is drawn, so that little moves then. */
const FormulaRoom = ({ isBlock, tex }: FormulaProps) =>
  isBlock
    ? <span class="formula block waiting" />
    : <span class="formula waiting">{tex.replaceAll(/\\[a-zA-Z]+|[\\{}^_]/g, "")}</span>

const Formula = lazy<FormulaProps>(() => import("./Formula.tsx").then(({ Formula: one }) => one), FormulaRoom)

const extension = (
  token: FormulaToken | NoteToken | DetailsToken | SourceToken,
  isOpen: boolean
): ComponentChildren => {
  switch (token.type) {
    case "formula":
      return <Formula tex={token.tex} isBlock={token.isBlock} />
    case "noteRef":
      return <NoteReference label={token.label} />
    case "sourceMark":
      return <SourceMark number={token.number} />
    case "note":
      return (
        <p class="note" data-note={token.label} tabIndex={-1}>
          <sup>{token.label}</sup> {all(token.tokens)}
        </p>
      )
    case "details":
      return (
        <details class="fold" open={token.isExpanded}>
          <summary>{all(token.summary)}</summary>
          <div class="fold-body markdown">{all(token.tokens, isOpen)}</div>
        </details>
      )
  }
}

const listOf = (list: Tokens.List, isOpen: boolean) => {
  const items = list.items.map((item, index) => (
    <li class={item.task ? "task" : ""}>{all(item.tokens, isOpen && index === list.items.length - 1)}</li>
  ))
  return list.ordered ? <ol start={list.start === "" ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>
}

const element = (token: OwnToken, isOpen: boolean, level: number): ComponentChildren => {
  if (isExtension(token)) return extension(token, isOpen)
  switch (token.type) {
    case "code":
      return codeOf(token, isOpen)
    case "heading":
      return h(`h${level}`, {}, all(token.tokens))
    case "table":
      return tableOf(token, isOpen)
    case "hr":
      return <hr />
    case "blockquote":
      return <blockquote>{all(token.tokens, isOpen)}</blockquote>
    case "list":
      return listOf(token, isOpen)
    case "checkbox":
      return (
        <input
          type="checkbox"
          checked={token.checked}
          disabled
          aria-label={token.checked ? ui.taskDone : ui.taskOpen}
        />
      )
    case "paragraph":
      return <p>{all(token.tokens)}</p>
    case "text":
      return token.tokens === undefined ? decoded(token.text) : all(token.tokens)
    case "link":
      return linkOf(token)
    case "image":
      return imageOf(token)
    case "strong":
      return <strong>{all(token.tokens)}</strong>
    case "em":
      return <em>{all(token.tokens)}</em>
    case "del":
      return <del>{all(token.tokens)}</del>
    case "codespan":
      return <code>{token.text}</code>
    case "br":
      return <br />
    case "escape":
      return token.text
    case "html":
      return token.raw
    case "space":
    case "def":
      return null
    default:
      return token.raw
  }
}

interface BlockProps {
  readonly token: Token
  readonly isOpen: boolean
  readonly level: number
}

/** One block; it is drawn again only when its text changed. */
class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: BlockProps) {
    return next.token.raw !== this.props.token.raw || next.isOpen !== this.props.isOpen ||
      next.level !== this.props.level
  }
  override render({ isOpen, level, token }: BlockProps) {
    return <>{isOwn(token) ? element(token, isOpen, level) : null}</>
  }
}

interface MarkdownProps {
  readonly text: string
  /** More of it comes. */
  readonly isOpen?: boolean
}

interface Read {
  readonly text: string
  readonly isOpen: boolean
  readonly tokens: ReadonlyArray<Token>
}

/** Reading takes no more than one part of so many of the time, however long and odd the text is. */
const SHARE = 4

const NOTHING: Read = { text: "", isOpen: true, tokens: [] }

/** A text as it streams. */
export class Markdown extends Component<MarkdownProps> {
  #read = NOTHING
  #restUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  override componentWillUnmount() {
    clearTimeout(this.#timer)
  }

  #tokens({ isOpen = false, text }: MarkdownProps): ReadonlyArray<Token> {
    const before = this.#read
    if (before.text === text && before.isOpen === isOpen) return before.tokens
    const from = performance.now()
    if (isOpen && from < this.#restUntil) {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.forceUpdate(), this.#restUntil - from)
      return before.tokens
    }
    // Once it is whole it is read as a whole: a link can be defined at the very end.
    const tokens = isOpen ? relex(before, text, closed) : lex(text)
    this.#read = { text, isOpen, tokens }
    const now = performance.now()
    this.#restUntil = now + (now - from) * SHARE
    return tokens
  }

  override render(props: MarkdownProps) {
    const tokens = this.#tokens(props)
    const levels = headingLevels(tokens)
    const last = tokens.length - 1
    return (
      <div class={props.isOpen === true ? "markdown growing" : "markdown"} dir="auto">
        {tokens.map((token, index) => (
          <Block
            key={index}
            token={token}
            isOpen={props.isOpen === true && index === last}
            level={levels[index] ?? 3}
          />
        ))}
      </div>
    )
  }
}
