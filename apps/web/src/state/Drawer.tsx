/** The sidebar: a drawer on a narrow screen, and folded away on a wide one where somebody likes the room. */
import { signal } from "@preact/signals"
import { shell } from "../messages/ShellMessages.ts"
import { Button } from "../ui/Button.tsx"
import { go } from "./Route.ts"

export const isDrawerOpen = signal(false)

const KEY = "boocode.sidebar"

const kept = (): boolean => {
  try {
    return localStorage.getItem(KEY) === "folded"
  } catch {
    return false // a browser that keeps nothing for this page
  }
}

/** Whether the sidebar of a wide page is folded away. This browser keeps it. */
export const isFolded = signal(kept())

const isNarrow = () => matchMedia("(max-width: 52rem)").matches

const focusOn = (selector: string) =>
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus())

/** Folds the sidebar of a wide page or brings it back; on a narrow one it opens the drawer. */
export const turnSidebar = () => {
  if (isNarrow()) {
    isDrawerOpen.value = !isDrawerOpen.value
    return
  }
  isFolded.value = !isFolded.value
  // The button that was pressed is out of sight now.
  focusOn(isFolded.value ? "main .menu-button > button" : ".sidebar .fold-button > button")
  try {
    if (isFolded.value) localStorage.setItem(KEY, "folded")
    else localStorage.removeItem(KEY)
  } catch {
    // It lasts as long as the page then.
  }
}

/** Opens the drawer, where the sidebar is one, and brings back a folded one. */
export const MenuButton = () => (
  <span class="narrow-only menu-button">
    <Button
      kind="plain"
      icon="menu"
      label={shell.sidebar}
      aria-expanded={isDrawerOpen.value}
      onClick={turnSidebar}
    />
  </span>
)

/** A chat that is not there yet; it is made with its first message. */
export const newChat = () => {
  isDrawerOpen.value = false
  go("chat")
  requestAnimationFrame(() => document.getElementById("message")?.focus())
}
