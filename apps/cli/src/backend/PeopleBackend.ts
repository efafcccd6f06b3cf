/** The people of a server: those of a running one, or those of the database. */
import type { User } from "@boocode/chat"
import type { AuditedCall } from "@boocode/chat-server/api/users/AuditApi"
import type { UsageReport, Used } from "@boocode/chat-server/api/users/UsageApi"
import type { Invitation, KnownUser, Secret } from "@boocode/chat-server/api/users/UsersApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Failed } from "../terminal/Failure.ts"
import { plainly, Remote } from "./Remote.ts"

type Known = typeof KnownUser.Type
type Kept = typeof Secret.Type
type Invited = typeof Invitation.Type

/** The use in a month, and the limits of the person who asks. */
export interface PeopleUsage {
  readonly month: string
  readonly people: ReadonlyArray<typeof Used.Type & { readonly id: string; readonly name: string }>
  readonly mine: typeof UsageReport.Type
}

export interface AuditFilters {
  readonly user: string | null
  readonly tool: string | null
  readonly server: string | null
  readonly origin: string | null
  readonly outcome: string | null
  readonly since: string | null
}

export class PeopleBackend extends Context.Service<PeopleBackend, {
  /** Sorted by name. */
  readonly list: Effect.Effect<ReadonlyArray<Known>, Failed>
  /** Adds somebody. The first one is an admin, whatever role is given. */
  readonly add: (user: Pick<User, "name" | "role" | "groups">) => Effect.Effect<Invited, Failed>
  readonly invite: (name: string) => Effect.Effect<Invited, Failed>
  readonly remove: (name: string) => Effect.Effect<void, Failed>
  /** The values that the person of this command gave for entries, without their content. */
  readonly secrets: Effect.Effect<ReadonlyArray<Kept>, Failed>
  readonly setSecret: (name: string, value: Redacted.Redacted<string>) => Effect.Effect<Kept, Failed>
  readonly removeSecret: (name: string) => Effect.Effect<void, Failed>
  readonly change: (name: string, change: Partial<Pick<User, "role" | "groups">>) => Effect.Effect<User, Failed>
  /** The use of everybody for an admin, else of the person alone. Null is this month. */
  readonly usage: (month: string | null) => Effect.Effect<PeopleUsage, Failed>
  /** The newest first: those of everybody for an admin. A filter that is null leaves out none. */
  readonly audit: (
    filters: AuditFilters,
    limit: number
  ) => Effect.Effect<ReadonlyArray<typeof AuditedCall.Type>, Failed>
}>()("cli/PeopleBackend") {
  static readonly layerRemote: Layer.Layer<PeopleBackend, never, Remote> = Layer.effect(
    PeopleBackend,
    Effect.map(Remote, ({ api, quick }) =>
      PeopleBackend.of({
        list: Effect.mapBoth(quick(api.users.list()), { onSuccess: ({ users }) => users, onFailure: plainly }),
        add: (payload) => Effect.mapError(quick(api.users.add({ payload })), plainly),
        invite: (name) => Effect.mapError(quick(api.users.invite({ params: { name } })), plainly),
        secrets: Effect.mapBoth(quick(api.me.secrets()), { onSuccess: ({ secrets }) => secrets, onFailure: plainly }),
        setSecret: (name, value) =>
          Effect.mapError(quick(api.me.setSecret({ params: { name }, payload: { value } })), plainly),
        removeSecret: (name) => Effect.mapError(quick(api.me.removeSecret({ params: { name } })), plainly),
        remove: (name) => Effect.mapError(quick(api.users.remove({ params: { name } })), plainly),
        usage: Effect.fnUntraced(function*(month) {
          const mine = yield* quick(api.usage.mine())
          const { admin, user: { id, name } } = yield* quick(api.me.get())
          if (admin) return { ...yield* quick(api.usage.all({ query: month === null ? {} : { month } })), mine }
          return { month: "this month", people: [{ id, name, ...mine.month }], mine }
        }, Effect.mapError(plainly)),
        audit: Effect.fnUntraced(function*({ since, ...filters }, limit) {
          const query = Object.fromEntries(Object.entries({ ...filters, since }).filter(([, value]) => value !== null))
          const found = yield* quick(api.audit.list({ query: { ...query, limit: Math.min(500, Math.max(1, limit)) } }))
          return found.calls
        }, Effect.mapError(plainly)),
        change: (name, payload) => Effect.mapError(quick(api.users.change({ params: { name }, payload })), plainly)
      }))
  )
}
