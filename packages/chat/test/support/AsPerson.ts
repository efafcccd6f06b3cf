/** Services as one person uses them. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chats } from "../../src/chats/Chats.ts"
import { CurrentUser, FIRST, type User } from "../../src/users/CurrentUser.ts"

/** The type of a service, or of what it gives, for somebody who has said who they are. */
export type Own<T> = T extends Effect.Effect<infer A, infer E, infer R> ? Effect.Effect<A, E, Exclude<R, CurrentUser>>
  : T extends Stream.Stream<infer A, infer E, infer R> ? Stream.Stream<A, E, Exclude<R, CurrentUser>>
  : T extends (...args: infer Args) => infer Given ? (...args: Args) => Own<Given>
  : T

export type OwnService<S> = { readonly [Key in keyof S]: Own<S[Key]> }

export type OwnChats = OwnService<Chats["Service"]>

export const BOB: User = { id: "bob", name: "Bob", role: "member", groups: [] }

const own = (given: unknown, user: User): unknown => {
  if (Effect.isEffect(given)) return Effect.provideService(given, CurrentUser, user)
  if (Stream.isStream(given)) return Stream.provideService(given, CurrentUser, user)
  return typeof given === "function" ? (...args: ReadonlyArray<unknown>) => own(given(...args), user) : given
}

/** The service for this person; for the first one by default. */
export const asPerson = <S extends object>(service: S, user: User = FIRST): OwnService<S> =>
  Object.fromEntries(Object.entries(service).map(([key, given]) => [key, own(given, user)])) as OwnService<S>
