/** The calls of a server over the day as slots of time. Pure. */
import type * as Usage from "@boocode/chat-server/api/users/UsageApi"
import { activity as words } from "../../messages/servers/ActivityMessages.ts"
import { csvOf } from "../../ui/data/Csv.ts"

export type ServerDay = typeof Usage.ServerDay.Encoded
export type Slot = ServerDay["slots"][number]
export type ServerEvent = ServerDay["events"][number]

const MINUTE = 60_000

/** Every slot from the first one to now. */
export const everySlot = ({ minutes, since, slots, until }: ServerDay): ReadonlyArray<Slot> => {
  const known = new Map(slots.map((slot) => [Date.parse(slot.from), slot]))
  const [first, size] = [Date.parse(since), minutes * MINUTE]
  return Array.from({ length: Math.floor((Date.parse(until) - first) / size) + 1 }, (_, index) => {
    const at = first + index * size
    return known.get(at) ?? { from: new Date(at).toISOString(), calls: 0, failed: 0, p50: 0, p95: 0, slowest: 0 }
  })
}

/** Where in the picture a time is, from 0 to 1. */
export const placeOf = (at: string, { minutes, since }: ServerDay, slots: number): number =>
  Math.max(0, Math.min(1, (Date.parse(at) - Date.parse(since)) / (slots * minutes * MINUTE)))

/** Slots that begin with a full 6 hours of the clock here, or with a day. */
export const labelled = (slots: ReadonlyArray<Slot>, minutes: number): ReadonlyArray<number> =>
  slots.flatMap(({ from }, index) => {
    const time = new Date(from)
    const isFull = time.getMinutes() === 0 && time.getHours() % (minutes === 60 ? 24 : 6) === 0
    return isFull ? [index] : []
  })

export const totals = (slots: ReadonlyArray<Slot>) => ({
  calls: slots.reduce((sum, { calls }) => sum + calls, 0),
  failed: slots.reduce((sum, { failed }) => sum + failed, 0)
})

export const header: ReadonlyArray<string> = [
  words.from,
  words.calls,
  words.failed,
  words.half,
  words.most,
  words.slowest
]

/** The slots with calls, the newest first, in milliseconds. */
export const csv = ({ slots }: ServerDay): string =>
  csvOf([
    header,
    ...slots.toReversed().map((
      { calls, failed, from, p50, p95, slowest }
    ) => [from, ...[calls, failed, p50, p95, slowest].map(String)])
  ])
