/** Markdown for a terminal: wrapped at its width, with headings, lists, tables and code as such. Pure. */
import { lexer, type Token, type Tokens } from "marked"
import { padded, widest, width, wrapped } from "../terminal/Layout.ts"
import { type Paint, plain } from "../terminal/Output.ts"

/**
 * The lines of a text, led by two spaces. Control characters are removed; what Markdown does not know stays as it is written.
 */
export const rendered = (text: string, columns: number, paint: Paint): ReadonlyArray<string> =>
  blocks(lexer(plain(text)), Math.min(columns, WIDEST) - LEAD.length, paint).map((line) =>
    line === "" ? "" : `${LEAD}${line}`
  )

const LEAD = "  "
/** Longer lines are hard to read. */
const WIDEST = 100

/** The complete part of a text that still grows, and the block at its end, which may go on. */
export const split = (text: string): { readonly done: string; readonly rest: string } => {
  const tokens = lexer(text)
  const last = tokens.findLastIndex(({ type }) => type !== "space")
  const at = tokens.slice(0, Math.max(0, last)).reduce((length, { raw }) => length + raw.length, 0)
  // The lexer gives other line ends back than it got.
  return text.includes("\r") ? { done: "", rest: text } : { done: text.slice(0, at), rest: text.slice(at) }
}

const blocks = (tokens: ReadonlyArray<Token>, columns: number, paint: Paint): ReadonlyArray<string> => {
  const shown = tokens.filter(({ type }) => type !== "space" && type !== "def")
  return shown.flatMap((token, at) => [...(at === 0 ? [] : [""]), ...block(asBlock(token), columns, paint)])
}

type Block =
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.List
  | Tokens.Table
  | { readonly type: "other"; readonly tokens: ReadonlyArray<Token> }

const isBlock = (token: Token): token is Exclude<Block, { readonly type: "other" }> =>
  ["blockquote", "code", "heading", "hr", "list", "table"].includes(token.type)

const asBlock = (token: Token): Block => isBlock(token) ? token : { type: "other", tokens: inside(token) }

/** The inline tokens of a token; one that has none is text. */
const inside = (token: Token): ReadonlyArray<Token> => {
  if ("tokens" in token && token.tokens !== undefined && token.tokens.length > 0) return token.tokens
  const text = "text" in token && typeof token.text === "string" ? token.text : token.raw
  return [{ type: "text", raw: text, text, escaped: false }]
}

const block = (token: Block, columns: number, paint: Paint): ReadonlyArray<string> => {
  switch (token.type) {
    case "heading":
      return wrapped(paint.bold(inline(token.tokens, paint)), columns)
    case "code":
      return token.text.split("\n").map((line) => `  ${paint.accent(line)}`)
    case "blockquote":
      return blocks(token.tokens, columns - 2, paint).map((line) => `${paint.dim("│")} ${line}`)
    case "hr":
      return [paint.dim("─".repeat(Math.max(1, Math.min(columns, 40))))]
    case "list":
      return token.items.flatMap((item, at) => [
        ...(at > 0 && token.loose ? [""] : []),
        ...listItem(item, token.ordered ? `${(token.start === "" ? 1 : token.start) + at}. ` : "• ", columns, paint)
      ])
    case "table":
      return table(token, columns, paint)
    default:
      return wrapped(inline(token.tokens, paint), columns)
  }
}

const listItem = (item: Tokens.ListItem, bullet: string, columns: number, paint: Paint): ReadonlyArray<string> => {
  const box = item.task ? `[${item.checked === true ? "x" : " "}] ` : ""
  const room = columns - bullet.length
  const lines = item.tokens.filter(({ type }) => type !== "space" && type !== "checkbox").flatMap((token, at) => [
    ...(at > 0 && item.loose ? [""] : []),
    ...block(asBlock(token), room, paint)
  ])
  return [`${box}${lines[0] ?? ""}`, ...lines.slice(1)].map((line, at) =>
    line === "" ? "" : `${at === 0 ? paint.dim(bullet) : " ".repeat(bullet.length)}${line}`
  )
}

/** The cells of a column begin at one place; too wide a table gets narrower columns, whose cells wrap. */
const table = ({ align, header, rows }: Tokens.Table, columns: number, paint: Paint): ReadonlyArray<string> => {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens, paint)))
  const natural = header.map((_, column) => widest(cells.map((row) => row[column] ?? "")))
  const widths = narrowed(natural, columns - 2 * (header.length - 1))
  return cells.flatMap((row, at) => {
    const parts = row.map((cell, column) => wrapped(cell, Math.max(widths[column] ?? 1, 16)))
    const height = Math.max(1, ...parts.map(({ length }) => length))
    const lines = Array.from({ length: height }, (_, line) =>
      widths.map((wide, column) => {
        const text = parts[column]?.[line] ?? ""
        return align[column] === "right" ? `${" ".repeat(Math.max(0, wide - width(text)))}${text}` : padded(text, wide)
      }).join("  ").trimEnd())
    return at === 0 ? lines.map(paint.bold) : lines
  })
}

/** The widest columns give away what is too much. */
const narrowed = (widths: ReadonlyArray<number>, room: number): ReadonlyArray<number> => {
  const tooMuch = widths.reduce((sum, one) => sum + one, 0) - room
  const most = Math.max(...widths)
  if (tooMuch <= 0 || most <= 16) return widths
  const next = Math.max(16, ...widths.filter((one) => one < most))
  const share = Math.ceil(tooMuch / widths.filter((one) => one === most).length)
  return narrowed(widths.map((one) => one === most ? Math.max(next === most ? 16 : next, most - share) : one), room)
}

const inline = (tokens: ReadonlyArray<Token>, paint: Paint): string =>
  tokens.map((token) => words(token, paint)).join("")

const words = (token: Token, paint: Paint): string => {
  const within = () => inline(inside(token), paint)
  switch (token.type) {
    case "strong":
      return paint.bold(within())
    case "em":
      return paint.italic(within())
    case "codespan":
      return paint.accent(text(token))
    case "link":
      return linked(within(), "href" in token ? String(token["href"]) : "", paint)
    case "br":
      return "\n"
    case "image":
      return `[${text(token)}]`
    case "del":
      return `~${within()}~`
    case "text":
      return "tokens" in token && token.tokens !== undefined ? within() : entities(text(token).replaceAll("\n", " "))
    default:
      return entities(text(token))
  }
}

const text = (token: Token): string => "text" in token && typeof token.text === "string" ? token.text : token.raw

/** An address is shown whole: what it says and where it leads are not always the same. */
const linked = (label: string, href: string, paint: Paint): string =>
  label.includes(href.replace(/^mailto:/, "")) ? label : `${label} ${paint.dim(`(${href})`)}`

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", nbsp: " ", "#39": "'" }

const entities = (said: string): string => said.replaceAll(/&(#?\w+);/g, (all, name: string) => ENTITIES[name] ?? all)
