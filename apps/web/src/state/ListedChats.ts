/** The list of chats, kept up to date by answers and events. */
import { signal } from "@preact/signals"
import type { ChatSummary } from "../api/Types.ts"

/** All chats, the last used first; null until they are known. */
export const chats = signal<ReadonlyArray<ChatSummary> | null>(null)

export const placeChat = (chat: ChatSummary) => {
  const others = (chats.value ?? []).filter(({ id }) => id !== chat.id)
  const index = others.findIndex(({ updatedAt }) => updatedAt <= chat.updatedAt)
  chats.value = others.toSpliced(index === -1 ? others.length : index, 0, chat)
}

/** To be called before a chat is asked for; gives what places the answer, unless an event told of the chat meanwhile. */
export const placeAnswered = (id: string) => {
  const listed = () => chats.value?.find((chat) => chat.id === id)
  const before = listed()
  return (chat: ChatSummary): void => {
    if (listed() === before) placeChat(chat)
  }
}

export const dropChat = (id: string) => {
  chats.value = (chats.value ?? []).filter((chat) => chat.id !== id)
}
