/** Asks before a server is taken out of its file. */
import { useSignal } from "@preact/signals"
import { words } from "../api/Client.ts"
import type { ServerStatus } from "../api/Types.ts"
import { go } from "../state/Route.ts"
import { tell } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Notice } from "../ui/Notice.tsx"
import { removeServer } from "./ServersClient.ts"

interface RemoveServerProps {
  readonly status: ServerStatus
  readonly onClose: () => void
}

export const RemoveServer = ({ onClose, status: { name, source } }: RemoveServerProps) => {
  const refused = useSignal<ReturnType<typeof words> | null>(null)
  const isBusy = useSignal(false)
  const remove = async () => {
    isBusy.value = true
    await removeServer(name).then(() => {
      onClose()
      go("servers", [], "replace")
      tell({ text: `Removed ${name}.` })
    }, (error) => {
      refused.value = words(error)
    })
    isBusy.value = false
  }
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <p class="words">
        It is stopped, and its entry is taken out of {source}. Its tools are gone from all chats then.
      </p>
      {refused.value === null
        ? null
        : <Notice tone="bad" isUrgent hint={refused.value.hint}>{refused.value.message}</Notice>}
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          class="danger-fill"
          icon="trash"
          autofocus
          disabled={isBusy.value}
          onClick={() => void remove()}
        >
          Remove
        </Button>
      </footer>
    </Dialog>
  )
}
