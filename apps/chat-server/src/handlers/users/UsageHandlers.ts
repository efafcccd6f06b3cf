/** The use of models: each person sees their own, admins that of all. */
import { CurrentUser } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import { Budget } from "../../team/Budget.ts"
import * as ServerDay from "../../team/ServerDay.ts"
import * as UsageDays from "../../team/UsageDays.ts"
import * as UsageOverview from "../../team/UsageOverview.ts"
import { Users } from "../../users/Users.ts"

const DAYS = 30

const hoursOf = ({ hours = "24" }: { readonly hours?: "24" | "168" }): 24 | 168 => hours === "24" ? 24 : 168

export const layer = HttpApiBuilder.group(
  ChatApi,
  "usage",
  Effect.fnUntraced(function*(handlers) {
    const budget = yield* Budget
    const days = yield* UsageDays.UsageDays
    const users = yield* Users
    const over = yield* UsageOverview.make
    const day = yield* ServerDay.make
    return handlers.handleAll({
      mine: () => Effect.flatMap(CurrentUser, (user) => Effect.mapError(budget.report(user), Problems.fromStore)),
      myDays: Effect.fnUntraced(function*({ query: { days: many = DAYS } }) {
        const user = yield* CurrentUser
        return yield* over(many, user.id, [user])
      }, Effect.mapError(Problems.fromStore)),
      allDays: Effect.fnUntraced(function*({ query: { days: many = DAYS } }) {
        return yield* over(many, null, yield* users.all)
      }, Effect.mapError(Problems.fromStore)),
      myServer: Effect.fnUntraced(function*({ params, query }) {
        return yield* day(params.name, hoursOf(query), (yield* CurrentUser).id, false)
      }, Effect.mapError(Problems.fromStore)),
      allServer: Effect.fnUntraced(function*({ params, query }) {
        return yield* day(params.name, hoursOf(query), (yield* CurrentUser).id, true)
      }, Effect.mapError(Problems.fromStore)),
      all: Effect.fnUntraced(function*({ query: { month = null } }) {
        const asked = month ?? (yield* UsageDays.today).slice(0, 7)
        const used = yield* days.month(asked)
        const names = new Map((yield* users.all).map(({ id, name }) => [id, name]))
        const people = [...used].map(([id, sums]) => ({ id, name: names.get(id) ?? "", ...sums }))
        return { month: asked, people: people.toSorted((one, other) => other.cost - one.cost) }
      }, Effect.mapError(Problems.fromStore))
    })
  })
)
