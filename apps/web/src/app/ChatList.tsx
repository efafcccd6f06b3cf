/** The chats: search, and each with what it is doing and what can be done to it. */
import { useSignal } from "@preact/signals"
import { Component } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { importChat, listChats } from "../api/Api.ts"
import type { ChatSummary, ListedChat } from "../api/Types.ts"
import { chatItems, openId, titleOf } from "../chat/ChatMenu.tsx"
import { newChat } from "../state/Drawer.tsx"
import { chats, placeChat } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { address, go } from "../state/Route.ts"
import { tell } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { useGrowing } from "../ui/forms/Growing.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"
import { Spinner } from "../ui/Spinner.tsx"

/** One that was searched for says where the words were found. */
type ShownChat = ChatSummary & Partial<Pick<ListedChat, "excerpt">>

const DAY = 86_400_000

/** Under which heading a chat stands. */
const ageOf = (chat: ChatSummary, now: number): string => {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const used = Date.parse(chat.updatedAt)
  if (used >= midnight) return "Today"
  if (used >= midnight - DAY) return "Yesterday"
  return used >= midnight - 7 * DAY ? "The last seven days" : "Older"
}

/** What the search found, null without one. It waits until the person stops typing. */
const useSearch = (words: string) => {
  const found = useSignal<ReadonlyArray<ListedChat> | null>(null)
  const all = chats.value
  useEffect(() => {
    if (words.trim() === "") {
      found.value = null
      return undefined
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      listChats(words.trim(), abort.signal).then((answer) => {
        found.value = answer.chats
      }, (error) => abort.signal.aborted || tellError(error))
    }, 180)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words, all])
  return found.value
}

export const ChatList = () => {
  const words = useSignal("")
  const found = useSearch(words.value)
  const file = useRef<HTMLInputElement>(null)
  const shown: ReadonlyArray<ShownChat> | null = words.value.trim() === "" ? chats.value : found
  const now = Date.now()
  const growing = useGrowing(shown?.length ?? 0)
  const groups = shown === null
    ? null
    : Map.groupBy(shown.slice(0, growing.shown), (chat) => found === null ? ageOf(chat, now) : "Found")
  const open = openId()

  const take = async (given: File | undefined) => {
    if (given === undefined) return
    await importChat(given).then((chat) => {
      placeChat(chat)
      go("chat", [chat.id])
      tell({ text: `Imported “${titleOf(chat)}”.` })
    }, tellError)
  }

  return (
    <nav class="chats" aria-label="Chats">
      <div class="chats-head">
        <Button kind="primary" icon="plus" class="new-chat" onClick={newChat}>New chat</Button>
        <Button icon="upload" label="Import a chat" onClick={() => file.current?.click()} />
        <input
          ref={file}
          type="file"
          accept=".json,.md,.markdown"
          hidden
          onChange={(event) => {
            const input = event.currentTarget
            void take(input.files?.[0]).then(() => input.value = "")
          }}
        />
      </div>
      <div class="search">
        <Icon name="search" />
        <input
          id="search"
          class="input"
          type="search"
          aria-label="Search chats"
          placeholder="Search chats"
          value={words.value}
          onInput={(event) => words.value = event.currentTarget.value}
          onKeyDown={(event) => {
            if (event.key === "Escape") words.value = ""
          }}
        />
      </div>
      <div class="chats-scroll">
        {groups === null
          ? (
            <p class="chats-note">
              <Spinner label="loading the chats" />
            </p>
          )
          : shown?.length === 0
          ? <p class="chats-note">{words.value === "" ? "No chats yet." : "Nothing was found."}</p>
          : [...groups].map(([heading, of]) => (
            <section key={heading} aria-label={heading}>
              <h2 class="chats-heading">{heading}</h2>
              <ul>
                {of.map((chat) => <ChatItem key={chat.id} chat={chat} isOpen={chat.id === open} />)}
              </ul>
            </section>
          ))}
        {growing.end}
      </div>
    </nav>
  )
}

/** What a chat is doing, as a dot, and in words for a screen reader. */
const Doing = ({ chat }: { readonly chat: ChatSummary }) => {
  const [tone, text] = chat.approvals + chat.questions > 0
    ? ["warn", "waits for you"]
    : chat.running !== null
    ? ["busy", "running"]
    : ["", ""]
  return text === "" ? null : (
    <span class={`dot ${tone}`} title={text}>
      <span class="visually-hidden">, {text}</span>
    </span>
  )
}

interface ChatItemProps {
  readonly chat: ShownChat
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
    <a href={address("chat", chat.id)} {...(isOpen ? { "aria-current": "page" } : {})}>
      <span class="chat-title">{titleOf(chat)}</span>
      <Doing chat={chat} />
      {chat.excerpt === null || chat.excerpt === undefined
        ? null
        : <span class="chat-excerpt">{chat.excerpt}</span>}
    </a>
    <Menu label={`More for ${titleOf(chat)}`} items={chatItems(chat)} />
  </li>
)
