/** One agent: where it is written, its model, and the tools its patterns match now. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listTools } from "../api/Api.ts"
import { Problem } from "../api/Client.ts"
import type { Agent, Tool } from "../api/Types.ts"
import { agents as words } from "../messages/AgentsMessages.ts"
import { short } from "../messages/Numbers.ts"
import { models, tools } from "../state/Catalog.ts"
import { getJson } from "../state/Loading.ts"
import { Fact } from "../state/Panel.tsx"
import { address } from "../state/Route.ts"
import { Badge } from "../ui/Badge.tsx"
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

export const AgentCard = ({ agent, isDefault }: { readonly agent: Agent; readonly isDefault: boolean }) => {
  const { ask, description, file, line, model, name, steps, temperature } = agent
  const seen = useSeen(agent)
  const standard = models.value?.default ?? null
  return (
    <Row
      label={name}
      level={2}
      icon={<Letter name={name} isLarge />}
      title={name}
      meta={
        <>
          {isDefault ? <Badge tone="accent">{words.isDefault}</Badge> : null}{" "}
          {file === null ? "" : `${file}${line === null ? "" : `:${line}`}`}
        </>
      }
    >
      {description === null ? null : <p class="item-about words">{description}</p>}
      <dl class="about-list">
        <Fact name={words.model}>
          {model ?? (standard === null ? words.noModel : words.standard(standard))}
        </Fact>
        <Fact name={words.steps}>{words.mostSteps(steps)}</Fact>
        {temperature === null ? null : <Fact name={words.temperature}>{temperature}</Fact>}
        <Fact name={words.tools}>
          <Patterns patterns={agent.tools} everything={words.everything} />
        </Fact>
        {ask === undefined || ask.length === 0
          ? null
          : (
            <Fact name={words.asks}>
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
  if (patterns.length === 0) return <>{words.noTools}</>
  return <>{patterns.map((pattern) => <code key={pattern} class="pattern">{pattern}</code>)}</>
}

const Matched = ({ name, tools: matched }: { readonly name: string; readonly tools: ReadonlyArray<Tool> }) => {
  const tokens = matched.reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <Fold
      summary={
        <>
          {words.matched(matched.length, short(tokens))}
          <span class="visually-hidden">{words.matchedFor(name)}</span>
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
