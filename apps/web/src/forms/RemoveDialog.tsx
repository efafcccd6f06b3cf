/** Asks before something is removed, and says why it could not be. */
import type { ComponentChildren } from "preact"
import { ui } from "../messages/UiMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"

interface RemoveDialogProps {
  readonly title: string
  /** The label of the button that does it. */
  readonly action: string
  readonly children: ComponentChildren
  readonly onClose: () => void
  readonly request: () => Promise<unknown>
  /** The request was not refused. */
  readonly onRemoved?: () => void
}

export const RemoveDialog = ({ action, children, onClose, onRemoved, request, title }: RemoveDialogProps) => {
  const { isBusy, refused, run } = useAttempt()
  const remove = async () => {
    if (await run(request)) onRemoved?.()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Refused why={refused.value} />
      <footer>
        <Button onClick={onClose}>{ui.cancel}</Button>
        <Button
          kind="primary"
          class="danger-fill"
          icon="trash"
          autofocus
          disabled={isBusy.value}
          onClick={() => void remove()}
        >
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}
