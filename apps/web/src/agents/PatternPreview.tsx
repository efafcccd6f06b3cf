/** The effect of patterns on the tools there are now: which ones the agent sees, and which pattern decided. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Refusal, words as wordsOf } from "../api/Client.ts"
import type { AgentPreview } from "../api/Types.ts"
import { agent as words } from "../messages/AgentMessages.ts"
import { short } from "../messages/Numbers.ts"
import { Refused } from "../state/Attempt.tsx"
import { tools as toolsThereAre } from "../state/Catalog.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Growing } from "../ui/forms/Growing.tsx"
import { SearchInput } from "../ui/forms/SearchInput.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { type AgentDraft, byServer, patternsOf, replaced, toggled } from "./AgentDraft.ts"
import { preview } from "./AgentsClient.ts"

interface PatternPreviewProps {
  readonly draft: AgentDraft
  readonly isFixed: boolean
  readonly onChange: (change: Partial<AgentDraft>) => void
}

/** So long nothing may be typed before the patterns are tried. */
const PAUSE_MILLIS = 200

/** With more tools than this, there is a field to find one. */
const MANY = 12

/** A long name breaks behind an underscore, not inside a word. */
const breakable = (name: string) =>
  name.split("_").flatMap((word, index) => index === 0 ? [word] : ["_", <wbr key={index} />, word])

const usePreview = ({ ask, tools }: AgentDraft) => {
  const found = useSignal<AgentPreview | null>(null)
  const refused = useSignal<Refusal | null>(null)
  const there = toolsThereAre.value
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(() => {
      void preview({ tools: tools === null ? null : patternsOf(tools), ask: patternsOf(ask) }).then((answer) => {
        if (isOver) return
        found.value = answer
        refused.value = null
      }, (error) => {
        if (!isOver) refused.value = wordsOf(error)
      })
    }, found.peek() === null ? 0 : PAUSE_MILLIS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [tools, ask, there])
  return { found: found.value, refused: refused.value }
}

export const PatternPreview = ({ draft, isFixed, onChange }: PatternPreviewProps) => {
  const { found, refused } = usePreview(draft)
  const sought = useSignal("")
  if (found === null) return refused === null ? <Spinner label={words.previewing} /> : <Refused why={refused} />
  const { tokens, tools, unmatched } = found
  const allowed = tools.filter((tool) => tool.allowed).length
  const shown = tools.filter(({ name }) => name.toLowerCase().includes(sought.value.trim().toLowerCase()))
  return (
    <section class="preview" aria-label={words.preview}>
      <h2 class="section-heading">{words.preview}</h2>
      <p class="muted" role="status">{words.sees(allowed, tools.length, short(tokens))}</p>
      <Refused why={refused} />
      {unmatched.map(({ key, nearest, pattern, waiting }) => (
        <Notice
          key={`${key} ${pattern}`}
          tone="warn"
          hint={waiting === null ? null : words.waiting(waiting)}
          action={isFixed ? null : nearest.slice(0, 3).map((name) => (
            <Button
              key={name}
              isSmall
              onClick={() =>
                onChange({ [key]: replaced(draft[key] ?? "", pattern, pattern.startsWith("!") ? `!${name}` : name) })}
            >
              {words.didYouMean(name)}
            </Button>
          ))}
        >
          {words.unmatched(pattern)}
        </Notice>
      ))}
      {tools.length > MANY
        ? <SearchInput label={words.findTool} value={sought.value} onValue={(value) => sought.value = value} />
        : null}
      {byServer(shown).map(([server, inside]) => (
        <section key={server ?? ""} class="preview-server">
          <h3>
            {words.serverTools(server ?? words.builtIn, inside.filter((tool) => tool.allowed).length, inside.length)}
          </h3>
          <Growing
            items={inside}
            class="preview-tools"
            label={words.toolsOf(server ?? words.builtIn)}
            render={(tool) => (
              <li key={tool.name}>
                <button
                  type="button"
                  class={tool.allowed ? "preview-tool" : "preview-tool away"}
                  disabled={isFixed}
                  aria-pressed={tool.allowed}
                  onClick={() => onChange({ tools: toggled(draft.tools, tool) })}
                >
                  <Icon name={tool.allowed ? "check" : "close"} />
                  <span class="preview-name">{breakable(tool.name)}</span>
                  {tool.asks ? <Badge tone="warn">{words.asks}</Badge> : null}
                  {tool.pattern === null ? null : <code>{tool.pattern}</code>}
                </button>
              </li>
            )}
          />
        </section>
      ))}
    </section>
  )
}
