/** The route `#/servers`: every MCP server; `#/servers/NAME`: one of them. */
import { useSignal } from "@preact/signals"
import type { ServerStatus } from "../api/Types.ts"
import { configNews, configProblems, inWords, serverList, servers } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { Panel } from "../state/Panel.tsx"
import { address } from "../state/Route.ts"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import { SearchInput } from "../ui/forms/SearchInput.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { AddServerDialog } from "./add/AddServerDialog.tsx"
import { ConfigNotices } from "./ConfigNotices.tsx"
import { ServerCard } from "./ServerCard.tsx"
import { ServerDetail } from "./ServerDetail.tsx"
import { reload } from "./ServersClient.ts"
import { shown } from "./StateWords.ts"
import "../ui/panels.css"
import "./servers.css"

export const ServersPanel = ({ rest: [name, section] }: PanelProps) => {
  if (name === undefined) return <ServerList />
  const status = servers.value.get(name)
  if (status !== undefined) return <ServerDetail key={name} status={status} section={section ?? "overview"} />
  return (
    <Panel title={name}>
      <Empty title={`There is no server ${name}`}>
        <p>It may have been removed from the configuration.</p>
        <LinkButton href={address("servers")} icon="left">All servers</LinkButton>
      </Empty>
    </Panel>
  )
}

/** With more servers than this, there is a field to find one. */
const MANY = 6

const ServerList = () => {
  const isAdding = useSignal(false)
  const words = useSignal("")
  const all = serverList.value
  const found = all.filter((status) => isFound(status, words.value))

  const readAgain = async () => {
    await reload().then((applied) => {
      configProblems.value = applied.problems
      configNews.value = inWords(applied) ?? "Nothing changed in the configuration."
    }, tellError)
  }
  const actions = (
    <>
      <Button icon="retry" label="Read the configuration files again" onClick={() => void readAgain()} />
      <Button kind="primary" icon="plus" onClick={() => isAdding.value = true}>Add server</Button>
    </>
  )
  return (
    <Panel title="Servers" actions={actions}>
      <ConfigNotices />
      {all.length > MANY
        ? (
          <SearchInput
            class="server-search"
            label="Find a server"
            placeholder="Find a server by name, state or file"
            value={words.value}
            onValue={(value) => words.value = value}
          />
        )
        : null}
      {all.length === 0
        ? (
          <Empty title="No server is configured">
            <p>Add one here, or write it into mcp.json of the data folder; the file is read when it is saved.</p>
          </Empty>
        )
        : found.length === 0
        ? <Empty title="No server is like that" />
        : (
          <ul class="server-list" aria-label="MCP servers">
            {found.map((one) => <ServerCard key={one.name} status={one} />)}
          </ul>
        )}
      {isAdding.value ? <AddServerDialog onClose={() => isAdding.value = false} /> : null}
    </Panel>
  )
}

const isFound = (status: ServerStatus, words: string): boolean => {
  const text = `${status.name} ${shown(status).words} ${status.source} ${status.transport ?? ""}`.toLowerCase()
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}
