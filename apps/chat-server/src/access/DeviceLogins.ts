/**
 * Logins of commands by a one-time code (RFC 8628): a command asks, a person who is signed in at the page types the code and
 * allows it, and the command gets a token of theirs.
 */
import type { User } from "@boocode/chat/CurrentUser"
import { CleanText } from "@boocode/mcp-client/Text"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { randomInt } from "node:crypto"
import type { UserRefused, UsersFailed } from "../users/UserError.ts"
import * as UserRows from "../users/UserRows.ts"
import { type Scope, UserTokens } from "../users/UserTokens.ts"
import * as FailureLimit from "./FailureLimit.ts"

/** How long a code can be used. */
const LIFE = Duration.minutes(10)

/** The time between two questions of a command. One that asks sooner has to wait longer. */
const INTERVAL_MILLIS = 5000

/** So many wait at once; each is forgotten when its time is over. */
const MOST = 200

/** Letters that nobody takes for another one, and that make no words. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ"

/** Nothing waits under this code. It does not say whether something ever did. */
export class UnknownCode extends Schema.TaggedError<UnknownCode>()("UnknownCode", {}) {
  override readonly message: string = "no command waits with this code"
  readonly hint: string = "a code can be used once, within 10 minutes: run boocode login again"
}

/** Codes were asked for, or guessed, too often. */
export class TooManyCodes extends Schema.TaggedError<TooManyCodes>()("TooManyCodes", { wait: Schema.Int }) {
  override readonly message: string = "there were too many codes"
  get hint(): string {
    return `wait ${this.wait} s; a token from Your account in the page needs no code`
  }
}

/** Nobody signs in here. */
export class OnePerson extends Schema.TaggedError<OnePerson>()("OnePerson", {}) {
  override readonly message: string = "this is a server of one person, where nobody signs in"
  readonly hint: string = "use the token of the server"
}

/** The start of a login, for the command. */
export interface Begun {
  readonly deviceCode: Redacted.Redacted<string>
  /** Such as `BCDF-GHJK`. */
  readonly userCode: string
  readonly expiresIn: number
  readonly interval: number
}

/** A command that waits, for the person who has its code. */
export interface Waiting {
  /** The name that its machine gives itself, which anybody can choose. */
  readonly device: string
  readonly scopes: ReadonlyArray<Scope>
}

/** The words of RFC 8628 for how a login stands. */
export type Outcome =
  | { readonly status: "authorization_pending" | "slow_down" | "access_denied" | "expired_token" }
  | { readonly status: "done"; readonly token: Redacted.Redacted<string> }

interface Entry extends Waiting {
  readonly code: string
  readonly until: number
  /** The person who allowed it; null as long as nobody did. */
  user: User | null
  isDenied: boolean
  asked: number
  interval: number
}

export class DeviceLogins extends Context.Service<DeviceLogins, {
  /** `peer` is the address that asks. */
  readonly begin: (wanted: Waiting, peer: string) => Effect.Effect<Begun, TooManyCodes>
  /** The command that waits with a code, as a person types it. Ten wrong codes in a minute are enough for one person. */
  readonly look: (code: string, user: User) => Effect.Effect<Waiting, UnknownCode | TooManyCodes>
  /** Allows it for this person, or denies it. The code is used up. */
  readonly decide: (code: string, user: User, isAllowed: boolean) => Effect.Effect<void, UnknownCode | TooManyCodes>
  /** Says how it stands. A token is made now, and given once. */
  readonly poll: (deviceCode: string) => Effect.Effect<Outcome, UserRefused | UsersFailed>
}>()("chat-server/DeviceLogins") {
  /** In memory: a command and the page reach the same server, and a restart ends what waits. */
  static readonly layer = Layer.effect(DeviceLogins, Effect.map(UserTokens, (tokens) => make(tokens)))
}

const make = (tokens: typeof UserTokens.Service): typeof DeviceLogins.Service => {
  // By the hash of what the command knows.
  const entries = new Map<string, Entry>()
  const begun = FailureLimit.make()
  const guesses = FailureLimit.make((person) => person)
  const now = Effect.tap(Clock.currentTimeMillis, (time) =>
    Effect.sync(() => {
      for (const [hash, { until }] of entries) if (until <= time) entries.delete(hash)
    }))
  const find = Effect.fnUntraced(function*(typed: string, user: User) {
    const wait = yield* guesses.wait(user.id)
    if (wait !== null) return yield* new TooManyCodes({ wait })
    yield* now
    const code = plain(typed)
    const found = [...entries.values()].find((entry) => entry.code === code && entry.user === null && !entry.isDenied)
    if (found !== undefined) return found
    yield* guesses.failed(user.id)
    return yield* new UnknownCode()
  })
  return DeviceLogins.of({
    begin: Effect.fnUntraced(function*({ device, scopes }, peer) {
      const wait = yield* begun.failed(peer)
      const time = yield* now
      if (wait !== null || entries.size >= MOST) return yield* new TooManyCodes({ wait: wait ?? 60 })
      const deviceCode = UserRows.newSecret()
      const code = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join("")
      entries.set(UserRows.hashOf(Redacted.value(deviceCode)), {
        device: CleanText.clean(device).trim().slice(0, 40) || "a machine",
        ...{ scopes, code, until: time + Duration.toMillis(LIFE), user: null, isDenied: false },
        // Nobody can have allowed it in the first moment.
        ...{ asked: time, interval: INTERVAL_MILLIS }
      })
      return {
        deviceCode,
        userCode: shown(code),
        expiresIn: Duration.toSeconds(LIFE),
        interval: INTERVAL_MILLIS / 1000
      }
    }),
    look: (code, user) =>
      Effect.map(find(code, user), ({ device, scopes }) => ({ device, scopes: scopesOf(scopes, user) })),
    decide: (code, user, isAllowed) =>
      Effect.map(find(code, user), (entry) => {
        if (isAllowed) entry.user = user
        else entry.isDenied = true
      }),
    poll: Effect.fnUntraced(function*(deviceCode): Effect.fn.Return<Outcome, UserRefused | UsersFailed> {
      const time = yield* now
      const hash = UserRows.hashOf(deviceCode)
      const entry = entries.get(hash)
      if (entry === undefined) return { status: "expired_token" }
      const isEarly = time - entry.asked < entry.interval
      entry.asked = time
      if (isEarly) {
        entry.interval += INTERVAL_MILLIS
        return { status: "slow_down" }
      }
      const { code, device, isDenied, scopes, user } = entry
      if (!isDenied && user === null) return { status: "authorization_pending" }
      entries.delete(hash)
      if (user === null) return { status: "access_denied" }
      const { secret } = yield* tokens.add(user.id, `${device} ${shown(code)}`, scopesOf(scopes, user))
      return { status: "done", token: secret }
    })
  })
}

/** The letters of a code as a person types it. */
const plain = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, "")

const shown = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** A member's token cannot act as an admin. */
const scopesOf = (scopes: ReadonlyArray<Scope>, { role }: User): ReadonlyArray<Scope> =>
  scopes.filter((scope) => scope !== "admin" || role === "admin")
