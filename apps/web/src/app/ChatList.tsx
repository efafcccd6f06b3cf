/** The chats by age, each with what it is doing and what can be done to it. */
import { Component } from "preact"
import type { ChatSummary } from "../api/Types.ts"
import { chatItems, openId, titleOf } from "../chat/ChatMenu.tsx"
import { shell } from "../messages/ShellMessages.ts"
import { isDrawerOpen } from "../state/Drawer.tsx"
import { chats } from "../state/Live.ts"
import { address } from "../state/Route.ts"
import { useGrowing } from "../ui/forms/Growing.tsx"
import { Menu } from "../ui/lists/Menu.tsx"
import { Spinner } from "../ui/Spinner.tsx"

const DAY = 86_400_000

/** Under which heading a chat stands. */
const ageOf = (chat: ChatSummary, midnight: number): string => {
  const used = Date.parse(chat.updatedAt)
  if (used >= midnight) return shell.today
  return used >= midnight - DAY ? shell.yesterday : shell.earlier
}

export const ChatList = () => {
  const all = chats.value
  const midnight = new Date().setHours(0, 0, 0, 0)
  const growing = useGrowing(all?.length ?? 0)
  const groups = all === null
    ? null
    : Map.groupBy(all.slice(0, growing.shown), (chat) => ageOf(chat, midnight))
  const open = openId()
  return (
    <nav class="chats" aria-label={shell.chats}>
      {groups === null
        ? (
          <p class="side-note">
            <Spinner label={shell.loadingChats} />
          </p>
        )
        : all?.length === 0
        ? <p class="side-note">{shell.noChats}</p>
        : [...groups].map(([heading, of]) => (
          <section key={heading} aria-label={heading}>
            <h2 class="side-heading">{heading}</h2>
            <ul>
              {of.map((chat) => <ChatItem key={chat.id} chat={chat} isOpen={chat.id === open} />)}
            </ul>
          </section>
        ))}
      {growing.end}
    </nav>
  )
}

/** What a chat is doing, as a dot, and in words for a screen reader. */
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

const Item = ({ chat, isOpen }: ChatItemProps) => (
  <li class="chat-item">
    <a
      class="side-row"
      href={address("chat", chat.id)}
      {...(isOpen ? { "aria-current": "page" } : {})}
      // The chat that is open already changes no address.
      onClick={() => isDrawerOpen.value = false}
    >
      <span class="side-text">{titleOf(chat)}</span>
      <Doing chat={chat} />
    </a>
    <Menu label={shell.moreFor(titleOf(chat))} items={chatItems(chat)} />
  </li>
)
