/** `mcp login` and `mcp logout`: at a running server, else with the tokens that are kept for this person. */
import * as LoginCallback from "@boocode/chat-server/LoginCallback"
import type { Loopback } from "@boocode/chat-server/Loopback"
import { McpConfig } from "@boocode/mcp-config"
import { type AuthorizationRequest, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { Backend } from "../backend/Backend.ts"
import * as Remote from "../backend/Remote.ts"
import { atServer, connected, place, runningServer } from "../backend/VerbContext.ts"
import { serverLines } from "../lines/ServerLines.ts"
import type { DataLocation } from "../options/DataLocation.ts"
import { type Options, serverName, switchFlag, targetFlags, verb } from "../options/Options.ts"
import { Browser, openable } from "../terminal/Browser.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { Failed, failed } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

export const login = Command.make(
  "login",
  {
    name: serverName,
    noBrowser: switchFlag("no-browser", "Print the address instead of opening a browser"),
    ...targetFlags
  },
  ({ name, noBrowser, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      const url = yield* runningServer(options, target)
      const status = url === null
        ? yield* locally(options, name, !noBrowser)
        : yield* remotely(options, name, !noBrowser).pipe(
          Effect.mapError(Remote.plainly),
          Effect.scoped,
          atServer(url)
        )
      yield* print(options, status)
    }))
).pipe(
  Command.withDescription(
    "Sign in to a remote server: in the browser, or by pasting the address at which the browser ends"
  ),
  Command.withExamples([
    { command: "boocode mcp login NAME --no-browser", description: "On a machine without a browser" }
  ])
)

export const logout = Command.make(
  "logout",
  { name: serverName, ...targetFlags },
  ({ name, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      const url = yield* runningServer(options, target)
      const status = url === null
        ? yield* connected(
          options,
          McpRegistry.use((registry) => Effect.mapError(registry.logout(name), failed)),
          name
        )
        : yield* atServer(url)(
          Remote.Remote.use(({ api, lasting }) =>
            Effect.mapError(lasting(api.logins.logout({ params: { name } })), Remote.plainly)
          )
        )
      yield* print(options, status)
    }))
).pipe(Command.withDescription("Sign out of a remote server, and forget its tokens"))

const print = ({ json }: Options, status: Parameters<typeof serverLines>[0][number]) =>
  Output.use(({ columns, document, lines, paint }) =>
    json ? document(status) : Effect.flatMap(columns, (wide) => lines(serverLines([status], paint, wide)))
  )

const locally = (options: Options, name: string, opens: boolean) =>
  connected(
    options,
    Effect.scoped(Effect.gen(function*() {
      const way = yield* wayBack(yield* callback(name), opens)
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
    })),
    name
  )

/** The address that the browser comes back to: that of the entry, else any port of this machine. */
const callback = Effect.fnUntraced(function*(name: string) {
  const { servers } = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const entry = servers.find((one) => one.name === name)
  if (entry === undefined) return yield* ErrorHints.unknownServer(name, servers.map((one) => one.name))
  const { transport } = yield* Effect.mapError(Effect.fromResult(entry.config), failed)
  return transport._tag === "stdio" ? ANY_PORT : LoginCallback.ofEntry(transport.oauth) ?? ANY_PORT
})

/** Like `callback`, for a server of a running server, whose entry this command may not see. */
const callbackNear = (place: DataLocation, name: string) =>
  Backend.use(({ config }) => Effect.provide(callback(name), config(place))).pipe(
    Effect.orElseSucceed(() => ANY_PORT)
  )

const ANY_PORT = LoginCallback.here(0)

/** Listens where the address is on this machine; otherwise the person pastes what the browser ends at. */
const wayBack = Effect.fnUntraced(function*(address: string, opens: boolean) {
  if (!LoginCallback.isHere(address)) return { loopback: null, opens, redirectUri: address }
  const loopback = yield* Effect.mapError(Browser.use((browser) => browser.listen(address)), failed)
  return { loopback, opens, redirectUri: loopback.redirectUri }
})

const remotely = Effect.fnUntraced(function*(options: Options, name: string, opens: boolean) {
  const { api, lasting, quick } = yield* Remote.Remote
  const way = yield* wayBack(yield* callbackNear(yield* place(options), name), opens)
  const { redirectUri } = way
  const payload = LoginCallback.isHere(redirectUri) ? { redirectUri } : {}
  const begun = yield* lasting(api.logins.begin({ params: { name }, payload }))
  const params = { id: begun.id }
  const look = quick(api.logins.get({ params }))
  /** Somebody may complete or cancel the login at the page. */
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

/** The login has its answer, or somebody at the page may give it. */
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

interface Visit {
  readonly server: string
  readonly url: string
  readonly state: string
  readonly redirectUri: string
}

interface Way {
  /** Waits for the browser; null where the address is not on this machine. */
  readonly loopback: Loopback | null
  /** False for `--no-browser`. */
  readonly opens: boolean
}

/**
 * Says where to go, and waits for the browser to come back or for the address to be pasted, whichever is first. Fails with
 * `NothingPasted` where neither can happen any more.
 */
const goVisit = Effect.fnUntraced(function*({ loopback, opens }: Way, visit: Visit) {
  const url = openable(visit.url)
  if (url === null) return yield* unsafe(visit)
  const shown = Effect.flatMap(
    opens ? Browser.use((browser) => browser.open(url)) : Effect.succeed(false),
    (isOpened) => tell(visit, url, isOpened)
  )
  // Listens before the browser opens: one that is signed in already comes back at once.
  const arrival = loopback === null ? Effect.never : loopback.arrival(visit.state)
  const ended = loopback === null ? Effect.fail(nothingPasted(visit)) : Effect.never
  return yield* Effect.raceFirst(arrival, Effect.andThen(shown, pasted(visit, ended)))
})

const nothingPasted = ({ redirectUri }: Visit) =>
  new Failed({
    tag: "NothingPasted",
    message: `the browser cannot come back here from ${oneLine(redirectUri, 400)}, and nothing was pasted`,
    hint: "run it in a terminal, and paste the whole address that the browser ends at"
  })

const unsafe = ({ server, url }: Visit) =>
  new Failed({
    tag: "AuthorizationFailed",
    message: `${oneLine(server)} would have you sign in at ${oneLine(url)}, which is neither https nor on this machine`,
    hint: "do not open it; ask the people who run the server"
  })

const tell = Effect.fnUntraced(function*({ server }: Visit, { host, href }: URL, isOpened: boolean) {
  const { notePaint, notes } = yield* Output
  const where = `${notePaint.bold(oneLine(server))} at ${notePaint.bold(oneLine(host))}`
  yield* notes([
    isOpened ? `Your browser opens to sign in to ${where}. If it does not, go to` : `To sign in to ${where}, go to`,
    "",
    plain(href),
    "",
    notePaint.dim("If the browser cannot come back, paste here the whole address it ends at.")
  ])
})

/** Asks until the right address is pasted. */
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
