/**
 * Who may use this server: everyone of this machine when only it can reach the server, else whoever knows the token.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"
import { AccessToken } from "./AccessToken.ts"
import { Instance, pass } from "./Instance.ts"

/** The cookie of who is logged in. */
export const COOKIE = "boocode_session"

/** Why a request gets no further; `wait` is in seconds, null for who was not wrong too often. */
export type Refusal =
  | { readonly _tag: "TokenNeeded" }
  | { readonly _tag: "WrongToken"; readonly wait: number | null }

type Request = HttpServerRequest.HttpServerRequest

export class Access extends Context.Service<Access, {
  /** True when nobody needs a token. */
  readonly isOpen: boolean
  /**
   * Null for a request that may go on: it has the token, the pass of a command of this machine, or the cookie of a login.
   * Who is right is never slowed down; who is wrong more than 10 times a minute is told to wait.
   */
  readonly refusal: (request: Request) => Effect.Effect<Refusal | null>
  /** Whether a request has one of these. Counts nothing. */
  readonly isKnown: (request: Request) => Effect.Effect<boolean>
  /** Begins a session for who knows the token; null where nobody needs one. Fails with a refusal. */
  readonly login: (request: Request, token: string) => Effect.Effect<Redacted.Redacted<string> | null, Refusal>
  /** Ends the session of a request; without one it does nothing. */
  readonly logout: (request: Request) => Effect.Effect<void>
}>()("chat-server/Access") {
  /** For a server with this token. */
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function*() {
      const { token } = yield* AccessToken
      if (token === null) return open
      const path = yield* Path.Path
      const { secret } = yield* Instance
      const sessions = yield* makeSessions(path.join((yield* DataFolder).state, "sessions.json"), token)
      return closed(token, pass(secret), sessions)
    })
  )
}

const open = Access.of({
  isOpen: true,
  isKnown: () => Effect.succeed(true),
  refusal: () => Effect.succeed(null),
  login: () => Effect.succeed(null),
  logout: () => Effect.void
})

const closed = (
  token: Redacted.Redacted<string>,
  localPass: Redacted.Redacted<string>,
  sessions: Sessions
): typeof Access.Service => {
  const failures = makeRateLimit()
  const wrong = (request: Request): Effect.Effect<Refusal> =>
    Effect.map(
      failures.failed(Option.getOrElse(request.remoteAddress, () => "")),
      (wait) => ({ _tag: "WrongToken" as const, wait })
    )
  const isKnown = (request: Request): Effect.Effect<boolean> => {
    const shown = bearer(request) ?? ""
    // Both are compared whatever the first says.
    const isRight = [isSame(shown, token), isSame(shown, localPass)].includes(true)
    return isRight ? Effect.succeed(true) : sessions.isKnown(request.cookies[COOKIE] ?? "")
  }
  return Access.of({
    isOpen: false,
    isKnown,
    refusal: Effect.fnUntraced(function*(request: Request) {
      if (yield* isKnown(request)) return null
      return bearer(request) === null ? { _tag: "TokenNeeded" as const } : yield* wrong(request)
    }),
    login: (request, shown) =>
      isSame(shown, token) ? sessions.begin : Effect.flatMap(wrong(request), (refusal) => Effect.fail(refusal)),
    logout: (request) => sessions.end(request.cookies[COOKIE] ?? "")
  })
}

const bearer = ({ headers }: Request): string | null =>
  /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1] ?? null

/** Takes as long whatever is different. */
const isSame = (shown: string, secret: Redacted.Redacted<string>): boolean =>
  timingSafeEqual(digest(shown), digest(Redacted.value(secret)))

const digest = (text: string) => createHash("sha256").update(text).digest()

// How often somebody may be wrong: so many times a minute from one address, and so many from all together.

export interface RateLimit {
  /** Counts a failure of a peer. Gives null, or in how many seconds it may try again when that was one too many. */
  readonly failed: (peer: string) => Effect.Effect<number | null>
}

const WINDOW_MILLIS = 60_000
const PER_PEER = 10
const ALL = 200
/** So many addresses are remembered; what comes beyond counts only for all together. */
const MAX_PEERS = 1000

interface Window {
  failures: number
  readonly until: number
}

/** Begins with a clean slate. Its memory is bounded whatever comes. */
export const makeRateLimit = (): RateLimit => {
  const peers = new Map<string, Window>()
  let all: Window = { failures: 0, until: 0 }
  const count = (window: Window | undefined, now: number): Window => ({
    failures: (window === undefined || window.until <= now ? 0 : window.failures) + 1,
    until: window === undefined || window.until <= now ? now + WINDOW_MILLIS : window.until
  })
  const forget = (now: number) => {
    for (const [peer, { until }] of peers) if (until <= now) peers.delete(peer)
  }
  return {
    failed: (peer) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = PrivateAddress.householdOf(peer)
        all = count(all, now)
        if (!peers.has(key) && peers.size >= MAX_PEERS) forget(now)
        const own = count(peers.get(key), now)
        if (peers.has(key) || peers.size < MAX_PEERS) peers.set(key, own)
        const [over] = [{ ...own, limit: PER_PEER }, { ...all, limit: ALL }].filter((one) => one.failures > one.limit)
        return over === undefined ? null : Math.max(1, Math.ceil((over.until - now) / 1000))
      })
  }
}

// Who is logged in: ids that browsers keep in a cookie, of which this side keeps only what proves them.

/** How long one lasts after its login. */
export const LIFE = Duration.days(30)
/** The oldest goes when there are more. */
const MAX = 200

export interface Sessions {
  /** Begins one and gives its id. Another start of the program knows it too. */
  readonly begin: Effect.Effect<Redacted.Redacted<string>>
  readonly isKnown: (id: string) => Effect.Effect<boolean>
  /** Ends one. Its id is worth nothing from then on. */
  readonly end: (id: string) => Effect.Effect<void>
}

/** An id is known by its HMAC under the token: the file proves nothing to who reads it, and another token ends them all. */
const Kept = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ mac: Schema.String, until: Schema.Finite }))
)

/** Keeps them in `file`. Where that cannot be written they last as long as the program, and the log says so. */
export const makeSessions = Effect.fnUntraced(function*(
  file: string,
  token: Redacted.Redacted<string>
): Effect.fn.Return<Sessions, never, FileSystem.FileSystem | Path.Path> {
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const read = yield* Effect.option(Effect.flatMap(
    Effect.map(PrivateFile.read(file), (text) => text ?? "[]"),
    Schema.decodeEffect(Kept)
  ))
  const live = new Map(Option.getOrElse(read, () => []).map(({ mac, until }) => [mac, until]))
  const macOf = (id: string) => createHmac("sha256", Redacted.value(token)).update(`session:${id}`).digest("base64url")
  // One at a time: two that log in at once would write into each other's file.
  const turn = yield* Semaphore.make(1)
  const store = Effect.suspend(() =>
    Effect.flatMap(
      Schema.encodeEffect(Kept)([...live].map(([mac, until]) => ({ mac, until }))),
      (text) => PrivateFile.write(file, text)
    )
  ).pipe(
    Effect.provideContext(context),
    Effect.catch((error) => Effect.logWarning(`logins end with this program: ${error.message}`)),
    turn.withPermits(1),
    Effect.uninterruptible
  )
  const begin = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const id = randomBytes(32).toString("base64url")
    for (const [mac, until] of live) if (until <= now) live.delete(mac)
    for (const mac of [...live.keys()].slice(0, Math.max(0, live.size - MAX + 1))) live.delete(mac)
    live.set(macOf(id), now + Duration.toMillis(LIFE))
    yield* store
    return Redacted.make(id)
  })
  return {
    begin,
    isKnown: (id) => Effect.map(Clock.currentTimeMillis, (now) => (live.get(macOf(id)) ?? 0) > now),
    end: (id) => Effect.suspend(() => live.delete(macOf(id)) ? store : Effect.void)
  }
})
