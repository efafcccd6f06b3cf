/** One server: an overview, its tools, prompts and resources, and its log, each under an address of its own. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { ServerStatus } from "../api/Types.ts"
import { address } from "../shell/Route.ts"
import { tools } from "../state/Catalog.ts"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Panel } from "../ui/Panel.tsx"
import { duration, short } from "../ui/Words.ts"
import { useOfferings } from "./Offerings.ts"
import { RemoveServer } from "./RemoveServer.tsx"
import { ServerActions } from "./ServerActions.tsx"
import { ServerLog } from "./ServerLog.tsx"
import { ServerPrompts } from "./ServerPrompts.tsx"
import { ServerResources } from "./ServerResources.tsx"
import { ServerTools } from "./ServerTools.tsx"
import { Rejected, ServerError, ServerWarnings } from "./ServerTroubles.tsx"
import { mayBeOfProject, TRANSPORTS } from "./ServerWords.ts"
import { StateBadge } from "./StateBadge.tsx"
import { hasQuestion, TrustBox } from "./TrustBox.tsx"

interface ServerDetailProps {
  readonly status: ServerStatus
  readonly section: string
}

export const ServerDetail = ({ section, status }: ServerDetailProps) => {
  const { name } = status
  const own = tools.value.filter(({ server }) => server === name)
  const { prompts, resources, templates } = useOfferings(status)
  const inside = resources.length + templates.length
  const sections: ReadonlyArray<readonly [id: string, text: string, many: number | null]> = [
    ["overview", "Overview", null],
    ["tools", "Tools", own.length],
    ...(prompts.length > 0 ? [["prompts", "Prompts", prompts.length] as const] : []),
    ...(inside > 0 ? [["resources", "Resources", inside] as const] : []),
    ["log", "Log", null]
  ]
  return (
    <Panel
      title={name}
      actions={<LinkButton href={address("servers")} icon="left" isSmall>All servers</LinkButton>}
    >
      <div class="server-top">
        <StateBadge status={status} />
        <ServerActions status={status} />
      </div>
      <nav class="tabs" aria-label={`About ${name}`}>
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
        ? <ServerTools status={status} tools={own} />
        : section === "prompts"
        ? <ServerPrompts prompts={prompts} />
        : section === "resources"
        ? <ServerResources server={name} resources={resources} templates={templates} />
        : section === "log"
        ? <ServerLog key={name} name={name} />
        : <Overview status={status} />}
    </Panel>
  )
}

const Overview = ({ status }: { readonly status: ServerStatus }) => {
  const isRemoving = useSignal(false)
  return (
    <>
      <ServerError status={status} />
      <ServerWarnings status={status} />
      {hasQuestion(status) ? <TrustBox status={status} /> : null}
      <Facts status={status} />
      <Rejected status={status} />
      {mayBeOfProject(status) ? null : (
        <div class="row">
          <Button kind="danger" icon="trash" isSmall onClick={() => isRemoving.value = true}>Remove this server</Button>
        </div>
      )}
      {isRemoving.value ? <RemoveServer status={status} onClose={() => isRemoving.value = false} /> : null}
    </>
  )
}

const Fact = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Facts = ({ status }: { readonly status: ServerStatus }) => {
  const { asks = 0, connectMillis, idle, pid, protocolVersion, restarts, serverInfo, source, steps } = status
  return (
    <dl class="server-about">
      <Fact name="Declared in">{source}</Fact>
      <Fact name="Transport">{TRANSPORTS[status.transport ?? ""] ?? "unknown"}</Fact>
      {serverInfo === null ? null : <Fact name="Calls itself">{serverInfo.name} {serverInfo.version}</Fact>}
      {protocolVersion === null ? null : <Fact name="Protocol">{protocolVersion}</Fact>}
      <Fact name="Tools">
        {status.tools} for models, about {short(status.tokens)} tokens
        {status.undeclared > 0 ? `, ${status.undeclared} of them do not say whether they only read` : ""}
        {asks > 0 ? `, ${asks} ask a person first` : ""}
      </Fact>
      {connectMillis === null ? null : (
        <Fact name="Came up in">
          {duration(connectMillis)}
          {steps.length > 1
            ? <span class="muted">: {steps.map(({ millis, step }) => `${step} ${duration(millis)}`).join(", ")}</span>
            : null}
        </Fact>
      )}
      <Fact name="Restarts">{restarts}</Fact>
      {idle ? <Fact name="Now">idle: nothing runs, and its next call starts it</Fact> : null}
      {pid === null ? null : <Fact name="Process">{pid}</Fact>}
    </dl>
  )
}
