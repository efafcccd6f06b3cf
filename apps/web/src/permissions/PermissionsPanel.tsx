/** The route `#/settings/permissions`: the rules and where they come from, what was allowed, examples, and trying a call. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { getPermissions } from "../api/Api.ts"
import type { Permissions } from "../api/Types.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { Grants } from "../settings/Grants.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { rulesVersion } from "../state/Catalog.ts"
import { Panel } from "../state/Panel.tsx"
import { Button } from "../ui/Button.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import "../ui/panels.css"
import { Spinner } from "../ui/Spinner.tsx"
import { ExampleList } from "./ExampleList.tsx"
import { ExplainCall } from "./ExplainCall.tsx"
import "./permissions.css"
import { RuleList } from "./RuleList.tsx"
import { RulesEditor } from "./RulesEditor.tsx"

export const PermissionsPanel = (_: PanelProps) => {
  const found = useSignal<Permissions | null>(null)
  /** Null while the file is not edited; then the line that is marked at first, if any. */
  const editing = useSignal<{ readonly line: number | null } | null>(null)
  const { refused, run } = useAttempt()
  // Again when somebody changes a file.
  useEffect(() =>
    void run(async () => {
      found.value = await getPermissions()
    }), [rulesVersion.value])
  const { value } = found
  return (
    <Panel
      title={words.title}
      isOfSettings
      actions={value === null || editing.value !== null
        ? undefined
        : <Button icon="edit" onClick={() => editing.value = { line: null }}>{words.editFile}</Button>}
    >
      <Refused why={refused.value} />
      {value === null
        ? refused.value === null ? <Spinner label={words.reading} /> : null
        : editing.value === null
        ? <Overview of={value} onEdit={(line) => editing.value = { line }} />
        : (
          <RulesEditor
            text={value.text}
            seen={value.seen}
            line={editing.value.line}
            onClose={() => editing.value = null}
            onSaved={(saved) => {
              found.value = saved
              editing.value = null
            }}
          />
        )}
    </Panel>
  )
}

interface OverviewProps {
  readonly of: Permissions
  readonly onEdit: (line: number | null) => void
}

const Overview = ({ of: { examples, file, problems, rules, write }, onEdit }: OverviewProps) => (
  <>
    <section class="setting-group" aria-label={words.write}>
      <h2 class="section-heading">{words.write}</h2>
      <p>{words.writeIs[write]}</p>
      <p class="muted">
        {words.keptIn} <code>{file}</code>. {words.alsoProject}
      </p>
    </section>
    {problems.length === 0 ? null : (
      <section class="setting-group stack" aria-label={words.problems}>
        {problems.map(({ hint, line, message }) => (
          <Notice
            key={message}
            tone="bad"
            hint={hint}
            action={<Button isSmall onClick={() => onEdit(line)}>{words.editFile}</Button>}
          >
            {message}
          </Notice>
        ))}
      </section>
    )}
    <section class="setting-group" aria-label={words.rules}>
      <h2 class="section-heading">{words.rules}</h2>
      {rules.length === 0 ? <p class="muted">{words.noRules}</p> : (
        <>
          <p class="muted">{words.order}</p>
          <RuleList label={words.rules} rules={rules} />
        </>
      )}
    </section>
    <Grants level={2} />
    <ExampleList examples={examples} />
    <ExplainCall />
  </>
)
