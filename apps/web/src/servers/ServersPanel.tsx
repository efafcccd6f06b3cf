/** The route `#/servers`: every MCP server; `#/servers/NAME`: one of them. */
import { useSignal } from "@preact/signals"
import type { ServerStatus } from "../api/Types.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { configNews, configProblems, inWords, servers } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { Panel } from "../state/Panel.tsx"
import { address, go } from "../state/Route.ts"
import { GROUPS, type ServerGroup, serverGroups } from "../state/ServerGroups.ts"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import { SearchInput } from "../ui/forms/SearchInput.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Menu } from "../ui/lists/Menu.tsx"
import { AddServerDialog } from "./add/AddServerDialog.tsx"
import { ConfigNotices } from "./ConfigNotices.tsx"
import { ServerDetail } from "./ServerDetail.tsx"
import { ServerRow } from "./ServerRow.tsx"
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
      <Empty title={words.noSuch(name)}>
        <p>{words.mayBeRemoved}</p>
        <LinkButton href={address("servers")} icon="left">{words.all}</LinkButton>
      </Empty>
    </Panel>
  )
}

/** With more servers than this, there is a field to find one. */
const MANY = 6

const readAgain = async () => {
  await reload().then((applied) => {
    configProblems.value = applied.problems
    configNews.value = inWords(applied) ?? words.unchanged
  }, tellError)
}

const ServerList = () => {
  const isAdding = useSignal(false)
  const sought = useSignal("")
  const groups = serverGroups.value
  const all = [...groups.values()].flat()
  const found = all.filter((status) => isFound(status, sought.value))
  const actions = (
    <>
      <Button kind="primary" onClick={() => isAdding.value = true}>{words.add}</Button>
      <Menu
        label={words.more}
        items={[
          { text: words.tools, icon: "tool", act: () => go("tools") },
          { text: words.readAgain, icon: "retry", act: () => void readAgain() }
        ]}
      />
    </>
  )
  return (
    <Panel title={words.title} actions={actions}>
      <ConfigNotices />
      {all.length > MANY
        ? (
          <SearchInput
            class="server-search"
            label={words.find}
            placeholder={words.findHint}
            value={sought.value}
            onValue={(value) => sought.value = value}
          />
        )
        : null}
      {all.length === 0
        ? (
          <Empty title={words.none}>
            <p>{words.noneAbout}</p>
          </Empty>
        )
        : found.length === 0
        ? <Empty title={words.notFound} />
        : GROUPS.map((group) => (
          <Group
            key={group}
            group={group}
            servers={(groups.get(group) ?? []).filter((one) => found.includes(one))}
          />
        ))}
      {isAdding.value ? <AddServerDialog onClose={() => isAdding.value = false} /> : null}
    </Panel>
  )
}

interface GroupProps {
  readonly group: ServerGroup
  readonly servers: ReadonlyArray<ServerStatus>
}

const Group = ({ group, servers: of }: GroupProps) =>
  of.length === 0 ? null : (
    <section class="server-group" aria-label={words.groups[group]}>
      <h2>{words.groups[group]}</h2>
      <ul class="items" aria-label={words.groups[group]}>
        {of.map((one) => <ServerRow key={one.name} status={one} />)}
      </ul>
    </section>
  )

const isFound = (status: ServerStatus, sought: string): boolean => {
  const text = `${status.name} ${shown(status).words} ${status.source} ${status.transport ?? ""}`.toLowerCase()
  return sought.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}
