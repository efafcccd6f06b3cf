/** The outcome of a server's trial: its tools, or why it did not come up, and its output. */
import type { EntryTrial } from "../../api/Types.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { duration } from "../../messages/Numbers.ts"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Fold } from "../../ui/Fold.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Success } from "../../ui/Success.tsx"

interface TrialViewProps {
  readonly name: string
  readonly trial: EntryTrial
}

export const TrialView = ({ name, trial: { log, millis, server, tools } }: TrialViewProps) => (
  <section class="stack trial" aria-label={words.trial(name)}>
    {server.state === "ready"
      ? <Success>{words.works(tools.length, server.rejected.length + server.rejectedMore, duration(millis))}</Success>
      : server.state === "needs-auth"
      ? <Notice tone="warn">{words.needsLogin}</Notice>
      : <Notice tone="bad" isUrgent hint={server.error?.hint}>{server.error?.message ?? server.state}</Notice>}
    {server.warnings.map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}
    {tools.length === 0 ? null : (
      <Fold
        summary={words.tools}
        inside={() => (
          <ul class="trial-tools">
            {tools.map(({ name: tool, tool: own }) => (
              <li key={tool}>
                <code>{own}</code>
              </li>
            ))}
          </ul>
        )}
      />
    )}
    {log.length === 0 ? null : (
      <Fold
        summary={words.log}
        inside={() => <CodeBlock code={log.map(({ text }) => text).join("\n")} isWrapped label={words.logOf(name)} />}
      />
    )}
  </section>
)
