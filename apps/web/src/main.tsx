/** Starts the page. */
import { render } from "preact"
import { App } from "./shell/App.tsx"
import { newChat } from "./shell/Drawer.tsx"
import { bind, isHelpOpen } from "./shell/Keys.ts"
import { go } from "./shell/Route.ts"
import { listen } from "./state/Live.ts"
import "./ui/theme.css"
import "./ui/ui.css"
import "./shell/shell.css"

bind("?", "This list", () => isHelpOpen.value = true)
bind("n", "A new chat", newChat)
bind("mod+k", "Search chats", () => document.getElementById("search")?.focus())
bind("s", "Servers", () => go("servers"))
bind("t", "Tools", () => go("tools"))

const root = document.getElementById("app")
if (root !== null) render(<App />, root)
listen()
