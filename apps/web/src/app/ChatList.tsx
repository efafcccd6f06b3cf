/** The chats by pin, folder and age, each with what it is doing and what can be done to it. */
import { Component } from "preact"
import { useRef } from "preact/hooks"
import type { ChatSummary } from "../api/Types.ts"
import { chatItems, openId, renaming, TitleField, titleOf } from "../chat/ChatMenu.tsx"
import { shell } from "../messages/ShellMessages.ts"
import { isDrawerOpen } from "../state/Drawer.tsx"
import { chats } from "../state/ListedChats.ts"
import { address } from "../state/Route.ts"
import { useGrowing } from "../ui/forms/Growing.tsx"
import { Menu } from "../ui/lists/Menu.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { type ChatSection, sectionsOf } from "./ChatSections.ts"

export const ChatList = () => {
  const all = chats.value
  const midnight = new Date().setHours(0, 0, 0, 0)
  const growing = useGrowing(all?.length ?? 0)
  const sections = all === null ? null : sectionsOf(all, midnight, growing.shown)
  const open = openId()
  return (
    <nav class="chats" aria-label={shell.chats}>
      {sections === null
        ? (
          <p class="side-note">
            <Spinner label={shell.loadingChats} />
          </p>
        )
        : all?.length === 0
        ? <p class="side-note">{shell.noChats}</p>
        : sections.map((section) => <Section key={section.key} section={section} open={open} />)}
      {growing.end}
    </nav>
  )
}

/** A folder can be closed; the other sections are only headings. */
const Section = ({ open, section }: { readonly section: ChatSection; readonly open: string | null }) => {
  const { heading, isFolder } = section
  const list = (
    <ul>
      {section.chats.map((chat) => <ChatItem key={chat.id} chat={chat} isOpen={chat.id === open} />)}
    </ul>
  )
  return (
    <section aria-label={heading}>
      {isFolder
        ? (
          <details class="fold side-folder" open>
            <summary class="side-heading">{heading}</summary>
            {list}
          </details>
        )
        : (
          <>
            <h2 class="side-heading">{heading}</h2>
            {list}
          </>
        )}
    </section>
  )
}

/** The state of a chat, as a dot, and in words for a screen reader. */
const Doing = ({ chat }: { readonly chat: ChatSummary }) => {
  const [tone, text] = chat.approvals + chat.questions > 0
    ? ["warn", shell.waits]
    : chat.running !== null
    ? ["busy", shell.running]
    : ["", ""]
  return text === "" ? null : (
    <span class={`dot ${tone}`} title={text}>
      <span class="visually-hidden">, {text}</span>
    </span>
  )
}

interface ChatItemProps {
  readonly chat: ChatSummary
  readonly isOpen: boolean
}

/** Drawn again when it changed itself: the list changes with every turn of every chat. */
class ChatItem extends Component<ChatItemProps> {
  override shouldComponentUpdate({ chat, isOpen }: ChatItemProps) {
    return chat !== this.props.chat || isOpen !== this.props.isOpen
  }
  override render(props: ChatItemProps) {
    return <Item {...props} />
  }
}

const Item = ({ chat, isOpen }: ChatItemProps) => {
  const link = useRef<HTMLAnchorElement>(null)
  if (renaming.value?.id === chat.id && renaming.value.place === "list") {
    return (
      <li class="chat-item">
        <TitleField chat={chat} onDone={() => requestAnimationFrame(() => link.current?.focus())} />
      </li>
    )
  }
  return (
    <li class="chat-item">
      <a
        ref={link}
        class="side-row"
        href={address("chat", chat.id)}
        {...(isOpen ? { "aria-current": "page" } : {})}
        // The chat that is open already changes no address.
        onClick={() => isDrawerOpen.value = false}
        onDblClick={() => renaming.value = { id: chat.id, place: "list" }}
      >
        <span class="side-text">{titleOf(chat)}</span>
        <Doing chat={chat} />
      </a>
      <Menu label={shell.moreFor(titleOf(chat))} items={chatItems(chat, "list")} />
    </li>
  )
}
