/** Code highlighting, loaded when the first code is shown. */
import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"

type Highlight = (language: string, code: string) => ComponentChildren | null

/** Null until it is there; until then code is shown plain. */
export const highlighter = signal<Highlight | null>(null)

let isAsked = false

export const loadHighlighter = () => {
  if (isAsked) return
  isAsked = true
  // Without it code is readable still, so a chunk that does not come is no error to show.
  import("./Highlight.tsx").then((module) => {
    highlighter.value = module.highlight
  }, () => {})
}
