/** What stands above a conversation: its title, what it used, and its menu. */
import { useEffect } from "preact/hooks"
import { chat as words } from "../messages/ChatMessages.ts"
import { heading } from "../state/Attention.ts"
import { MenuButton } from "../state/Drawer.tsx"
import { chats } from "../state/ListedChats.ts"
import { Menu } from "../ui/lists/Menu.tsx"
import { chatItems, renaming, TitleField, titleOf } from "./ChatMenu.tsx"
import type { OpenChat } from "./open/OpenChat.ts"
import { total, usageDetails, usageWords } from "./UsageLine.tsx"

const Used = ({ chat }: { readonly chat: OpenChat }) => {
  const title = chats.value?.find(({ id }) => id === chat.id)?.titleUsage ?? []
  const sum = total(chat.turns.value.flatMap(({ model }) => model.value.finish?.usage ?? []).concat(title))
  const used = usageWords(sum)
  return used === "" ? null : <span class="used" title={words.soFar(usageDetails(sum))}>{used}</span>
}

export const ChatHead = ({ chat, id }: { readonly id: string | null; readonly chat: OpenChat | null }) => {
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
      {summary === undefined ? null : <Menu label={words.more} items={chatItems(summary, "head")} />}
    </header>
  )
}
