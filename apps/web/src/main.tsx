/** Starts the page. */
import { render } from "preact"
import { Shell } from "./app/Shell.tsx"
import { newChat } from "./state/Drawer.tsx"
import { bind, isHelpOpen } from "./state/Keys.ts"
import { listen } from "./state/Live.ts"
import { go } from "./state/Route.ts"
import "./ui/theme.css"
import "./ui/ui.css"
import "./app/shell.css"

bind("?", "This list", () => isHelpOpen.value = true)
bind("n", "A new chat", newChat)
bind("mod+k", "Search chats", () => document.getElementById("search")?.focus())
bind("s", "Servers", () => go("servers"))
bind("t", "Tools", () => go("tools"))

const root = document.getElementById("app")
if (root !== null) render(<Shell />, root)
listen()
