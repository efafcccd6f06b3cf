/** `mcp login`: at the running server that has the server, else in what is kept for this person. */
import * as LoginCallback from "@boocode/chat-server/LoginCallback"
import { type AuthorizationRequest, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Alone from "./Alone.ts"
import { Backend } from "./Backend.ts"
import { Browser } from "./Browser.ts"
import { bothTargets, connected, found, place } from "./Connected.ts"
import * as EntryAuth from "./EntryAuth.ts"
import { Failed, failed } from "./Failure.ts"
import type { Keyboard } from "./Keyboard.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import { serverLines } from "./ServerLines.ts"
import type { Target } from "./Target.ts"
import * as Visit from "./Visit.ts"

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
      Effect.mapError(RemoteFailure.plainly),
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
    (backend, where) => Layer.provide(backend.registry(where, options.serverLog), Alone.layer(name)),
    Effect.scoped(Effect.gen(function*() {
      const way = yield* wayBack(yield* EntryAuth.callback(name), opens)
      const context = yield* Effect.context<Browser | Keyboard | Output>()
      const { redirectUri } = way
      const authorize = (request: AuthorizationRequest) =>
        Visit.go(way, request).pipe(
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
  const { api, lasting, quick } = yield* Remote
  const way = yield* wayBack(yield* EntryAuth.callbackNear(yield* place(options), name), opens)
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
    const callbackUrl = yield* Visit.go(way, { server: name, url: begun.url, state, redirectUri: back })
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
const isLeftToOthers = (error: RemoteFailure.Problem | Failed): boolean =>
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
