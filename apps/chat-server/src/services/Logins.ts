/** People on their way through logins at remote servers: where they are to go, and where they come back to. */
import { type AuthorizationRequest, McpError, McpErrors, McpRegistries, type ServerStatus } from "@boocode/mcp-registry"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import { type Login, LoginOver, UnknownLogin, WrongCallback } from "../api/LoginsApi.ts"
import * as LoginCallback from "./LoginCallback.ts"
import * as Loopback from "./Loopback.ts"

/** How long a person has, and how long one that is over can be asked about. */
const LIFE = Duration.minutes(10)
/** One more login at a server ends the oldest. */
const MOST_AT_ONE_SERVER = 3
const MOST = 30
/** How long an answer waits for tokens and for the server's start, while a person looks at an empty window. */
const PATIENCE = "10 seconds"

export interface LoginPlan {
  readonly server: string
  /** The person who signs in. A server that all share is signed in to for everybody. */
  readonly person: string
  /** Where the browser comes back to. */
  readonly redirectUri: string
  /** `server`: that is a route of this server. `listen`: it is a port of this machine, to be taken. `paste`: neither. */
  readonly by: "server" | "listen" | "paste"
}

export class Logins extends Context.Service<Logins, {
  /**
   * Begins one. Answers once it is known where a person is to go, or that nobody is needed. A fourth one at a server ends
   * the oldest. Fails as `McpRegistry.login` does.
   */
  readonly begin: (plan: LoginPlan) => Effect.Effect<Login, McpError>
  /** Known for 10 minutes after it began. */
  readonly find: (person: string, id: string) => Effect.Effect<Login, UnknownLogin>
  /** Takes the address that a person came back to. Answers when it is over, after 10 s as it stands then. */
  readonly answer: (
    person: string,
    id: string,
    callbackUrl: string
  ) => Effect.Effect<Login, UnknownLogin | LoginOver | WrongCallback>
  /** Takes a browser that comes back by itself. Its `state` names the login, once; null where it names none. */
  readonly arrive: (state: string, search: string) => Effect.Effect<Login | null>
  /** Ends one. Does nothing to one that is over. */
  readonly cancel: (person: string, id: string) => Effect.Effect<void, UnknownLogin>
}>()("chat-server/Logins") {
  static readonly layer = Layer.effect(Logins, Effect.suspend(() => make))
}

interface Visit {
  readonly request: AuthorizationRequest
  readonly callback: Deferred.Deferred<string>
}

interface Attempt {
  readonly id: string
  readonly plan: LoginPlan
  /** Whether the browser comes back to this program. */
  returns: boolean
  readonly expiresAt: number
  state: Login["state"]
  /** Null before the first, while its tokens are fetched, and at the end. */
  visit: Visit | null
  failure: Pick<Login, "message" | "hint"> | null
  /** Done at the first visit, or at the end where that comes first. */
  readonly begun: Deferred.Deferred<void, McpError>
  readonly over: Deferred.Deferred<void>
}

const make = Effect.gen(function*() {
  const registries = yield* McpRegistries
  const fibers = yield* FiberMap.make<string>()
  /** In the order they began. */
  const attempts = new Map<string, Attempt>()

  const start = Effect.fnUntraced(function*(plan: LoginPlan) {
    const now = yield* Clock.currentTimeMillis
    yield* makeRoom(plan, now)
    const attempt: Attempt = {
      id: randomUUID(),
      plan,
      returns: plan.by === "server",
      expiresAt: now + Duration.toMillis(LIFE),
      state: "waiting",
      visit: null,
      failure: null,
      begun: yield* Deferred.make<void, McpError>(),
      over: yield* Deferred.make<void>()
    }
    attempts.set(attempt.id, attempt)
    yield* FiberMap.run(fibers, attempt.id, run(attempt))
    return attempt
  })

  const run = (attempt: Attempt) => {
    const { plan: { by, person, redirectUri, server } } = attempt
    return Effect.gen(function*() {
      const port = by === "listen" ? yield* listening(attempt.plan) : null
      if (port !== null) attempt.returns = true
      const registry = yield* registries.of(person)
      return yield* registry.login(server, { redirectUri, authorize: (request) => visited(attempt, request, port) })
    }).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({ duration: LIFE, orElse: () => Effect.fail(new McpError({ server, reason: TOO_LATE })) }),
      Effect.onExit((exit) => settle(attempt, exit)),
      Effect.ignore
    )
  }

  const makeRoom = Effect.fnUntraced(function*({ by, person, redirectUri, server }: LoginPlan, now: number) {
    for (const [id, { expiresAt, state }] of attempts) if (state !== "waiting" && expiresAt <= now) attempts.delete(id)
    const waiting = [...attempts.values()].filter(({ state }) => state === "waiting")
    const own = waiting.filter(({ plan }) => plan.server === server && plan.person === person)
    // One port is for one of them.
    const there = waiting.filter(({ plan }) => by === "listen" && plan.by === by && plan.redirectUri === redirectUri)
    for (const { id } of [...there, ...own.slice(0, Math.max(0, own.length - MOST_AT_ONE_SERVER + 1))]) {
      yield* FiberMap.remove(fibers, id)
    }
    for (const id of [...attempts.keys()].slice(0, Math.max(0, attempts.size - MOST + 1))) {
      yield* FiberMap.remove(fibers, id)
      attempts.delete(id)
    }
  })

  const known = Effect.fnUntraced(function*(person: string, id: string) {
    const found = attempts.get(id)
    return found?.plan.person === person ? found : yield* new UnknownLogin({ id })
  })

  const finish = Effect.fnUntraced(function*(attempt: Attempt, { callback }: Visit, callbackUrl: string) {
    if (!(yield* Deferred.succeed(callback, callbackUrl))) return yield* new LoginOver({ state: attempt.state })
    yield* Effect.timeoutOption(Deferred.await(attempt.over), PATIENCE)
    return shown(attempt)
  })

  return Logins.of({
    begin: Effect.fn("Logins.begin")(function*(plan) {
      yield* Effect.scoped(Effect.flatMap(registries.of(plan.person), (registry) => registry.server(plan.server)))
      const attempt = yield* start(plan)
      yield* Effect.onInterrupt(Deferred.await(attempt.begun), () => FiberMap.remove(fibers, attempt.id))
      return shown(attempt)
    }),
    find: (person, id) => Effect.map(known(person, id), shown),
    answer: Effect.fn("Logins.answer")(function*(person, id, callbackUrl) {
      const attempt = yield* known(person, id)
      const { visit } = attempt
      if (visit === null) return yield* new LoginOver({ state: attempt.state })
      if (!LoginCallback.isAnswer(callbackUrl, visit.request.redirectUri, visit.request.state)) {
        return yield* new WrongCallback()
      }
      return yield* finish(attempt, visit, callbackUrl)
    }),
    arrive: Effect.fn("Logins.arrive")(function*(state, search) {
      const attempt = [...attempts.values()].find(({ visit }) => visit !== null && visit.request.state === state)
      const visit = attempt?.visit ?? null
      if (attempt === undefined || visit === null) return null
      const { redirectUri } = visit.request
      return yield* Effect.catchTag(
        finish(attempt, visit, `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${search}`),
        "LoginOver",
        () => Effect.succeed(null)
      )
    }),
    cancel: (person, id) => Effect.flatMap(known(person, id), () => FiberMap.remove(fibers, id))
  })
})

/** The port of this machine that an entry names; null where another program has it. */
const listening = ({ redirectUri, server }: LoginPlan) =>
  Loopback.listen(redirectUri).pipe(
    Effect.tapError(({ message }) => Effect.logWarning(`logging in to ${server}: ${message}`)),
    Effect.orElseSucceed(() => null)
  )

/** One visit; there may be another where the server wants more than was granted. */
const visited = Effect.fnUntraced(function*(
  attempt: Attempt,
  request: AuthorizationRequest,
  port: Loopback.Loopback | null
) {
  const callback = yield* Deferred.make<string>()
  attempt.visit = { request, callback }
  yield* Deferred.succeed(attempt.begun, undefined)
  return yield* Effect.ensuring(
    Effect.raceFirst(Deferred.await(callback), port === null ? Effect.never : port.arrival(request.state)),
    Effect.sync(() => {
      attempt.visit = null
    })
  )
})

const TOO_LATE = new McpErrors.AuthorizationFailed({ detail: `nobody came back within ${Duration.format(LIFE)}` })

const outcomes = Metric.counter("mcp_logins_total", { description: "Logins at servers, by outcome", incremental: true })

const settle = Effect.fnUntraced(function*(attempt: Attempt, exit: Exit.Exit<ServerStatus, McpError>) {
  attempt.state = Exit.isSuccess(exit) ? "done" : Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "failed"
  const error = Option.getOrNull(Exit.findErrorOption(exit))
  attempt.failure = error === null ? null : { message: error.message, hint: error.hint }
  yield* Metric.update(Metric.withAttributes(outcomes, { outcome: attempt.state }), 1)
  yield* attempt.state === "cancelled"
    ? Deferred.succeed(attempt.begun, undefined)
    : Deferred.complete(attempt.begun, Effect.asVoid(exit))
  yield* Deferred.succeed(attempt.over, undefined)
})

const shown = ({ expiresAt, failure, id, returns, state, visit, plan }: Attempt): Login => ({
  id,
  server: plan.server,
  state,
  url: visit?.request.url ?? null,
  returns,
  message: failure?.message ?? null,
  hint: failure?.hint ?? null,
  expiresAt: DateTime.formatIso(DateTime.makeUnsafe(expiresAt))
})
