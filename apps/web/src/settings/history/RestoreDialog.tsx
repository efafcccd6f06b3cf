/** The change that restoring an older version of a file would make, and making it. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import "../../chat/calls/approval.css"
import { TextDiff } from "../../chat/calls/TextDiff.tsx"
import { history as words } from "../../messages/settings/HistoryMessages.ts"
import { ui } from "../../messages/UiMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { type ComparedVersion, compareVersion, type ConfigVersion, restoreVersion } from "./HistoryClient.ts"

interface RestoreDialogProps {
  readonly of: ConfigVersion
  readonly onClose: () => void
  readonly onRestored: () => void
}

export const RestoreDialog = ({ of: { name, version }, onClose, onRestored }: RestoreDialogProps) => {
  const found = useSignal<ComparedVersion | null>(null)
  const { isBusy, refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      found.value = await compareVersion(name, version)
    }), [])
  const compared = found.value
  const restore = async (newest: number) => {
    const isDone = await run(async () => {
      const restored = await restoreVersion(name, version, newest)
      tell({ text: words.restored(name, restored.version) })
    })
    if (isDone) onRestored()
  }
  return (
    <Dialog title={words.restoreTitle(name, version)} isWide onClose={onClose}>
      <div class="stack">
        {compared === null ? null : <Difference of={compared} />}
        <Refused why={refused.value} />
        {compared === null && refused.value === null ? <Spinner label={words.reading} /> : null}
        <footer>
          <Button onClick={onClose}>{ui.cancel}</Button>
          {compared === null || compared.same
            ? null
            : (
              <Button kind="primary" disabled={isBusy.value} onClick={() => void restore(compared.newest)}>
                {words.restore}
              </Button>
            )}
        </footer>
      </div>
    </Dialog>
  )
}

const Difference = ({ of: { after, before, newest, same } }: { readonly of: ComparedVersion }) => {
  if (same) return <p>{words.same(newest)}</p>
  if (after === null) return <Notice tone="warn">{words.removes}</Notice>
  if (after === before) return <p>{words.hiddenOnly(newest)}</p>
  return (
    <>
      <p>{words.changes(newest)}</p>
      <TextDiff before={before ?? ""} after={after} label={words.difference} />
    </>
  )
}
