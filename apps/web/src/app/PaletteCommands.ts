/** The commands of the palette and the places it leads to, each with its keys. */
import { keys, shell } from "../messages/ShellMessages.ts"
import { chatActions, chooseBy } from "../state/ChatActions.ts"
import { newChat } from "../state/Drawer.tsx"
import { isHelpOpen, shortcuts } from "../state/Keys.ts"
import { go, type Place } from "../state/Route.ts"
import type { Pickable } from "../ui/lists/Picker.tsx"
import { setTheme } from "../ui/Theme.ts"
import { chooseChatFile } from "./ChatImport.tsx"

export interface Entry extends Pickable {
  readonly act: () => void
  /** It only leads on within the palette. */
  readonly opens?: true
}

/** `what` is what the list of shortcuts says of the same action; that list has its keys. */
const command = (text: string, act: () => void, what?: string): Entry => {
  const bound = shortcuts().find((one) => one.what === what)
  return {
    key: `do ${text}`,
    text,
    group: shell.groups.commands,
    act,
    ...(bound === undefined ? {} : { keys: bound.keys })
  }
}

const way = (text: string, place: Place, rest: ReadonlyArray<string> = [], what?: string): Entry => ({
  ...command(text, () => go(place, rest), what),
  group: shell.groups.places
})

const ofChat = (): ReadonlyArray<Entry> => {
  const actions = chatActions.value
  if (actions === null) return []
  return [
    { ...command(shell.model, () => chooseBy("model"), keys.model), opens: true },
    { ...command(shell.agent, () => chooseBy("agent"), keys.agent), opens: true },
    ...(actions.onStop === null ? [] : [command(shell.stop, actions.onStop, keys.escape)]),
    ...(actions.onFork === null ? [] : [command(shell.fork, actions.onFork)])
  ]
}

export const commands = (): ReadonlyArray<Entry> => [
  command(shell.newChat, newChat, keys.newChat),
  ...ofChat(),
  command(shell.importChat, chooseChatFile),
  command(shell.shortcuts, () => isHelpOpen.value = true, keys.help),
  command(shell.themes.light, () => setTheme("light")),
  command(shell.themes.dark, () => setTheme("dark")),
  command(shell.themes.system, () => setTheme("system"))
]

export const ways = (): ReadonlyArray<Entry> => [
  way(shell.servers, "servers", [], keys.servers),
  way(shell.tools, "tools", [], keys.tools),
  way(shell.agents, "agents"),
  way(shell.settings, "settings"),
  way(shell.permissions, "settings", ["permissions"]),
  way(shell.addServer, "servers", ["+add"])
]
