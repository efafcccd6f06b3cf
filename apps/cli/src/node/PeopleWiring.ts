/** The people of the database, for a machine on which no server runs. */
import { ChatStore, UndoStore, type User } from "@boocode/chat"
import { ClientTokens } from "@boocode/chat-server/clients/ClientTokens"
import { Database } from "@boocode/chat-server/Database"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import * as Foundation from "@boocode/chat-server/Foundation"
import { Settings } from "@boocode/chat-server/Settings"
import { AuditCalls } from "@boocode/chat-server/team/AuditCalls"
import { Budget } from "@boocode/chat-server/team/Budget"
import * as UsageDays from "@boocode/chat-server/team/UsageDays"
import * as UserInvitation from "@boocode/chat-server/users/UserInvitation"
import { Users } from "@boocode/chat-server/users/Users"
import { UserSecrets } from "@boocode/chat-server/users/UserSecrets"
import * as AllowedTools from "@boocode/chat/AllowedTools"
import { Credentials, forgetLogins } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { PeopleBackend } from "../backend/PeopleBackend.ts"
import { failed } from "../terminal/Failure.ts"
import { type Ground, orFailed } from "./Wiring.ts"

/** Where the page will be, when nothing else says so. */
const STANDARD = "http://127.0.0.1:4266"

export const layer = (ground: Ground) =>
  Layer.effect(
    PeopleBackend,
    Effect.gen(function*() {
      const users = yield* Users
      const kept = yield* UserSecrets
      const own = <A, E>(use: (user: string) => Effect.Effect<A, E>) => Effect.flatMap(users.first, ({ id }) => use(id))
      const budget = yield* Budget
      const calls = yield* AuditCalls
      const days = yield* UsageDays.UsageDays
      const { publicUrl } = yield* Settings
      const shown = (invited: Parameters<typeof UserInvitation.shown>[1]) =>
        UserInvitation.shown(publicUrl ?? STANDARD, invited)
      const store = yield* ChatStore
      const tokens = yield* ClientTokens
      const grants = (yield* Path.Path).join((yield* DataFolder).state, "allowed-tools.json")
      const undos = yield* UndoStore
      const logins = yield* Credentials
      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      /** Nobody is signed in as them any more; this takes the rest that they left. */
      const forget = Effect.fnUntraced(function*({ id }: User) {
        for (const chat of yield* store.list(id)) yield* store.remove(chat.id)
        yield* Effect.provideContext(AllowedTools.forget(grants, id), services)
        yield* undos.forget(id)
        yield* days.forget(id)
        yield* calls.forget(id)
        yield* tokens.forget(id)
        yield* Effect.provideService(forgetLogins(id), Credentials, logins)
      })
      return PeopleBackend.of({
        list: Effect.mapError(users.all, failed),
        add: (user) => Effect.mapBoth(users.add(user), { onSuccess: shown, onFailure: failed }),
        invite: (name) => Effect.mapBoth(users.invite(name), { onSuccess: shown, onFailure: failed }),
        secrets: Effect.mapError(own(kept.all), failed),
        setSecret: (name, value) => Effect.mapError(own((id) => kept.set(id, name, value)), failed),
        removeSecret: (name) => Effect.mapError(own((id) => kept.remove(id, name)), failed),
        remove: (name) => Effect.mapError(Effect.flatMap(users.remove(name), forget), failed),
        usage: Effect.fnUntraced(function*(asked) {
          const month = asked ?? (yield* UsageDays.today).slice(0, 7)
          const names = new Map((yield* users.all).map(({ id, name }) => [id, name]))
          const used = yield* days.month(month)
          return {
            month,
            people: [...used].map(([id, sums]) => ({ id, name: names.get(id) ?? "", ...sums })),
            mine: yield* budget.report(yield* users.first)
          }
        }, Effect.mapError(failed)),
        audit: Effect.fnUntraced(function*({ user, ...filters }, limit) {
          const known = (yield* users.all).find(({ name }) => name.toLowerCase() === user?.toLowerCase())
          const wanted = Object.entries({ ...filters, owner: user === null ? null : known?.id ?? user })
          const given = Object.fromEntries(wanted.filter(([, value]) => value !== null))
          return yield* calls.list(given, limit)
        }, Effect.mapError(failed)),
        change: (name, change) => Effect.mapError(users.change(name, change), failed)
      })
    })
  ).pipe(
    Layer.provide(Budget.layer),
    Layer.provide([Database.layer("command"), ClientTokens.layer, Foundation.credentials, Foundation.undoStore]),
    Layer.provide(ground),
    orFailed
  )
