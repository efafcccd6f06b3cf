/** One server: an overview, its tools, prompts and resources, and its log, each under an address of its own. */
import { useSignal } from "@preact/signals"
import type { ServerStatus } from "../api/Types.ts"
import { entry as entries } from "../messages/EntryMessages.ts"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { activity } from "../messages/servers/ActivityMessages.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { Refused } from "../state/Attempt.tsx"
import { tools } from "../state/Catalog.ts"
import { Panel } from "../state/Panel.tsx"
import { isAdmin } from "../state/people/Me.ts"
import { address } from "../state/Route.ts"
import { LinkButton } from "../ui/Button.tsx"
import { Menu } from "../ui/lists/Menu.tsx"
import { ServerActivity } from "./activity/ServerActivity.tsx"
import { EditServer } from "./entry/EditServer.tsx"
import { LogView } from "./log/LogView.tsx"
import { useOfferings } from "./offerings/OfferingsState.ts"
import { ServerPrompts } from "./offerings/ServerPrompts.tsx"
import { ServerResources } from "./offerings/ServerResources.tsx"
import { RemoveServer } from "./RemoveServer.tsx"
import { actionsId, MainAction, menuItems, useDoing } from "./ServerActions.tsx"
import { ServerOverview } from "./ServerOverview.tsx"
import { ServerToolList } from "./ServerToolList.tsx"
import { shown } from "./StateWords.ts"

interface ServerDetailProps {
  readonly status: ServerStatus
  readonly section: string
}

export const ServerDetail = ({ section, status }: ServerDetailProps) => {
  const { name } = status
  const doing = useDoing(status)
  const isRemoving = useSignal(false)
  const own = tools.value.filter(({ server }) => server === name)
  const { prompts, resources, templates } = useOfferings(status)
  const inside = resources.length + templates.length
  const sections: ReadonlyArray<readonly [id: string, text: string, many: number | null]> = [
    ["overview", texts.overview, null],
    ["tools", texts.tools, own.length],
    ...(prompts.length > 0 ? [["prompts", texts.prompts, prompts.length] as const] : []),
    ...(inside > 0 ? [["resources", texts.resources, inside] as const] : []),
    ["activity", activity.tab, null],
    ...(isAdmin.value ? [["log", texts.log, null] as const, ["edit", entries.tab, null] as const] : [])
  ]
  return (
    <Panel
      title={name}
      actions={<LinkButton href={address("servers")} icon="left" isSmall>{words.all}</LinkButton>}
    >
      <div class="server-top">
        <StateBadge status={status} />
        <div class="row" id={actionsId(name)}>
          <MainAction status={status} doing={doing} />
          {isAdmin.value
            ? (
              <Menu
                label={words.moreFor(name)}
                items={menuItems(status, doing, { isInList: false, onRemove: () => isRemoving.value = true })}
              />
            )
            : null}
        </div>
      </div>
      <Refused why={doing.refused} />
      {isRemoving.value ? <RemoveServer status={status} onClose={() => isRemoving.value = false} /> : null}
      <nav class="tabs" aria-label={texts.about(name)}>
        {sections.map(([id, text, many]) => (
          <a
            key={id}
            href={address("servers", name, ...(id === "overview" ? [] : [id]))}
            {...(id === section ? { "aria-current": "page" } : {})}
          >
            {text}
            {many === null ? null : <span class="many">{many}</span>}
          </a>
        ))}
      </nav>
      {section === "tools"
        ? <ServerToolList status={status} tools={own} />
        : section === "prompts"
        ? <ServerPrompts prompts={prompts} />
        : section === "resources"
        ? (
          <ServerResources
            server={name}
            resources={resources}
            templates={templates}
            canWatch={status.capabilities?.subscribe === true}
          />
        )
        : section === "activity"
        ? <ServerActivity key={name} server={name} />
        : section === "log"
        ? <LogView key={name} status={status} />
        : section === "edit"
        ? <EditServer key={name} status={status} />
        : <ServerOverview status={status} />}
    </Panel>
  )
}

const StateBadge = ({ status }: { readonly status: ServerStatus }) => {
  const { tone, words } = shown(status)
  return (
    <span class={`server-state ${tone}`}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      {words}
    </span>
  )
}
