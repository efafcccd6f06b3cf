/** A limit and how far a person is, as a sentence. Pure. */
import { locale } from "../../language/Language.ts"
import { short } from "../../messages/Numbers.ts"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import type { OwnUsageReport } from "../PeopleClient.ts"

const money = (used: number, tag: string): string =>
  used.toLocaleString(
    tag,
    used > 0 && used < 0.01 ? { maximumSignificantDigits: 1 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  )

type Limit = OwnUsageReport["limits"][number]

/** `0.42 of 20 USD this month. Starts anew on 1 December.` Days and months are those of UTC, an hour is of this browser. */
export const limitWords = ({ limit, most, of, resets, used }: Limit, tag: string = locale): string => {
  const isDay = limit.endsWith(" a day")
  const when = words.periods[isDay ? "day" : "month"]
  const at = new Date(resets)
  const anew = isDay
    ? words.anewAt(at.toLocaleTimeString(tag, { hour: "2-digit", minute: "2-digit" }))
    : words.anewOn(at.toLocaleDateString(tag, { day: "numeric", month: "long", timeZone: "UTC" }))
  const state = of === "money"
    ? words.moneyOf(money(used, tag), most, when)
    : words.tokensOf(short(used), short(most), when)
  return `${state} ${anew}`
}
