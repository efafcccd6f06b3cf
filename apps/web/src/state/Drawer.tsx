/** The sidebar as a drawer, on a narrow screen: whether it is open, and the button that opens it. */
import { signal } from "@preact/signals"
import { shell } from "../messages/ShellMessages.ts"
import { Button } from "../ui/Button.tsx"
import { go } from "./Route.ts"

export const isDrawerOpen = signal(false)

/** Opens the drawer, where the sidebar is one. */
export const MenuButton = () => (
  <span class="narrow-only">
    <Button
      kind="plain"
      icon="menu"
      label={shell.sidebar}
      aria-expanded={isDrawerOpen.value}
      onClick={() => isDrawerOpen.value = true}
    />
  </span>
)

/** A chat that is not there yet; it is made with its first message. */
export const newChat = () => {
  isDrawerOpen.value = false
  go("chat")
  requestAnimationFrame(() => document.getElementById("message")?.focus())
}
