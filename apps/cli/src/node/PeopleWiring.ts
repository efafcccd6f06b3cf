/** The people of the database, for a machine on which no server runs. */
import { ChatStore, type User } from "@boocode/chat"
import { ClientTokens } from "@boocode/chat-server/clients/ClientTokens"
import { Database } from "@boocode/chat-server/Database"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { Settings } from "@boocode/chat-server/Settings"
import * as UserInvitation from "@boocode/chat-server/users/UserInvitation"
import { Users } from "@boocode/chat-server/users/Users"
import { UserSecrets } from "@boocode/chat-server/users/UserSecrets"
import * as AllowedTools from "@boocode/chat/AllowedTools"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
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
      const { publicUrl } = yield* Settings
      const shown = (invited: Parameters<typeof UserInvitation.shown>[1]) =>
        UserInvitation.shown(publicUrl ?? STANDARD, invited)
      const store = yield* ChatStore
      const tokens = yield* ClientTokens
      const grants = (yield* Path.Path).join((yield* DataFolder).state, "allowed-tools.json")
      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      /** Nobody is signed in as them any more; this takes the rest that they left. */
      const forget = Effect.fnUntraced(function*({ id }: User) {
        for (const chat of yield* store.list(id)) yield* store.remove(chat.id)
        yield* Effect.provideContext(AllowedTools.forget(grants, id), services)
        yield* tokens.forget(id)
      })
      return PeopleBackend.of({
        list: Effect.mapError(users.all, failed),
        add: (user) => Effect.mapBoth(users.add(user), { onSuccess: shown, onFailure: failed }),
        invite: (name) => Effect.mapBoth(users.invite(name), { onSuccess: shown, onFailure: failed }),
        secrets: Effect.mapError(own(kept.all), failed),
        setSecret: (name, value) => Effect.mapError(own((id) => kept.set(id, name, value)), failed),
        removeSecret: (name) => Effect.mapError(own((id) => kept.remove(id, name)), failed),
        remove: (name) => Effect.mapError(Effect.flatMap(users.remove(name), forget), failed),
        change: (name, change) => Effect.mapError(users.change(name, change), failed)
      })
    })
  ).pipe(Layer.provide([Database.layer("command"), ClientTokens.layer]), Layer.provide(ground), orFailed)
