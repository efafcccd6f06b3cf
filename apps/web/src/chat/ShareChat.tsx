/** The link with which others read a chat: made when this opens, and taken back with one click. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { path, put, remove } from "../api/Client.ts"
import type { ChatSummary } from "../api/Types.ts"
import { chat as words } from "../messages/ChatMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { Copy } from "../ui/code/Copy.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import "../ui/panels.css"

export const ShareChat = ({ chat, onClose }: { readonly chat: ChatSummary; readonly onClose: () => void }) => {
  const link = useSignal<string | null>(null)
  const { isBusy, refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      const { id } = await put<{ readonly id: string }>(path("chats", chat.id, "share"), undefined)
      link.value = `${location.origin}${location.pathname}#/shared/${id}`
    }), [])
  return (
    <Dialog title={words.share.title} onClose={onClose}>
      <div class="stack">
        <p>{words.share.about}</p>
        {link.value === null ? null : (
          <p class="shown-text">
            <code>{link.value}</code>
            <Copy label={words.share.copy} text={() => link.value ?? ""} />
          </p>
        )}
        <Refused why={refused.value} />
        <footer>
          <Button
            disabled={isBusy.value}
            onClick={() => void run(() => remove(path("chats", chat.id, "share")).then(onClose))}
          >
            {words.share.takeBack}
          </Button>
          <Button kind="primary" onClick={onClose}>{words.share.done}</Button>
        </footer>
      </div>
    </Dialog>
  )
}
