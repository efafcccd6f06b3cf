/** `/mcp` and `/mcp/PROFILE`: this program as an MCP server, over Streamable HTTP of every revision. */
import type { PlainAnswer, PlainRequest } from "@boocode/mcp-gateway"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"
import * as HostGuard from "../access/HostGuard.ts"
import { RequestedBy } from "../access/Requester.ts"
import * as RequestHead from "../access/RequestHead.ts"
import * as Problems from "../api/Problems.ts"
import { AppHost } from "../apps/AppHost.ts"
import { ClientGateway } from "../clients/ClientGateway.ts"
import * as ConnectorCaller from "../connectors/ConnectorCaller.ts"
import { Connectors } from "../connectors/Connectors.ts"
import * as AccessGuard from "../http/AccessGuard.ts"
import * as RequestTelemetry from "../http/RequestTelemetry.ts"
import * as ShortWay from "../http/ShortWay.ts"
import { IdleEnd } from "../services/IdleEnd.ts"

/** A request. A large body is read once it is known who asks; a small one is there already. */
interface Posted extends Pick<PlainRequest, "signal"> {
  readonly head: RequestHead.RequestHead
  readonly text: Effect.Effect<string>
  /** That of its path; null is the one of its token. */
  readonly profile: string | null
}

/** Takes its services at once: each request has so many of its own that to add them again takes long. */
const make = Effect.gen(function*() {
  const gateways = yield* ClientGateway
  const { service } = yield* Connectors
  const callerOf = yield* ConnectorCaller.make
  /** A client hears where it can sign in. */
  const challenged = (response: HttpServerResponse.HttpServerResponse, profile: string | null) =>
    service === null || response.status !== 401 ? response : HttpServerResponse.setHeader(
      response,
      "www-authenticate",
      `Bearer realm="boocode", resource_metadata="${service.metadataUrl(profile)}"`
    )
  const answering = ({ head, profile, signal, text }: Posted) =>
    Effect.flatMap(callerOf(head, profile), ({ caller, user }) =>
      gateways.use(user.id, (gateway) => {
        const { headers, method, url } = head
        const by = { user, scopes: GATEWAY, session: null }
        return Effect.flatMap(method === "POST" ? text : NONE, (body) => {
          const request = { method, url: `http://${headers["host"] ?? "localhost"}${url}`, headers, body, signal }
          return Effect.provideService(gateway.answer(request, caller), RequestedBy, by)
        })
      }))
  return (posted: Posted): Effect.Effect<PlainAnswer> =>
    Effect.catchTags(answering(posted), {
      NotLetIn: ({ refusal }) => refused(challenged(AccessGuard.response(refusal), posted.profile)),
      ScopeNeeded: (error) => refused(Problems.response(403, error)),
      ProfileOfOthers: (error) => refused(Problems.response(403, error)),
      UnknownProfile: (error) => refused(Problems.response(404, error, { nearest: [...error.nearest] }))
    })
})

const GATEWAY = ["gateway"] as const
const NONE = Effect.succeed(null)

const refused = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): Effect.Effect<PlainAnswer> =>
  Effect.succeed({ status, headers, body: body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : null })

/** Made once: an error for each request takes longer to make than to tell. */
const OVER = new Error("the request is over")

/** The abortion of the request is told until its answer is over. Most requests ask for no signal, and to make one takes long. */
class Abortion {
  private controller: AbortController | null = null
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }
  end(): undefined {
    this.controller?.abort(OVER)
  }
}

/** The signal of a request, until its scope closes. */
const signalled = Effect.gen(function*() {
  const abortion = new Abortion()
  yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(() => abortion.end()))
  return () => abortion.signal
})

const sent = ({ body, headers, status }: PlainAnswer): HttpServerResponse.HttpServerResponse => {
  if (body === null) return HttpServerResponse.empty({ status, headers })
  const contentType = headers["content-type"] ?? "application/json"
  if (typeof body === "string") return HttpServerResponse.text(body, { status, contentType, headers })
  const bytes = Stream.orDie(Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }))
  return HttpServerResponse.stream(bytes, { status, contentType, headers: { ...headers, "x-accel-buffering": "no" } })
}

const FAILED = { status: 500, headers: {}, body: null }

/** The path of a POST that goes past the router. */
const PATH = /^\/mcp(?:\/([\w.-]{1,100}))?$/

/** Runs requests until the scope closes, which ends those that are left, and those whose text comes later. */
const runner = Effect.gen(function*() {
  const running = yield* FiberSet.make<void>()
  // The services of a request are added to it, which is quick where they are few.
  const context = Context.makeUnsafe<never>(new Map((yield* Effect.context()).mapUnsafe))
  // oxlint-disable-next-line house/no-run -- Node tells of a request by a plain call
  const fork = Effect.runForkWith(context)
  return (handling: Effect.Effect<void>): Fiber.Fiber<void> => {
    const fiber = fork(handling)
    FiberSet.addUnsafe(running, fiber)
    return fiber
  }
})

/** Small requests pass the same guards as those of the router. Those that a guard refuses go to the router, which says why. */
const shortWay = Effect.fnUntraced(function*(host: string, answered: Effect.Success<typeof make>) {
  const refusalOf = yield* HostGuard.make(host, (yield* AppHost).isApps)
  const { hold, limit } = yield* IdleEnd
  const clock = yield* Clock.Clock
  const run = yield* runner
  /** In few steps: a call of a tool must cost less than with any other gateway (docs/performance.md). */
  const handled = (
    response: ServerResponse,
    { head, profile, text }: Pick<Posted, "head" | "profile" | "text">,
    began: number
  ) => {
    const abortion = new Abortion()
    const posted = { head, profile, text, signal: () => abortion.signal }
    const written = Effect.flatMap(answered(posted), (answer) =>
      // The client has its answer before it is counted; a stream is counted when it begins.
      typeof answer.body === "string"
        ? Effect.andThen(ShortWay.write(response, answer), RequestTelemetry.counted(head, answer.status, began))
        : Effect.andThen(RequestTelemetry.counted(head, answer.status, began), ShortWay.write(response, answer)))
    const held = limit === null ? written : Effect.scoped(Effect.andThen(hold, written))
    return Effect.catchCauseIf(
      Effect.onExitPrimitive(held, () => abortion.end()),
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.andThen(Effect.logError("a request failed unexpectedly", cause), ShortWay.write(response, FAILED))
    )
  }
  yield* (yield* ShortWay.ShortWay).take((request, response) => {
    const { method = "", url = "" } = request
    const path = method === "POST" && ShortWay.isSmall(request) ? PATH.exec(url) : null
    const head = path === null || !AccessGuard.isForEveryone(method, url) ? null : RequestHead.ofNode(request)
    if (path === null || head === null || refusalOf(head) !== null) return false
    const began = clock.currentTimeMillisUnsafe()
    // A fiber that waits for the text costs more than to read it.
    ShortWay.onText(request, (text) => {
      const posted = { head, profile: path[1] ?? null, text: Effect.succeed(text) }
      const fiber = run(handled(response, posted, began))
      response.on("close", () => {
        if (!response.writableEnded) fiber.interruptUnsafe()
      })
    })
    return true
  })
})

/** `host` is the address the server binds. */
export const layer = (host: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const answered = yield* make
    const throughRouter = Effect.fnUntraced(function*(profile: string | null) {
      const head = yield* HttpServerRequest.HttpServerRequest
      // A body that cannot be read is one that is no message.
      const text = Effect.orElseSucceed(head.text, () => "")
      return sent(yield* answered({ head, profile, text, signal: yield* signalled }))
    })
    for (const method of ["GET", "POST", "DELETE"] as const) {
      yield* router.add(method, "/mcp", throughRouter(null))
      yield* router.add(
        method,
        "/mcp/:profile",
        Effect.flatMap(HttpRouter.params, ({ profile }) => throughRouter(profile ?? null))
      )
    }
    yield* shortWay(host, answered)
  }))
