/** The route `#/agents`: the agents there are; `#/agents/new`, `/edit/NAME` and `/copy/NAME`: one that is written. */
import { useSignal } from "@preact/signals"
import type { Agent } from "../api/Types.ts"
import { RemoveDialog } from "../forms/RemoveDialog.tsx"
import { agent as words } from "../messages/AgentMessages.ts"
import { agentProblems, agents, loadAgents } from "../state/Catalog.ts"
import { Panel } from "../state/Panel.tsx"
import { isAdmin } from "../state/people/Me.ts"
import { address, go } from "../state/Route.ts"
import { tell } from "../state/Toasts.ts"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import { inSteps } from "../ui/files/PathSteps.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import { AgentCard } from "./AgentCard.tsx"
import { EMPTY, ofAgent } from "./AgentDraft.ts"
import { AgentForm } from "./AgentForm.tsx"
import { removeAgent } from "./AgentsClient.ts"
import "../ui/panels.css"
import "./agents.css"

export const AgentsPanel = ({ rest: [what, name] }: PanelProps) => {
  if (what === undefined) return <AgentList />
  if (what === "new") return <AgentForm key="new" agent={null} before={EMPTY} />
  const found = agents.value.find((agent) => agent.name === name)
  if (found === undefined) {
    return (
      <Panel title={words.title}>
        <Empty title={words.unknown(name ?? what)}>
          <p>{words.unknownWhy}</p>
          <LinkButton href={address("agents")} icon="left">{words.all}</LinkButton>
        </Empty>
      </Panel>
    )
  }
  const before = ofAgent(found)
  return what === "copy"
    ? <AgentForm key={`copy ${name}`} agent={null} before={{ ...before, name: words.copyOf(found.name) }} />
    : <AgentForm key={`edit ${name}`} agent={found} before={before} />
}

const AgentList = () => {
  const leaving = useSignal<Agent | null>(null)
  const problems = agentProblems.value
  return (
    <Panel
      title={words.title}
      actions={isAdmin.value
        ? <Button kind="primary" icon="plus" onClick={() => go("agents", ["new"])}>{words.new}</Button>
        : null}
    >
      {problems.length === 0 ?
        null :
        (
          <section class="stack agent-problems" aria-label={words.problems(problems.length)}>
            {problems.map(({ file, line, message, name }) => (
              <Notice key={`${file}:${line}:${message}`} tone="bad">
                <strong class="place-in-file">{inSteps(file)}:{line}</strong> {name === null ? "" : `${name}: `}
                {message}
              </Notice>
            ))}
          </section>
        )}
      {agents.value.length === 0
        ? <Empty title={words.none} />
        : (
          <ul class="items" aria-label={words.list}>
            {agents.value.map((agent, index) => (
              <AgentCard
                key={agent.name}
                agent={agent}
                isDefault={index === 0}
                onDelete={() => leaving.value = agent}
              />
            ))}
          </ul>
        )}
      <p class="muted agents-note">{words.note}</p>
      {leaving.value === null ? null : <Deletion agent={leaving.value} onClose={() => leaving.value = null} />}
    </Panel>
  )
}

interface DeletionProps {
  readonly agent: Agent
  readonly onClose: () => void
}

const Deletion = ({ agent: { file, name, prompt }, onClose }: DeletionProps) => (
  <RemoveDialog
    title={words.deleteTitle(name)}
    action={words.delete}
    onClose={onClose}
    request={() => removeAgent(name)}
    onRemoved={() => {
      loadAgents()
      tell({ text: words.deleted(name) })
      onClose()
    }}
  >
    <p>{words.deleteAbout(file ?? "")}</p>
    <pre class="agent-prompt" tabIndex={0} role="group" aria-label={words.prompt}>{prompt}</pre>
  </RemoveDialog>
)
