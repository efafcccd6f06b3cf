/** The people of a scripted server, in a database of its memory, and browsers that they sign in with. */
import { SqlChatStore } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import * as TeamDatabase from "../../src/team/TeamDatabase.ts"
import * as PasswordHash from "../../src/users/PasswordHash.ts"
import { SecretKey } from "../../src/users/SecretKey.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"
import { json, open, post } from "./Scripted.ts"

/** `PasswordHash.test.ts` has the cost of a real server, which takes a quarter of a second each time. */
export const cheap = Layer.succeed(PasswordHash.Cost, { N: 16, r: 8, p: 1 })

const users = Layer.merge(UserDatabase.layer("memory"), TeamDatabase.layer("memory")).pipe(
  Layer.provide(SqlChatStore.layer("memory")),
  Layer.provide([NodeSqlite.layer(":memory:"), SecretKey.layerOf("the key of a test"), cheap]),
  Layer.orDie
)

export const PASSWORD = "correct horse battery"

type Options = NonNullable<Parameters<typeof open>[0]>

type Ask = (path: string, init?: RequestInit) => Effect.Effect<Response>

/** A browser: it keeps the cookies it gets, and says from where it asks. */
export const browser = (request: Ask, origin = "http://127.0.0.1:4266") => {
  const jar = new Map<string, string>()
  const cookies: Array<string> = []
  const ask: Ask = (path, init = {}) => {
    const headers = new Headers({ host: new URL(origin).host, origin, "user-agent": "a test", ...init.headers })
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "))
    return Effect.tap(
      request(path, { ...init, headers: Object.fromEntries(headers) }),
      (response) =>
        Effect.sync(() => {
          for (const set of response.headers.getSetCookie()) {
            cookies.push(set)
            const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
            if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(name)
            else jar.set(name, value)
          }
        })
    )
  }
  return { ask, cookies, body: (path: string, init?: RequestInit) => Effect.flatMap(ask(path, init), json) }
}

export const tokenOf = ({ link }: { readonly link: string }): string => link.split("/#/invitation/")[1] ?? ""

/** A server of two: Ann, an admin, and Bob, a member, each signed in with a browser. */
export const open2 = Effect.fnUntraced(function*(options: Options = {}) {
  const request = yield* open({ ...options, users })
  const owner = browser(request)
  const invite = Effect.fnUntraced(function*(ask: Ask, user: object) {
    const made = Object(yield* Effect.flatMap(ask("/api/users", post(user)), json))
    const one = browser(request)
    yield* one.ask(`/api/invitations/${tokenOf(made)}`, post({ password: PASSWORD }))
    return { ...one, user: made.user }
  })
  const ann = yield* invite(owner.ask, { name: "Ann" })
  const bob = yield* invite(ann.ask, { name: "Bob" })
  return { request, ann, bob }
})

export const opened = (options: Options = {}) => open({ ...options, users })
