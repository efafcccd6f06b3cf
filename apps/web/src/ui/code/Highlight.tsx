/** Colours code: highlight.js says what each piece is, and the pieces become elements, never markup. */
import { common, createLowlight } from "lowlight"
import type { ComponentChildren } from "preact"

const lowlight = createLowlight(common)

type Node = ReturnType<typeof lowlight.highlight>["children"][number]

/** Longer than this is no longer read for its colours, and would hold up the page. */
const LONGEST = 40_000

const show = (node: Node): ComponentChildren => {
  if (node.type === "text") return node.value
  if (node.type !== "element") return null
  const names = node.properties["className"]
  return <span class={Array.isArray(names) ? names.join(" ") : ""}>{node.children.map(show)}</span>
}

/** The pieces of the code, or null when the language is not known. */
export const highlight = (language: string, code: string): ComponentChildren | null =>
  lowlight.registered(language) && code.length <= LONGEST ? lowlight.highlight(language, code).children.map(show) : null
