/** The commands that the page itself carries out. */
import { exportAddress } from "../../api/Api.ts"
import type { Command } from "../../api/Types.ts"
import { commands as words } from "../../messages/ChatMessages.ts"
import { agents } from "../../state/Catalog.ts"
import { newChat } from "../../state/Drawer.tsx"
import { isHelpOpen } from "../../state/Keys.ts"
import { chats } from "../../state/ListedChats.ts"
import { go } from "../../state/Route.ts"
import { tell } from "../../state/Toasts.ts"
import { removing, renaming } from "../ChatMenu.tsx"

interface CommandContext {
  readonly chat: string | null
  readonly stop: () => void
  readonly retry: () => void
  readonly choose: (change: { agent?: string | null; model?: string | null }) => void
}

interface Own extends Command {
  readonly run: (context: CommandContext, argument: string) => void
}

const own = (
  name: string,
  description: string,
  run: Own["run"],
  argument: Command["argument"] = null
): Own => ({ name, description, argument, places: ["page"], run })

const needed = (name: string) => ({ name, required: true, values: [] })

const withChat = (act: (id: string, argument: string) => void): Own["run"] => ({ chat }, argument) => {
  if (chat === null) tell({ text: words.noChat })
  else act(chat, argument)
}

const summary = (id: string) => chats.value?.find((chat) => chat.id === id) ?? null

const download = (id: string, format: string) => {
  const link = document.createElement("a")
  link.href = exportAddress(id, format === "json" ? "json" : "markdown")
  link.download = ""
  link.click()
}

const toAgent: Own["run"] = ({ choose }, name) => {
  const found = agents.value.find((agent) => agent.name.toLowerCase() === name.toLowerCase())
  if (found === undefined) tell({ text: words.noAgent(name), isBad: true })
  else choose({ agent: found.name })
}

const ownCommands = (): ReadonlyArray<Own> => [
  own("new", words.new, newChat),
  own("retry", words.retry, ({ retry }) => retry()),
  own("stop", words.stop, ({ stop }) => stop()),
  own("model", words.model, ({ choose }, model) => choose({ model }), needed("MODEL")),
  own("agent", words.agent, toAgent, needed("AGENT")),
  own("export", words.export, withChat(download), { ...needed("FORMAT"), required: false }),
  own("rename", words.rename, withChat((id) => renaming.value = { id, place: "head" })),
  own("delete", words.delete, withChat((id) => removing.value = summary(id))),
  own("servers", words.servers, () => go("servers")),
  own("tools", words.tools, () => go("tools")),
  own("help", words.help, () => isHelpOpen.value = true)
]

/** The page's own and what the server has more. */
export const withOwn = (commands: ReadonlyArray<Command>): ReadonlyArray<Command> => {
  const own = ownCommands()
  return [
    ...own,
    ...commands.filter(({ name, places }) => places.includes("page") && !own.some((one) => one.name === name))
  ]
}

/** Carries out `/name argument` when it is a command of the page and whole. Gives false when it is not. */
export const run = (text: string, context: CommandContext): boolean => {
  const [, name, argument = ""] = /^\/([^\s:]+)(?:\s+([^]*))?$/.exec(text.trim()) ?? []
  const found = ownCommands().find((one) => one.name === name)
  if (found === undefined || (found.argument?.required === true && argument.trim() === "")) return false
  if (found.argument === null && argument.trim() !== "") return false
  found.run(context, argument.trim())
  return true
}

/** A prompt and its arguments, as `/server:prompt {json}`; null for every other text. */
export const promptOf = (text: string): { server: string; prompt: string; args: string } | null => {
  const [, server, prompt, args = ""] = /^\/([^\s:{}/]+):([^\s{][^{]*?)(?:\s+(\{[^]*))?$/.exec(text.trim()) ?? []
  return server === undefined || prompt === undefined ? null : { server, prompt: prompt.trim(), args }
}
