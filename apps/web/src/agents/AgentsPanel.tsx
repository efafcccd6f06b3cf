/** The route `#/agents`: the agents there are, what each may use, and what is wrong with their files. */
import { agents as words } from "../messages/AgentsMessages.ts"
import { agentProblems, agents } from "../state/Catalog.ts"
import { Panel } from "../state/Panel.tsx"
import { Empty } from "../ui/Empty.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import { AgentCard } from "./AgentCard.tsx"
import "../ui/panels.css"
import "./agents.css"

export const AgentsPanel = (_: PanelProps) => {
  const problems = agentProblems.value
  return (
    <Panel title={words.title}>
      {problems.length === 0 ?
        null :
        (
          <section class="stack agent-problems" aria-label={words.problems(problems.length)}>
            {problems.map(({ file, line, message, name }) => (
              <Notice key={`${file}:${line}:${message}`} tone="bad">
                <strong class="place-in-file">{file}:{line}</strong> {name === null ? "" : `${name}: `}
                {message}
              </Notice>
            ))}
          </section>
        )}
      {agents.value.length === 0
        ? <Empty title={words.none} />
        : (
          <ul class="items" aria-label={words.title}>
            {agents.value.map((agent, index) => <AgentCard key={agent.name} agent={agent} isDefault={index === 0} />)}
          </ul>
        )}
      <p class="muted agents-note">
        {words.where}
      </p>
    </Panel>
  )
}
