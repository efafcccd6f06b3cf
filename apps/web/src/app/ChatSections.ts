/** The list of chats in sections: what is pinned, the folders by name, and the rest by age. */
import type { ChatSummary } from "../api/Types.ts"
import { shell } from "../messages/ShellMessages.ts"

const DAY = 86_400_000

/** Chats that stand under one heading. */
export interface ChatSection {
  readonly key: string
  readonly heading: string
  readonly isFolder: boolean
  /** In the order of the list. */
  readonly chats: ReadonlyArray<ChatSummary>
}

const ageOf = ({ updatedAt }: ChatSummary, midnight: number): string => {
  const used = Date.parse(updatedAt)
  if (used >= midnight) return shell.today
  return used >= midnight - DAY ? shell.yesterday : shell.earlier
}

/** Where a chat stands: a pin counts more than a folder, a folder more than the last use. */
const placeOf = (chat: ChatSummary, midnight: number) =>
  chat.pinned
    ? { rank: 0, heading: shell.pinned }
    : chat.folder !== null
    ? { rank: 1, heading: chat.folder }
    : { rank: 2, heading: ageOf(chat, midnight) }

/** The first `shown` chats of all sections. `all` has the last used first; `midnight` is when today began. */
export const sectionsOf = (
  all: ReadonlyArray<ChatSummary>,
  midnight: number,
  shown: number
): ReadonlyArray<ChatSection> => {
  const placed = all.map((chat) => ({ chat, ...placeOf(chat, midnight) }))
    .toSorted((one, other) => one.rank - other.rank || (one.rank === 1 ? one.heading.localeCompare(other.heading) : 0))
  const groups = Map.groupBy(placed.slice(0, shown), ({ heading, rank }) => `${rank} ${heading}`)
  return [...groups].map(([key, inside]) => ({
    key,
    heading: inside[0]?.heading ?? "",
    isFolder: inside[0]?.rank === 1,
    chats: inside.map(({ chat }) => chat)
  }))
}
