/** Asks before a server is taken out of its file. */
import type { ServerStatus } from "../api/Types.ts"
import { RemoveDialog } from "../forms/RemoveDialog.tsx"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { go } from "../state/Route.ts"
import { tell } from "../state/Toasts.ts"
import { removeServer } from "./ServersClient.ts"

interface RemoveServerProps {
  readonly status: ServerStatus
  readonly onClose: () => void
}

export const RemoveServer = ({ onClose, status: { name, source } }: RemoveServerProps) => (
  <RemoveDialog
    title={texts.removeTitle(name)}
    action={texts.remove}
    onClose={onClose}
    request={() => removeServer(name)}
    onRemoved={() => {
      onClose()
      go("servers", [], "replace")
      tell({ text: texts.removedServer(name) })
    }}
  >
    <p class="words">{texts.removeAbout(source)}</p>
  </RemoveDialog>
)
