/** One agent: where it is written, its model, and the tools its patterns match now. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listTools } from "../api/Api.ts"
import { Problem } from "../api/Client.ts"
import type { Agent, Tool } from "../api/Types.ts"
import { agent as words } from "../messages/AgentMessages.ts"
import { short } from "../messages/Numbers.ts"
import { models, tools } from "../state/Catalog.ts"
import { getJson } from "../state/Loading.ts"
import { Fact } from "../state/Panel.tsx"
import { isAdmin } from "../state/people/Me.ts"
import { address, go } from "../state/Route.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { inSteps } from "../ui/files/PathSteps.tsx"
import { Fold } from "../ui/Fold.tsx"
import { Growing } from "../ui/forms/Growing.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Row } from "../ui/lists/Row.tsx"
import { Notice } from "../ui/Notice.tsx"

interface Seen {
  readonly tools: ReadonlyArray<Tool>
  readonly warnings: ReadonlyArray<string>
}

/** While its file is saved, the server may not know an agent for a moment. */
const AGAIN_MILLIS = 1000

const isUnknown = (error: unknown) => error instanceof Problem && error.status === 404

/** The tools that the patterns match. Asks again when the tools or the agent change, and while the server does not know the agent. */
const useSeen = (agent: Agent): Seen | null => {
  const seen = useSignal<Seen | null>(null)
  const all = tools.value
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = () => {
      const request = listTools(agent.name, abort.signal).catch((error) => {
        if (abort.signal.aborted) return null
        if (!isUnknown(error)) throw error
        timer = setTimeout(read, AGAIN_MILLIS)
        return null
      })
      void getJson(request, (found) => {
        if (found !== null) seen.value = found
      })
    }
    read()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [agent, all])
  return seen.value
}

interface AgentCardProps {
  readonly agent: Agent
  readonly isDefault: boolean
  readonly onDelete: () => void
}

export const AgentCard = ({ agent, isDefault, onDelete }: AgentCardProps) => {
  const { ask, description, editable, file, for: audience, line, model, name, steps, temperature } = agent
  const seen = useSeen(agent)
  const standard = models.value?.default ?? null
  const to = address("agents", "edit", name)
  return (
    <Row
      label={name}
      level={2}
      icon={<Letter name={name} isLarge />}
      title={<a href={to}>{name}</a>}
      meta={
        <>
          {isDefault ? <Badge tone="accent">{words.default}</Badge> : null} {file === null
            ? null
            : <span class="agent-file" dir="ltr">{inSteps(file)}{line === null ? "" : `:${line}`}</span>}
        </>
      }
      action={isAdmin.value ?
        (
          <Button
            isSmall
            aria-label={editable ? words.editOf(name) : words.showOf(name)}
            onClick={() => go("agents", ["edit", name])}
          >
            {editable ? words.edit : words.show}
          </Button>
        ) :
        null}
      menu={{
        label: words.more(name),
        items: !isAdmin.value ? [] : [
          { text: words.duplicate, icon: "copy", act: () => go("agents", ["copy", name]) },
          ...(editable ? [{ text: words.delete, icon: "trash" as const, isDangerous: true, act: onDelete }] : [])
        ]
      }}
    >
      {description === null ? null : <p class="item-about">{description}</p>}
      <dl class="about-list">
        <Fact name={words.modelFact}>
          {model ?? (standard === null ? words.noModel : words.standardModel(standard))}
        </Fact>
        {audience === undefined ? null : <Fact name={words.forFact}>{audience.join(", ")}</Fact>}
        <Fact name={words.stepsFact}>{words.atMost(steps)}</Fact>
        {temperature === null ? null : <Fact name={words.temperatureFact}>{temperature}</Fact>}
        <Fact name={words.toolsFact}>
          <Patterns patterns={agent.tools} everything={words.allThereAre} />
        </Fact>
        {ask === undefined || ask.length === 0
          ? null
          : (
            <Fact name={words.ask}>
              <Patterns patterns={ask} everything="" />
            </Fact>
          )}
      </dl>
      {(seen?.warnings ?? []).map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}
      {seen === null ? null : <Matched name={name} tools={seen.tools} />}
    </Row>
  )
}

interface PatternsProps {
  readonly patterns: ReadonlyArray<string> | null
  readonly everything: string
}

const Patterns = ({ everything, patterns }: PatternsProps) => {
  if (patterns === null) return <>{everything}</>
  if (patterns.length === 0) return <>{words.noneFact}</>
  return <>{patterns.map((pattern) => <code key={pattern} class="pattern">{pattern}</code>)}</>
}

const Matched = ({ name, tools: matched }: { readonly name: string; readonly tools: ReadonlyArray<Tool> }) => {
  const tokens = matched.reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <Fold
      summary={
        <>
          {words.matched(matched.length, short(tokens))}
          <span class="visually-hidden">{words.forAgent(name)}</span>
        </>
      }
      inside={() => (
        <Growing
          items={matched}
          class="name-list"
          label={words.toolsOf(name)}
          render={(tool) => (
            <li key={tool.name}>
              <a href={address("tools", tool.name)}>{tool.name}</a>
            </li>
          )}
        />
      )}
    />
  )
}
