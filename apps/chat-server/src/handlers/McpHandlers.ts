/** `/mcp` and `/mcp/PROFILE`: this program as an MCP server, over Streamable HTTP of every revision. */
import type { PlainAnswer } from "@boocode/mcp-gateway"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { RequestedBy } from "../access/Requester.ts"
import * as Problems from "../api/Problems.ts"
import { ClientGateway } from "../clients/ClientGateway.ts"
import * as ConnectorCaller from "../connectors/ConnectorCaller.ts"
import { Connectors } from "../connectors/Connectors.ts"
import * as AccessGuard from "../http/AccessGuard.ts"

type Answering = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

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
  const answering = Effect.fnUntraced(function*(profile: string | null) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { caller, user } = yield* callerOf(request, profile)
    const gateway = yield* gateways.of(user.id)
    return sent(
      yield* gateway.answer(yield* plain(request), caller).pipe(
        Effect.provideService(RequestedBy, { user, scopes: ["gateway"], session: null })
      )
    )
  })
  return (profile: string | null): Answering =>
    Effect.catchTags(answering(profile), {
      NotLetIn: ({ refusal }) => Effect.succeed(challenged(AccessGuard.response(refusal), profile)),
      ScopeNeeded: (error) => Effect.succeed(Problems.response(403, error)),
      ProfileOfOthers: (error) => Effect.succeed(Problems.response(403, error)),
      UnknownProfile: (error) => Effect.succeed(Problems.response(404, error, { nearest: [...error.nearest] }))
    })
})

/** Made once: an error for each request takes longer to make than to tell. */
const OVER = new Error("the request is over")

/** The abortion of the request is told until its answer is over. Most requests ask for no signal, and to make one takes long. */
class Abortion {
  private controller: AbortController | null = null
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }
  readonly end = Effect.sync(() => this.controller?.abort(OVER))
}

const plain = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const abortion = new Abortion()
  yield* Scope.addFinalizer(yield* Effect.scope, abortion.end)
  const { headers, method, url } = request
  // A body that cannot be read is one that is no message.
  const body = method === "POST" ? yield* Effect.orElseSucceed(request.text, () => "") : null
  return { method, url: `http://${headers["host"] ?? "localhost"}${url}`, headers, body, signal: () => abortion.signal }
})

const sent = ({ body, headers, status }: PlainAnswer): HttpServerResponse.HttpServerResponse => {
  if (body === null) return HttpServerResponse.empty({ status, headers })
  const contentType = headers["content-type"] ?? "application/json"
  if (typeof body === "string") return HttpServerResponse.text(body, { status, contentType, headers })
  const bytes = Stream.orDie(Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }))
  return HttpServerResponse.stream(bytes, { status, contentType, headers: { ...headers, "x-accel-buffering": "no" } })
}

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const answered = yield* make
  for (const method of ["GET", "POST", "DELETE"] as const) {
    yield* router.add(method, "/mcp", answered(null))
    yield* router.add(
      method,
      "/mcp/:profile",
      Effect.flatMap(HttpRouter.params, ({ profile }) => answered(profile ?? null))
    )
  }
}))
