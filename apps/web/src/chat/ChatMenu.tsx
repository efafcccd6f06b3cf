/** What can be done to a chat: the items of its menu, and the dialogs behind them. */
import { signal, useSignal } from "@preact/signals"
import { changeChat, exportAddress, removeChat } from "../api/Api.ts"
import type { ChatSummary } from "../api/Types.ts"
import { chat as words } from "../messages/ChatMessages.ts"
import { ui } from "../messages/UiMessages.ts"
import { dropChat, placeChat, refreshChats } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { go, route } from "../state/Route.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, RemoveDialog } from "../ui/Dialog.tsx"
import type { MenuItem } from "../ui/lists/Menu.tsx"

export const renaming = signal<ChatSummary | null>(null)
export const removing = signal<ChatSummary | null>(null)

export const titleOf = ({ title }: { readonly title: string }) => title === "" ? words.untitled : title

/** The id of the chat that is open. */
export const openId = () => route.value.place === "chat" ? route.value.rest[0] ?? null : null

export const chatItems = (chat: ChatSummary): ReadonlyArray<MenuItem> => [
  { text: words.rename.item, icon: "edit", act: () => renaming.value = chat },
  { text: words.exportMarkdown, icon: "download", href: exportAddress(chat.id, "markdown") },
  { text: words.exportJson, icon: "download", href: exportAddress(chat.id, "json") },
  { text: words.remove.item, icon: "trash", isDangerous: true, act: () => removing.value = chat }
]

interface AboutChat {
  readonly chat: ChatSummary
  readonly onClose: () => void
}

const Rename = ({ chat, onClose }: AboutChat) => {
  const title = useSignal(titleOf(chat))
  const save = async () => {
    onClose()
    await changeChat(chat.id, { title: title.value.trim() }).then(placeChat, tellError)
  }
  return (
    <Dialog title={words.rename.title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <input
          class="input"
          aria-label={words.rename.label}
          data-focus=""
          maxLength={200}
          value={title.value}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => title.value = event.currentTarget.value}
        />
        <footer>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="primary" type="submit" disabled={title.value.trim() === ""}>{words.rename.submit}</Button>
        </footer>
      </form>
    </Dialog>
  )
}

const Remove = ({ chat, onClose }: AboutChat) => {
  const remove = async () => {
    onClose()
    // First, so that nothing listens to a chat that is not there any more.
    if (openId() === chat.id) go("chat", [], "replace")
    await removeChat(chat.id).then(() => dropChat(chat.id), (error) => {
      tellError(error)
      void refreshChats()
    })
  }
  return (
    <RemoveDialog
      title={words.remove.title}
      action={words.remove.action}
      onClose={onClose}
      onRemove={() => void remove()}
    >
      <p>{words.remove.about(titleOf(chat))}</p>
    </RemoveDialog>
  )
}

/** The dialogs of the page; at most one is open. */
export const ChatDialogs = () => (
  <>
    {renaming.value === null ? null : <Rename chat={renaming.value} onClose={() => renaming.value = null} />}
    {removing.value === null ? null : <Remove chat={removing.value} onClose={() => removing.value = null} />}
  </>
)
