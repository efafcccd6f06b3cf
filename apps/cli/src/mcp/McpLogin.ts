/** `mcp login`: at the running server that has the server, else in what is kept for this person. */
import * as LoginCallback from "@boocode/chat-server/LoginCallback"
import type { Loopback } from "@boocode/chat-server/Loopback"
import { type AuthorizationRequest, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Backend } from "../backend/Backend.ts"
import { bothTargets, connected, found, place } from "../backend/Connected.ts"
import * as Remote from "../backend/Remote.ts"
import * as SingleServerConfig from "../backend/SingleServerConfig.ts"
import * as EntryDocument from "../edit/EntryDocument.ts"
import { serverLines } from "../lines/ServerLines.ts"
import type { Options, Target } from "../options/Options.ts"
import { Browser, openable } from "../terminal/Browser.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

export interface Wish {
  readonly name: string
  /** Whether a browser is opened. */
  readonly opens: boolean
}

export const login = Effect.fnUntraced(function*(options: Options, target: Target, wish: Wish) {
  const backend = yield* Backend
  if (target.isLocal && target.url !== null) return yield* bothTargets
  const url = target.isLocal ? null : target.url ?? (yield* found(options))
  const status = url === null
    ? yield* locally(options, wish)
    : yield* remotely(options, wish).pipe(
      Effect.mapError(Remote.plainly),
      Effect.scoped,
      Effect.provide(backend.remote(url))
    )
  const output = yield* Output
  yield* options.json ? output.document(status) : output.lines(serverLines([status], output.paint))
})

/** Only the one server is started, for which the tokens are. */
const locally = (options: Options, { name, opens }: Wish) =>
  connected(
    options,
    (backend, where) => Layer.provide(backend.registry(where, options.serverLog), SingleServerConfig.layer(name)),
    Effect.scoped(Effect.gen(function*() {
      const way = yield* wayBack(yield* EntryDocument.callback(name), opens)
      const context = yield* Effect.context<Browser | Keyboard | Output>()
      const { redirectUri } = way
      const authorize = (request: AuthorizationRequest) =>
        goVisit(way, request).pipe(
          Effect.mapError(({ hint, message }) => new McpErrors.AuthorizationFailed({ detail: message, try: hint })),
          Effect.provideContext(context)
        )
      return yield* McpRegistry.use((registry) =>
        Effect.mapError(registry.login(name, { redirectUri, authorize }), failed)
      )
    }))
  )

/** A port of this machine where one can be waited at; otherwise the address is pasted. */
const wayBack = Effect.fnUntraced(function*(address: string, opens: boolean) {
  if (!LoginCallback.isHere(address)) return { loopback: null, opens, redirectUri: address }
  const loopback = yield* Effect.mapError(Browser.use((browser) => browser.listen(address)), failed)
  return { loopback, opens, redirectUri: loopback.redirectUri }
})

const remotely = Effect.fnUntraced(function*(options: Options, { name, opens }: Wish) {
  const { api, lasting, quick } = yield* Remote.Remote
  const way = yield* wayBack(yield* EntryDocument.callbackNear(yield* place(options), name), opens)
  const { redirectUri } = way
  const payload = LoginCallback.isHere(redirectUri) ? { redirectUri } : {}
  const begun = yield* lasting(api.logins.begin({ params: { name }, payload }))
  const params = { id: begun.id }
  const look = quick(api.logins.get({ params }))
  /** Somebody may answer it at the page, or end it. */
  const over = Effect.repeat(look, { until: ({ state }) => state !== "waiting", schedule: Schedule.spaced(LOOK) })
  const own = Effect.gen(function*() {
    if (begun.url === null) return yield* over
    const query = URL.parse(begun.url)?.searchParams
    const [state, back] = [query?.get("state") ?? "", query?.get("redirect_uri") ?? redirectUri]
    const callbackUrl = yield* goVisit(way, { server: name, url: begun.url, state, redirectUri: back })
    yield* lasting(api.logins.answer({ params, payload: { callbackUrl } }))
    return yield* over
  }).pipe(Effect.catchIf(isLeftToOthers, () => over))
  const ended = yield* Effect.onInterrupt(
    Effect.raceFirst(own, over),
    () => Effect.ignore(quick(api.logins.cancel({ params })))
  )
  if (ended.state !== "done") return yield* notDone(ended)
  const { servers } = yield* quick(api.servers.list())
  const status = servers.find((server) => server.name === name)
  return status ?? (yield* gone(name))
})

/** It has its answer, or somebody at the page may give it. */
const isLeftToOthers = (error: Remote.Problem | Failed): boolean =>
  error.tag === "LoginOver" || error.tag === "NothingPasted"

const LOOK = "1 second"

const notDone = ({ hint, message, state }: { state: string; message: string | null; hint: string | null }) =>
  new Failed({
    tag: state === "cancelled" ? "LoginCancelled" : "AuthorizationFailed",
    message: message ?? `the login was ${state}`,
    hint: hint ?? "begin another one"
  })

const gone = (name: string): Failed =>
  new Failed({ tag: "UnknownServer", message: `the server ${name} was removed meanwhile`, hint: "boocode mcp list" })

// `mcp logout`: at the running server that has the server, else in what is kept for this person.

export const logout = Effect.fnUntraced(function*(options: Options, target: Target, name: string) {
  const backend = yield* Backend
  if (target.isLocal && target.url !== null) return yield* bothTargets
  const url = target.isLocal ? null : target.url ?? (yield* found(options))
  const status = url === null
    ? yield* locallyLogout(options, name)
    : yield* Effect.provide(remotelyLogout(name), backend.remote(url))
  const output = yield* Output
  yield* options.json ? output.document(status) : output.lines(serverLines([status], output.paint))
})

const remotelyLogout = Effect.fnUntraced(function*(name: string) {
  const { api, lasting } = yield* Remote.Remote
  return yield* Effect.mapError(lasting(api.logins.logout({ params: { name } })), Remote.plainly)
})

const locallyLogout = (options: Options, name: string) =>
  connected(
    options,
    (backend, where) => Layer.provide(backend.registry(where, options.serverLog), SingleServerConfig.layer(name)),
    McpRegistry.use((registry) => Effect.mapError(registry.logout(name), failed))
  )

// Taking a person to an address where they sign in, and getting the address they came back to.

export interface Visit {
  readonly server: string
  readonly url: string
  readonly state: string
  /** Where the browser comes back to. */
  readonly redirectUri: string
}

export interface Way {
  /** What the browser comes back to; null where that is nowhere on this machine. */
  readonly loopback: Loopback | null
  /** False for `--no-browser`. */
  readonly opens: boolean
}

/**
 * Says where to go, and waits for the browser to come back or for the address to be pasted, whichever is first. Fails with
 * `NothingPasted` where neither can happen any more.
 */
export const goVisit = Effect.fnUntraced(function*({ loopback, opens }: Way, visit: Visit) {
  const url = openable(visit.url)
  if (url === null) return yield* unsafe(visit)
  const shown = Effect.flatMap(
    opens ? Browser.use((browser) => browser.open(url)) : Effect.succeed(false),
    (isOpened) => tell(visit, url, isOpened)
  )
  // Waited for before it is opened: a browser that asks nobody comes back at once.
  const arrival = loopback === null ? Effect.never : loopback.arrival(visit.state)
  const ended = loopback === null ? Effect.fail(nothingPasted(visit)) : Effect.never
  return yield* Effect.raceFirst(arrival, Effect.andThen(shown, pasted(visit, ended)))
})

const nothingPasted = ({ redirectUri }: Visit) =>
  new Failed({
    tag: "NothingPasted",
    message: `nobody can come back here from ${oneLine(redirectUri, 400)}, and nothing was pasted`,
    hint: "run it in a terminal, and paste the whole address that the browser ends at"
  })

const unsafe = ({ server, url }: Visit) =>
  new Failed({
    tag: "AuthorizationFailed",
    message: `${oneLine(server)} would have you sign in at ${oneLine(url)}, which is neither https nor on this machine`,
    hint: "do not open it; ask whoever runs the server"
  })

const tell = Effect.fnUntraced(function*({ server }: Visit, { host, href }: URL, isOpened: boolean) {
  const { notePaint, notes } = yield* Output
  const whom = `${notePaint.bold(oneLine(server))} at ${notePaint.bold(oneLine(host))}`
  yield* notes([
    isOpened ? `Your browser opens to sign in to ${whom}. If it does not, go to` : `To sign in to ${whom}, go to`,
    "",
    plain(href),
    "",
    notePaint.dim("If the browser cannot come back, paste here the whole address it ends at.")
  ])
})

/** What is pasted wrongly is asked for again. */
const pasted = <E>(visit: Visit, ended: Effect.Effect<never, E>): Effect.Effect<string, E, Keyboard | Output> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const { notePaint, notes } = yield* Output
    for (;;) {
      const line = yield* keyboard.line("")
      if (line === null) return yield* ended
      if (LoginCallback.isAnswer(line, visit.redirectUri, visit.state)) return line.trim()
      if (line.trim() === "") continue
      const meant = oneLine(visit.redirectUri, 400)
      yield* notes([`${notePaint.careful("?")} that is not where this leads back to: it begins with ${meant}`])
    }
  })
