/** Starts the page. */
// Before the styles of the parts, which build on these.
import "./ui/tokens.css"
import "./ui/base.css"
import "./ui/ui.css"
import "./app/shell.css"

import { render } from "preact"
import { Shell } from "./app/Shell.tsx"
import { language, loadWords } from "./language/Language.ts"
import { keys } from "./messages/ShellMessages.ts"
import { attend } from "./state/Attention.ts"
import { chooseBy } from "./state/ChatActions.ts"
import { newChat, turnSidebar } from "./state/Drawer.tsx"
import { bind, isHelpOpen, palette } from "./state/Keys.ts"
import { listen } from "./state/Live.ts"
import { keepOnLeaving } from "./state/offline/KeptDrafts.ts"
import { startWorker } from "./state/offline/Worker.ts"
import { go } from "./state/Route.ts"

const start = () => {
  bind("?", keys.help, () => isHelpOpen.value = true)
  bind("n", keys.newChat, newChat)
  bind("mod+k", keys.palette, () => palette.value = "all")
  bind("mod+b", keys.sidebar, turnSidebar)
  bind("m", keys.model, () => chooseBy("model"))
  bind("a", keys.agent, () => chooseBy("agent"))
  bind("s", keys.servers, () => go("servers"))
  bind("t", keys.tools, () => go("tools"))
  document.documentElement.lang = language
  const root = document.getElementById("app")
  if (root !== null) render(<Shell />, root)
  listen()
  attend()
  keepOnLeaving()
  addEventListener("load", () => void startWorker())
  if (document.readyState === "complete") void startWorker()
}

// A task of its own: on a slow phone the code of the page takes a tenth of a second before anything is drawn.
void loadWords().finally(() => setTimeout(start))
