/** The head of a conversation: its title, its usage, whether tools can write, and its menu. */
import { useEffect } from "preact/hooks"
import type { ChatWrite } from "../api/Types.ts"
import { chat as words } from "../messages/ChatMessages.ts"
import { heading } from "../state/Attention.ts"
import { MenuButton } from "../state/Drawer.tsx"
import { chats } from "../state/ListedChats.ts"
import { Button } from "../ui/Button.tsx"
import { Menu } from "../ui/lists/Menu.tsx"
import { chatItems, renaming, TitleField, titleOf } from "./ChatMenu.tsx"
import type { OpenChat } from "./open/OpenChat.ts"
import { total, usageDetails, usageWords } from "./UsageLine.tsx"
import { WriteModeButton } from "./writes/WriteModeButton.tsx"

const Used = ({ chat }: { readonly chat: OpenChat }) => {
  const title = chats.value?.find(({ id }) => id === chat.id)?.titleUsage ?? []
  const sum = total(chat.turns.value.flatMap(({ model }) => model.value.finish?.usage ?? []).concat(title))
  const used = usageWords(sum)
  return used === "" ? null : <span class="used" title={words.soFar(usageDetails(sum))}>{used}</span>
}

interface ChatHeadProps {
  readonly id: string | null
  readonly chat: OpenChat | null
  readonly write: ChatWrite | null
  readonly onWrite: (write: ChatWrite | null) => void
}

export const ChatHead = ({ chat, id, onWrite, write }: ChatHeadProps) => {
  const summary = chats.value?.find((each) => each.id === id)
  const title = summary === undefined ? words.untitled : titleOf(summary)
  useEffect(() => {
    heading.value = id === null ? null : title
    return () => {
      heading.value = null
    }
  }, [id, title])
  return (
    <header class="top-bar">
      <MenuButton />
      {summary !== undefined && renaming.value?.id === id && renaming.value.place === "head"
        ? (
          <h1>
            <TitleField chat={summary} onDone={() => document.getElementById("message")?.focus()} />
          </h1>
        )
        : <h1>{title}</h1>}
      {chat === null ? null : <Used chat={chat} />}
      <WriteModeButton chat={id} value={write} onChange={onWrite} />
      {id === null ? null : summary === undefined
        ? <Button kind="plain" isSmall icon="more" disabled aria-hidden="true" />
        : <Menu label={words.more} items={chatItems(summary, "head")} />}
    </header>
  )
}
