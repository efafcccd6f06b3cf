/** The key `limits` of settings.json: how much people may use of models. */
import * as Schema from "effect/Schema"

const MONEY = /^(\d{1,9}(?:\.\d{1,4})?) USD a (day|month)$/
const TOKENS = /^(\d{1,12}(?:\.\d{1,3})?)([kM]?) a (day|month)$/

const text = (pattern: RegExp) => Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isPattern(pattern))))

/** A key that is left out leaves it to the next wider limit; null is no limit. */
export const Limit = Schema.Struct({
  money: text(MONEY),
  tokens: text(TOKENS),
  /** How many chats are answered at once. */
  turns: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))))
})

/** The key names `everyone`, `admins`, `group:NAME` or a person. */
export const Limits = Schema.Record(Schema.NonEmptyString, Limit)
export type Limits = typeof Limits.Type

/** So much in a day or a month of UTC. */
export interface Amount {
  readonly most: number
  readonly per: "day" | "month"
  /** As it was written. */
  readonly text: string
}

const FACTORS: Readonly<Record<string, number>> = { k: 1000, M: 1_000_000 }

export const moneyOf = (written: string): Amount => {
  const [, most, per] = MONEY.exec(written) ?? []
  return { most: Number(most), per: per === "day" ? "day" : "month", text: written }
}

export const tokensOf = (written: string): Amount => {
  const [, most, factor = "", per] = TOKENS.exec(written) ?? []
  return { most: Number(most) * (FACTORS[factor] ?? 1), per: per === "day" ? "day" : "month", text: written }
}
