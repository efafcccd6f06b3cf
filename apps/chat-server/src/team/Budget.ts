/** The use of models beside the limits: `Spending` of the chats goes by it, and the page and the commands show it. */
import { ChatStoreFailed, LimitReached, People, Spending, type User } from "@boocode/chat"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as LimitSettings from "../settings/people/LimitSettings.ts"
import { Settings } from "../settings/Settings.ts"
import type { UsersFailed } from "../users/UserError.ts"
import * as Limits from "./Limits.ts"
import * as UsageDays from "./UsageDays.ts"

/** One limit of a person, and how far they are. */
export interface LimitState {
  readonly of: "money" | "tokens"
  /** As it was written. */
  readonly limit: string
  /** In US dollars, or tokens. */
  readonly used: number
  readonly most: number
  /** An ISO time. */
  readonly resets: string
}

export interface UsageReport {
  readonly day: UsageDays.Used
  readonly month: UsageDays.Used
  readonly limits: ReadonlyArray<LimitState>
  /** How many chats are answered at once; null for any number. */
  readonly turns: number | null
}

export class Budget extends Context.Service<Budget, {
  readonly report: (user: User) => Effect.Effect<UsageReport, UsersFailed>
}>()("chat-server/Budget") {
  /** Also what the chats go by. */
  static readonly layer = Layer.effectContext(Effect.gen(function*() {
    const { limits } = yield* Settings
    const days = yield* UsageDays.UsageDays
    const people = yield* People
    const ofOwner = (owner: string) => Effect.map(people.get(owner), (user) => Limits.of(limits, user))

    const states = Effect.fnUntraced(function*(
      { money, tokens }: Limits.PersonLimits,
      used: Readonly<Record<"day" | "month", UsageDays.Used>>
    ) {
      const now = yield* DateTime.now
      return [
        ...money === null ? [] : [stateOf("money", money, used[money.per].cost, now)],
        ...tokens === null ? [] : [stateOf("tokens", tokens, tokensOf(used[tokens.per]), now)]
      ]
    })
    const check = Effect.fnUntraced(function*(owner: string) {
      const limits = yield* ofOwner(owner)
      if (limits.money === null && limits.tokens === null) return
      const used = yield* Effect.mapError(
        days.now(owner),
        ({ why }) => new ChatStoreFailed({ operation: "usage", why })
      )
      const reached = (yield* states(limits, used)).find(({ most, used }) => used >= most)
      if (reached === undefined) return
      const { limit, of, resets } = reached
      return yield* new LimitReached({ of, limit, resets, used: amountOf(reached) })
    })
    return Context.make(Budget, {
      report: Effect.fnUntraced(function*(user) {
        const own = Limits.of(limits, user)
        const used = yield* days.now(user.id)
        return { ...used, limits: yield* states(own, used), turns: own.turns }
      })
    }).pipe(
      Context.add(Spending, {
        check,
        turnsOf: (owner) => Effect.map(ofOwner(owner), ({ turns }) => turns),
        note: (owner, usage, by) =>
          Effect.catch(
            days.add(owner, usage, by),
            ({ message }) => Effect.logWarning(`what a request used is not counted: ${message}`)
          )
      })
    )
  }))
}

const tokensOf = ({ inputTokens, outputTokens }: UsageDays.Used): number => inputTokens + outputTokens

const amountOf = ({ of, used }: Pick<LimitState, "of" | "used">): string =>
  of === "money" ? `${used.toFixed(2)} USD` : `${Math.round(used)} tokens`

const stateOf = (
  of: LimitState["of"],
  { most, per, text }: LimitSettings.Amount,
  used: number,
  now: DateTime.Utc
): LimitState => ({
  of,
  limit: of === "tokens" ? text.replace(" a ", " tokens a ") : text,
  used,
  most,
  resets: DateTime.formatIso(DateTime.add(DateTime.startOf(now, per), per === "day" ? { days: 1 } : { months: 1 }))
})
