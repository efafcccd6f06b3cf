/** The little Markdown that answers use, as elements: fences, headings, lists, paragraphs, code and bold. */
import { element } from "./dom.js"

/** Gives the blocks of a text. An unclosed fence is code up to the end, as it is while an answer streams. */
export const blocks = (text) => {
  const lines = text.split("\n")
  const result = []
  while (lines.length > 0) {
    const fence = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/.exec(lines[0])
    if (fence !== null) result.push(code(lines, fence[1]))
    else if (lines[0].trim() === "") lines.shift()
    else result.push(heading(lines) ?? list(lines) ?? paragraph(lines))
  }
  return result
}

const code = (lines, fence) => {
  lines.shift()
  const end = lines.findIndex((line) => line.trim().startsWith(fence))
  const content = lines.splice(0, end === -1 ? lines.length : end)
  if (end !== -1) lines.shift()
  return element("pre", { tabindex: "0" }, element("code", {}, content.join("\n")))
}

const heading = (lines) => {
  const match = /^#{1,6}\s+(.*)$/.exec(lines[0])
  if (match === null) return null
  lines.shift()
  return element("p", { class: "heading" }, ...inline(match[1]))
}

const ITEM = /^\s*(?:([-*+])|(\d+)[.)])\s+(.*)$/

const list = (lines) => {
  const first = ITEM.exec(lines[0])
  if (first === null) return null
  const items = []
  for (let match = first; match !== null; match = lines.length > 0 ? ITEM.exec(lines[0]) : null) {
    lines.shift()
    items.push(element("li", {}, ...inline(match[3])))
  }
  return first[2] === undefined ? element("ul", {}, ...items) : element("ol", { start: first[2] }, ...items)
}

const paragraph = (lines) => {
  const end = lines.findIndex((line, index) =>
    index > 0 && (line.trim() === "" || /^\s{0,3}(`{3,}|~{3,}|#{1,6}\s)/.test(line) || ITEM.test(line))
  )
  return element("p", {}, ...inline(lines.splice(0, end === -1 ? lines.length : end).join("\n")))
}

const inline = (text) =>
  text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).filter((piece) => piece !== "").map((piece) => {
    if (piece.length > 2 && piece.startsWith("`") && piece.endsWith("`")) return element("code", {}, piece.slice(1, -1))
    if (piece.length > 4 && piece.startsWith("**") && piece.endsWith("**")) {
      return element("strong", {}, piece.slice(2, -2))
    }
    return piece
  })
