/** When the write mode that a person chose for a chat ends. Pure. */
import type { ChatWrite } from "../../api/Types.ts"

/** The mode that a person chose for a chat, until it ends. */
export const heldAt = (write: ChatWrite | null, now: number): ChatWrite | null =>
  write === null || write.until !== null && Date.parse(write.until) <= now ? null : write

export type End = "chat" | "hour" | "midnight"

const HOUR = 3_600_000

/** When a mode ends that is chosen now, as an ISO time; null for as long as the chat is there. */
export const untilOf = (end: End, now: Date): string | null => {
  if (end === "chat") return null
  if (end === "hour") return new Date(now.getTime() + HOUR).toISOString()
  return midnightAfter(now).toISOString()
}

const midnightAfter = (now: Date): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)

/** Which end was chosen. */
export const endOf = ({ until }: ChatWrite, now: Date): End => {
  if (until === null) return "chat"
  return Date.parse(until) === midnightAfter(now).getTime() ? "midnight" : "hour"
}
