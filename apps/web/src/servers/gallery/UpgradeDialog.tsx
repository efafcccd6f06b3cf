/** The changes that another version of an installed server would make: its entry and its tools. Then the upgrade. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Upgrade } from "../../api/Types.ts"
import "../../chat/calls/approval.css"
import { TextDiff } from "../../chat/calls/TextDiff.tsx"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { applied } from "../entry/Applied.ts"
import { TrialView } from "../entry/TrialView.tsx"
import { ToolChanges } from "../trust/ToolChanges.tsx"
import { compareVersions, upgrade } from "./GalleryClient.ts"
import { InputField } from "./InputField.tsx"
import { inputsOf, type Typed } from "./InstallDraft.ts"
import * as NewerVersions from "./NewerVersions.ts"

interface UpgradeDialogProps {
  readonly server: string
  readonly version: string
  readonly onClose: () => void
}

const texts = words.upgrade

export const UpgradeDialog = ({ onClose, server, version }: UpgradeDialogProps) => {
  const answer = useSignal<Upgrade | null>(null)
  const typed = useSignal<Typed>({})
  const isUpgrading = useSignal(false)
  const { isBusy, refused, run } = useAttempt()
  const asked = answer.value?.missing ?? []
  const wanted = () => ({ server, version, inputs: inputsOf(asked, typed.value) })
  const compare = () =>
    run(async () => {
      const found = await compareVersions(wanted())
      // Its fields stay, as their values are sent with the upgrade.
      answer.value = found.change === null ? found : { ...found, missing: asked }
    })
  useEffect(() => void compare(), [])
  const go = async () => {
    isUpgrading.value = true
    const isDone = await run(async () => {
      await applied(server, upgrade(wanted()))
      NewerVersions.forget(server)
      tell({ text: texts.done(server, version) })
    })
    isUpgrading.value = false
    if (isDone) onClose()
  }
  const change = answer.value?.change ?? null
  return (
    <Dialog title={texts.title(server)} isWide onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void (change === null ? compare() : go())
        }}
      >
        {answer.value === null ? null : <p>{texts.versions(answer.value.from, answer.value.to)}</p>}
        {asked.length === 0 ? null : <p>{texts.missing}</p>}
        {asked.map((input) => (
          <InputField
            key={input.key}
            input={input}
            value={typed.value[input.key] ?? ""}
            wrong={null}
            onValue={(value) => {
              typed.value = { ...typed.value, [input.key]: value }
              if (answer.value !== null) answer.value = { ...answer.value, change: null }
            }}
          />
        ))}
        {change === null ? null : <Differences server={server} change={change} />}
        <Refused why={refused.value} />
        <footer>
          {isBusy.value ? <Spinner label={isUpgrading.value ? texts.doing : texts.comparing} /> : null}
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {change === null ? texts.compare : change.trial.server.state === "failed" ? texts.anyway : texts.do}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

interface DifferencesProps {
  readonly server: string
  readonly change: NonNullable<Upgrade["change"]>
}

const Differences = (
  { change: { after, before, runs, tools, trial, variables, warnings }, server }: DifferencesProps
) => (
  <>
    <CodeBlock code={runs} isWrapped label={words.runs} />
    {variables.length === 0 ? null : <p class="muted small">{words.variables(variables.join(", "))}</p>}
    {warnings.map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}
    <TextDiff before={before} after={after} label={texts.entry} />
    <section class="stack" aria-label={texts.tools}>
      <h3 class="section-heading">{texts.tools}</h3>
      {tools === null
        ? <p>{texts.notCompared}</p>
        : tools.added.length + tools.changed.length + tools.removed.length === 0
        ? <p>{texts.same}</p>
        : <ToolChanges difference={tools} />}
    </section>
    {trial.server.state === "ready" ? null : <TrialView name={server} trial={trial} />}
  </>
)
