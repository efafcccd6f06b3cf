/** How people sign in here: with name and password, by an invitation, or as somebody else says who they are. */
import type { User } from "@boocode/chat"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { InvitationEnded, UsersFailed } from "../users/UserError.ts"
import * as UserRows from "../users/UserRows.ts"
import { Users } from "../users/Users.ts"
import { UserSessions } from "../users/UserSessions.ts"
import * as FailureLimit from "./FailureLimit.ts"
import * as SessionCookie from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Nobody has this name and password. It does not say which of them is wrong. */
export class WrongPassword extends Schema.TaggedError<WrongPassword>()("WrongPassword", {}) {
  override readonly message: string = "name or password is wrong"
  readonly hint: string = "an admin can send you a new invitation, which sets a new password"
}

/** There were too many wrong passwords for this name, so not even the right one is tried. */
export class TooManyPasswords extends Schema.TaggedError<TooManyPasswords>()("TooManyPasswords", { wait: Schema.Int }) {
  override readonly message: string = "there were too many wrong passwords"
  get hint(): string {
    return `wait ${this.wait} s; sessions that were begun before go on`
  }
}

const AT_ONCE = 2

export class UserSignIn extends Context.Service<UserSignIn, {
  /** The person with this name and password. After 10 wrong ones in a minute, the name has to wait. */
  readonly check: (
    name: string,
    password: Redacted.Redacted<string>
  ) => Effect.Effect<User, WrongPassword | TooManyPasswords | UsersFailed>
  /** Uses an invitation up, with a password or without. */
  readonly accept: (
    token: string,
    password: Redacted.Redacted<string> | null
  ) => Effect.Effect<User, InvitationEnded | UsersFailed>
  /** The answer with a session of a person, for the browser that asks. */
  readonly begin: (
    request: Request,
    user: User,
    response: Response
  ) => Effect.Effect<Response, SessionCookie.InsecureSignIn | UsersFailed>
}>()("chat-server/UserSignIn") {
  static readonly layer = Layer.effect(
    UserSignIn,
    Effect.gen(function*() {
      const users = yield* Users
      const sessions = yield* UserSessions
      const failures = FailureLimit.make(UserRows.keyOf)
      // A burst is not tried before its first failures count.
      const turns = yield* Semaphore.make(AT_ONCE)
      return UserSignIn.of({
        check: Effect.fnUntraced(function*(name, password) {
          const wait = yield* failures.wait(name)
          if (wait !== null) return yield* new TooManyPasswords({ wait })
          const user = yield* users.signIn(name, password)
          if (user !== null) return user
          yield* failures.failed(name)
          return yield* new WrongPassword()
        }, turns.withPermit),
        accept: users.accept,
        begin: Effect.fnUntraced(function*(request, user, response) {
          if (!SessionCookie.isSafe(request)) return yield* new SessionCookie.InsecureSignIn()
          const secret = yield* sessions.begin(user.id, request.headers["user-agent"] ?? "")
          return SessionCookie.written(request, response, secret)
        })
      })
    })
  )
}
