/** The keyboard shortcuts: one table that the page acts by and the list of them shows. */
import { signal } from "@preact/signals"
import { keys } from "../messages/ShellMessages.ts"

interface Shortcut {
  /** As shown: `Ctrl K`. */
  readonly keys: string
  readonly what: string
}

export const isHelpOpen = signal(false)

/** The offers of the palette: everything, or only the choices of one of its steps. Null while it is closed. */
export const palette = signal<"all" | "model" | "agent" | null>(null)

/** Shown in the list only; the conversation and the composer act on these themselves. */
const others = (): ReadonlyArray<Shortcut> => [
  { keys: "Enter", what: keys.send },
  { keys: "Shift Enter", what: keys.line },
  { keys: "Escape", what: keys.escape },
  { keys: "↑", what: keys.edit },
  { keys: "/", what: keys.slash },
  { keys: "@", what: keys.at }
]

interface Bound extends Shortcut {
  readonly is: (event: KeyboardEvent) => boolean
  readonly act: () => void
  /** Also while a field has the focus. */
  readonly inFields: boolean
}

const bound: Array<Bound> = []

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
const isCommand = (event: KeyboardEvent) => isMac ? event.metaKey : event.ctrlKey

/** `bind("mod+k", …)`, `bind("?", …)`: a key alone does nothing while somebody types. */
export const bind = (combination: string, what: string, act: () => void) => {
  const key = combination.split("+").at(-1) ?? ""
  const isModified = combination.startsWith("mod+")
  const isShifted = combination.includes("shift+")
  bound.push({
    keys: keysOf(combination),
    what,
    act,
    inFields: isModified,
    is: (event) =>
      event.key.toLowerCase() === key && isCommand(event) === isModified && !event.altKey &&
      (!isModified || event.shiftKey === isShifted)
  })
}

/** How the keys of a shortcut are written here: `⌘ K` or `Ctrl K`. */
export const keysOf = (combination: string): string =>
  combination.split("+").map((key) =>
    key === "mod" ? isMac ? "⌘" : "Ctrl" : key === "shift" ? "Shift" : key.toUpperCase()
  )
    .join(" ")

export const shortcuts = (): ReadonlyArray<Shortcut> => [...bound, ...others()]

export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]")

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") !== null) return
  const found = bound.find((each) => each.is(event) && (each.inFields || !isTyping(event.target)))
  if (found === undefined) return
  event.preventDefault()
  found.act()
})
