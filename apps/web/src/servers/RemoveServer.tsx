/** Asks before a server is taken out of its file. */
import type { ServerStatus } from "../api/Types.ts"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { go } from "../state/Route.ts"
import { tell } from "../state/Toasts.ts"
import { RemoveDialog } from "../ui/Dialog.tsx"
import { removeServer } from "./ServersClient.ts"

interface RemoveServerProps {
  readonly status: ServerStatus
  readonly onClose: () => void
}

export const RemoveServer = ({ onClose, status: { name, source } }: RemoveServerProps) => {
  const { isBusy, refused, run } = useAttempt()
  const remove = async () => {
    if (!await run(() => removeServer(name))) return
    onClose()
    go("servers", [], "replace")
    tell({ text: texts.removedServer(name) })
  }
  return (
    <RemoveDialog
      title={texts.removeTitle(name)}
      action={texts.remove}
      isBusy={isBusy.value}
      onClose={onClose}
      onRemove={() => void remove()}
    >
      <p class="words">{texts.removeAbout(source)}</p>
      <Refused why={refused.value} />
    </RemoveDialog>
  )
}
