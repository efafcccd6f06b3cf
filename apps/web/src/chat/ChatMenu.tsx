/** The menu of a chat: its items, and the dialogs behind them. */
import { signal, useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { changeChat, exportAddress, removeChat } from "../api/Api.ts"
import type { ChatSummary } from "../api/Types.ts"
import { RemoveDialog } from "../forms/RemoveDialog.tsx"
import { chat as words } from "../messages/ChatMessages.ts"
import { ui } from "../messages/UiMessages.ts"
import { chats, dropChat, placeChat } from "../state/ListedChats.ts"
import { refreshChats } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { hasPeople } from "../state/people/Me.ts"
import { go, route } from "../state/Route.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { focus } from "../ui/Focus.ts"
import { lazy } from "../ui/Lazy.tsx"
import type { MenuItem } from "../ui/lists/Menu.tsx"

/** Few chats are shared. */
const ShareChat = lazy(() => import("./ShareChat.tsx").then(({ ShareChat: one }) => one), null)

/** Which chat's title is a field now: in the list, or above the conversation. */
export const renaming = signal<{ readonly id: string; readonly place: "list" | "head" } | null>(null)
const moving = signal<ChatSummary | null>(null)
const sharing = signal<ChatSummary | null>(null)
export const removing = signal<ChatSummary | null>(null)

export const titleOf = ({ title }: { readonly title: string }) => title === "" ? words.untitled : title

/** The id of the chat that is open. */
export const openId = () => route.value.place === "chat" ? route.value.rest[0] ?? null : null

export const chatItems = (chat: ChatSummary, place: "list" | "head"): ReadonlyArray<MenuItem> => [
  { text: words.rename.item, icon: "edit", act: () => renaming.value = { id: chat.id, place } },
  {
    text: chat.pinned ? words.unpin : words.pin,
    icon: "pin",
    act: () => void changeChat(chat.id, { pinned: !chat.pinned }).then(placeChat, tellError)
  },
  { text: words.folder.item, icon: "folder", act: () => moving.value = chat },
  ...hasPeople.value ? [{ text: words.share.item, icon: "link" as const, act: () => sharing.value = chat }] : [],
  { text: words.exportMarkdown, icon: "download", href: exportAddress(chat.id, "markdown") },
  { text: words.exportJson, icon: "download", href: exportAddress(chat.id, "json") },
  { text: words.remove.item, icon: "trash", isDangerous: true, act: () => removing.value = chat }
]

interface AboutChat {
  readonly chat: ChatSummary
  readonly onClose: () => void
}

/** The title as a field: Enter and leaving it keep what was typed, Escape does not. */
export const TitleField = ({ chat, onDone }: { readonly chat: ChatSummary; readonly onDone: () => void }) => {
  const isOver = useRef(false)
  const finish = (title: string | null) => {
    if (isOver.current) return
    isOver.current = true
    renaming.value = null
    onDone()
    if (title === null || title === "" || title === chat.title) return
    void changeChat(chat.id, { title }).then(placeChat, tellError)
  }
  return (
    <input
      class="input title-field"
      aria-label={words.rename.label}
      ref={focus}
      maxLength={200}
      defaultValue={titleOf(chat)}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => finish(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        if (event.isComposing || event.key !== "Enter" && event.key !== "Escape") return
        event.preventDefault()
        event.stopPropagation()
        finish(event.key === "Enter" ? event.currentTarget.value.trim() : null)
      }}
    />
  )
}

const Folder = ({ chat, onClose }: AboutChat) => {
  const folder = useSignal(chat.folder ?? "")
  const known = new Set(chats.value?.flatMap((each) => each.folder ?? []))
  const save = async () => {
    onClose()
    await changeChat(chat.id, { folder: folder.value.trim() || null }).then(placeChat, tellError)
  }
  return (
    <Dialog title={words.folder.title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <input
          class="input"
          aria-label={words.folder.label}
          aria-describedby="folder-about"
          data-focus=""
          list="folders"
          maxLength={200}
          value={folder.value}
          onInput={(event) => folder.value = event.currentTarget.value}
        />
        <datalist id="folders">{[...known].map((name) => <option key={name} value={name} />)}</datalist>
        <p id="folder-about" class="muted">{words.folder.about}</p>
        <footer>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="primary" type="submit">{words.folder.submit}</Button>
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
      request={remove}
    >
      <p>{words.remove.about(titleOf(chat))}</p>
    </RemoveDialog>
  )
}

/** The dialogs of the page; at most one is open. */
export const ChatDialogs = () => (
  <>
    {moving.value === null ? null : <Folder chat={moving.value} onClose={() => moving.value = null} />}
    {sharing.value === null ? null : <ShareChat chat={sharing.value} onClose={() => sharing.value = null} />}
    {removing.value === null ? null : <Remove chat={removing.value} onClose={() => removing.value = null} />}
  </>
)
