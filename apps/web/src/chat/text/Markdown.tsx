/** Markdown as elements: marked reads it, and every token becomes an element or text, never markup. */
import { marked, type MarkedToken, type Token, type Tokens } from "marked"
import { Component, type ComponentChildren, h } from "preact"
import { ui } from "../../messages/UiMessages.ts"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { safeImage, safeLink } from "../../ui/files/Safe.ts"
import { decoded } from "./Entities.ts"

const OPTIONS = { gfm: true, breaks: true }

/** The page has the first two levels of headings, and no level may be left out on the way down. */
export const headingLevels = (tokens: ReadonlyArray<Token>): ReadonlyArray<number> => {
  const depths = tokens.map((token) => token.type === "heading" ? Number(token["depth"]) : 0)
  const top = depths.reduce((least, depth) => depth === 0 ? least : Math.min(least, depth), 6)
  let before = 2
  return depths.map((depth) => depth === 0 ? 0 : before = Math.min(6, 3 + depth - top, before + 1))
}

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
    return marked.lexer(text.replaceAll(/\r\n?/g, "\n"), OPTIONS)
  } catch {
    return plain(text) // the lexer goes down by recursion, and the stack has an end
  }
}

/**
 * The blocks of a text that grew: all but the last two blocks stay as they were, so that a long answer is not read anew
 * at each frame.
 */
export const relex = (
  before: { readonly text: string; readonly tokens: ReadonlyArray<Token> },
  text: string
): ReadonlyArray<Token> => {
  const kept = before.tokens.slice(0, -2)
  if (kept.length === 0 || !text.startsWith(before.text)) return lex(text)
  const length = kept.reduce((sum, { raw }) => sum + raw.length, 0)
  return [...kept, ...lex(text.slice(length))]
}

// The lexer gives the tokens of marked itself and those of extensions; there are none of the latter here.
const isOwn = (token: Token): token is MarkedToken => token.type !== "generic"

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

const codeOf = ({ lang, text }: Tokens.Code, isOpen: boolean) => {
  const language = /^[\w+#.-]+/.exec(lang ?? "")?.[0]?.toLowerCase() ?? ""
  return <CodeBlock code={text} language={language} title={language === "" ? "text" : language} isOpen={isOpen} />
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

const tableOf = ({ align, header, rows }: Tokens.Table) => {
  const side = (index: number) => ({ class: SIDES[align[index] ?? ""] ?? "" })
  return (
    <div class="table" tabIndex={0} role="group" aria-label={ui.table}>
      <table>
        <thead>
          <tr>{header.map((cell, index) => <th scope="col" {...side(index)}>{all(cell.tokens)}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => <tr>{row.map((cell, index) => <td {...side(index)}>{all(cell.tokens)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  )
}

const listOf = (list: Tokens.List, isOpen: boolean) => {
  const items = list.items.map((item, index) => (
    <li class={item.task ? "task" : ""}>{all(item.tokens, isOpen && index === list.items.length - 1)}</li>
  ))
  return list.ordered ? <ol start={list.start === "" ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>
}

const element = (token: MarkedToken, isOpen: boolean, level: number): ComponentChildren => {
  switch (token.type) {
    case "code":
      return codeOf(token, isOpen)
    case "heading":
      return h(`h${level}`, {}, all(token.tokens))
    case "table":
      return tableOf(token)
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
    const tokens = isOpen ? relex(before, text) : lex(text)
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
      <div class="markdown">
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
