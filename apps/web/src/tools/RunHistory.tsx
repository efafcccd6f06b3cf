/** The last calls of a tool: which is shown, and their arguments to begin with again. */
import type { Json } from "../api/Types.ts"
import { clock, cut, duration } from "../messages/Numbers.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { outcomeWords, type Run } from "./Runs.ts"

interface RunHistoryProps {
  readonly all: ReadonlyArray<Run>
  readonly shown: number | null
  readonly onShow: (id: number) => void
  readonly onUse: (args: Json) => void
}

export const RunHistory = ({ all, onShow, onUse, shown }: RunHistoryProps) =>
  all.length < 2 ? null : (
    <section aria-label={texts.lastRuns} class="history">
      <h2 class="section-heading">{texts.lastRuns}</h2>
      <ul>
        {all.map((run) => {
          const { tone, words } = outcomeWords(run)
          const time = clock(run.at)
          return (
            <li key={run.id}>
              <button
                type="button"
                class="history-run"
                aria-pressed={run.id === shown}
                onClick={() => onShow(run.id)}
              >
                <time>{time}</time>
                <Badge tone={tone}>{words}</Badge>
                <span class="muted">{duration(run.millis)}</span>
                <code>{cut(JSON.stringify(run.args), 90)}</code>
              </button>
              <Button
                kind="plain"
                isSmall
                icon="retry"
                label={texts.useArguments(time)}
                onClick={() => onUse(run.args)}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
