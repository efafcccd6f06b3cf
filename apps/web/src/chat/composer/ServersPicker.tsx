/** The servers of the chat: those that are ready are turned on and off here, for this chat; so are single tools. */
import type { ChatOff, ServerStatus } from "../../api/Types.ts"
import { pickers as words } from "../../messages/ChatMessages.ts"
import { tools } from "../../state/Catalog.ts"
import { address, go } from "../../state/Route.ts"
import { GROUPS, serverGroups } from "../../state/ServerGroups.ts"
import { type Pickable, PickerButton } from "../../ui/lists/Picker.tsx"

interface ServerChoice extends Pickable {
  readonly name: string
  /** The part that a choice changes; a server that cannot be used now is looked after in its panel. */
  readonly changes: keyof ChatOff | null
}

/** The list without this name, or with it. */
const toggled = (all: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  all.includes(name) ? all.filter((each) => each !== name) : [...all, name]

const serverChoice = ({ name, state, tools }: ServerStatus, group: string, off: ChatOff): ServerChoice => {
  const about = { key: `server ${name}`, name, text: name, group }
  const isOff = off.servers.includes(name)
  if (state !== "ready" && !isOff) return { ...about, changes: null, meta: words.serverStates[state] }
  return { ...about, changes: "servers", meta: isOff ? words.offHere : words.toolCount(tools), isChosen: !isOff }
}

const toolChoice = (name: string, server: string | undefined, off: ChatOff): ServerChoice => {
  const isOff = off.tools.includes(name)
  return {
    key: `tool ${name}`,
    name,
    text: name,
    group: server === undefined ? words.toolGroup : `${words.toolGroup} · ${server}`,
    changes: "tools",
    isChosen: !isOff,
    ...(isOff ? { meta: words.offHere } : {})
  }
}

/** As many tools are offered for a word. */
const MOST_TOOLS = 40

interface ServersPickerProps {
  readonly off: ChatOff
  readonly onChange: (off: ChatOff) => void
}

export const ServersPicker = ({ off, onChange }: ServersPickerProps) => {
  const groups = serverGroups.value
  const options = [
    ...GROUPS.flatMap((group) =>
      (groups.get(group) ?? []).map((server) => serverChoice(server, words.serverGroups[group], off))
    ),
    ...off.tools.map((name) => toolChoice(name, tools.value.find((tool) => tool.name === name)?.server, off))
  ]
  if (options.length === 0) return null
  const ready = (groups.get("ready") ?? []).filter(({ state }) => state === "ready")
  const on = ready.filter(({ name }) => !off.servers.includes(name))
  const isAll = on.length === ready.length
  const toolsOf = (word: string): ReadonlyArray<ServerChoice> =>
    word === ""
      ? []
      : tools.value.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()) && !off.tools.includes(name))
        .slice(0, MOST_TOOLS).map(({ name, server }) => toolChoice(name, server, off))
  return (
    <PickerButton
      label={words.servers}
      placeholder={words.findServer}
      value={isAll ? words.serverCount(ready.length) : words.someServers(on.length, ready.length)}
      short={{ icon: "server", text: isAll ? String(ready.length) : `${on.length}/${ready.length}` }}
      options={options}
      others={toolsOf}
      staysOpen={({ changes }) => changes !== null}
      onChoose={({ changes, name }) =>
        changes === null ? go("servers", [name]) : onChange({ ...off, [changes]: toggled(off[changes], name) })}
      foot={
        <p class="picker-foot">
          {words.inThisChat} <a href={address("servers")}>{words.allServers}</a>
        </p>
      }
    />
  )
}
