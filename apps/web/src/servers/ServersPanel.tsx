/** The route `#/servers`: every MCP server; `#/servers/NAME`: one of them. */
import type { ConfigProblem, ServerStatus } from "../api/Types.ts"
import { entry as entries } from "../messages/EntryMessages.ts"
import { gallery } from "../messages/servers/GalleryMessages.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { configNews, configProblems, servers } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { Panel } from "../state/Panel.tsx"
import { isAdmin } from "../state/people/Me.ts"
import { address, go } from "../state/Route.ts"
import { GROUPS, type ServerGroup, serverGroups } from "../state/ServerGroups.ts"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import { SearchInput } from "../ui/forms/SearchInput.tsx"
import { lazy, type PanelProps } from "../ui/Lazy.tsx"
import { Menu } from "../ui/lists/Menu.tsx"
import { Notice } from "../ui/Notice.tsx"
import "../ui/panels.css"
import { AddServerDialog } from "./add/AddServerDialog.tsx"
import { lookForNewer, recall } from "./gallery/NewerVersions.ts"
import { ConnectDialog } from "./imports/ConnectDialog.tsx"
import { ImportDialog } from "./imports/ImportDialog.tsx"
import { ServerDetail } from "./ServerDetail.tsx"
import { ServerRow } from "./ServerRow.tsx"
import "./servers.css"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { reload } from "./ServersClient.ts"
import { appliedWords, shown } from "./StateWords.ts"

/** The word of the address in place of a server: no server is called so. */
const ADD = "+add"
const IMPORT = "+import"
const FIND = "+find"
const CONNECT = "+connect"
const DIALOGS: ReadonlyArray<string> = [ADD, IMPORT, CONNECT]

const GalleryPanel = lazy(() => import("./gallery/GalleryPanel.tsx").then((module) => module.GalleryPanel))

export const ServersPanel = ({ rest: [name, section, ...more] }: PanelProps) => {
  if (name === FIND) return <GalleryPanel rest={[...section === undefined ? [] : [section], ...more]} />
  if (name === undefined || DIALOGS.includes(name)) return <ServerList open={name ?? null} />
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
    configNews.value = applied
  }, tellError)
}

const ServerList = ({ open }: { readonly open: string | null }) => {
  const close = () => go("servers", [], "replace")
  useEffect(recall, [])
  const sought = useSignal("")
  const groups = serverGroups.value
  const all = [...groups.values()].flat()
  const found = all.filter((status) => isFound(status, sought.value))
  const actions = (
    <>
      {isAdmin.value
        ? (
          <>
            <Button onClick={() => go("servers", [IMPORT])}>{entries.imports.open}</Button>
            <Button kind="primary" onClick={() => go("servers", [ADD])}>{words.add}</Button>
          </>
        )
        : null}
      <Menu
        label={words.more}
        items={[
          { text: words.tools, icon: "tool", act: () => go("tools") },
          ...(isAdmin.value
            ? [
              { text: entries.connections.open, icon: "link", act: () => go("servers", [CONNECT]) } as const,
              { text: words.readAgain, icon: "retry", act: () => void readAgain() } as const,
              { text: gallery.upgrade.look, icon: "download", act: () => void lookForNewer() } as const
            ]
            : [])
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
      {open === ADD ?
        (
          <AddServerDialog
            onClose={close}
            onFind={() => go("servers", [FIND], "replace")}
            onImport={() => go("servers", [IMPORT], "replace")}
          />
        ) :
        null}
      {open === IMPORT ? <ImportDialog onClose={close} /> : null}
      {open === CONNECT ? <ConnectDialog onClose={close} /> : null}
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

const where = ({ column, file, line }: ConfigProblem): string =>
  [file, line, column].filter((part) => part !== null).join(":")

/** The messages mostly begin with the place. */
const message = (problem: ConfigProblem): string =>
  problem.message.includes(where(problem)) ? problem.message : `${where(problem)}: ${problem.message}`

const ConfigNotices = () => (
  <>
    {configProblems.value.map((problem) => (
      <Notice key={message(problem)} tone="bad" isUrgent hint={problem.hint}>{message(problem)}</Notice>
    ))}
    <p class="config-news" role="status">{configNews.value === null ? "" : appliedWords(configNews.value)}</p>
  </>
)
