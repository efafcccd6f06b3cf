/** `/mcp` and `/mcp/PROFILE`: this program as an MCP server, over Streamable HTTP of every revision. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Access } from "../access/Access.ts"
import { RequestedBy } from "../access/Requester.ts"
import * as Problems from "../api/Problems.ts"
import { ClientGateway } from "../clients/ClientGateway.ts"
import type { ClientProfiles } from "../clients/ClientProfiles.ts"
import type { ClientTokens } from "../clients/ClientTokens.ts"
import * as ConnectorCaller from "../connectors/ConnectorCaller.ts"
import { Connectors } from "../connectors/Connectors.ts"
import * as AccessGuard from "../http/AccessGuard.ts"

const answer = (profile: string | null) =>
  Effect.catchTags(answering(profile), {
    NotLetIn: ({ refusal }) => challenged(AccessGuard.response(refusal), profile),
    NotForGateway: (error) => Effect.succeed(Problems.response(403, error)),
    ProfileOfOthers: (error) => Effect.succeed(Problems.response(403, error)),
    UnknownProfile: (error) => Effect.succeed(Problems.response(404, error, { nearest: [...error.nearest] }))
  })

/** A client hears where it can sign in. */
const challenged = (response: HttpServerResponse.HttpServerResponse, profile: string | null) =>
  Effect.map(
    Connectors,
    ({ service }) =>
      service === null || response.status !== 401 ? response : HttpServerResponse.setHeader(
        response,
        "www-authenticate",
        `Bearer realm="boocode", resource_metadata="${service.metadataUrl(profile)}"`
      )
  )

const answering = Effect.fnUntraced(
  function*(profile: string | null) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const gateway = yield* ClientGateway
    const { caller, user } = yield* ConnectorCaller.of(request, profile)
    const response = yield* gateway.handle(yield* asWeb(request), caller).pipe(
      Effect.provideService(RequestedBy, { user, scopes: ["gateway"], session: null })
    )
    return yield* fromWeb(response)
  }
)

/** The abortion of the request is told until its answer is over. */
const asWeb = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const { headers, method, url } = request
  // A body that cannot be read is one that is no message.
  const body = method === "POST" ? yield* Effect.orElseSucceed(request.text, () => "") : null
  return new Request(`http://${headers["host"] ?? "localhost"}${url}`, { method, headers, body, signal })
})

const fromWeb = Effect.fnUntraced(function*({ body, headers, status }: Response) {
  const told = Object.fromEntries(headers)
  const contentType = headers.get("content-type") ?? "application/json"
  if (body === null) return HttpServerResponse.empty({ status, headers: told })
  const bytes = Stream.orDie(Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }))
  return contentType.startsWith("text/event-stream")
    ? HttpServerResponse.stream(bytes, { status, contentType, headers: { ...told, "x-accel-buffering": "no" } })
    : HttpServerResponse.text(yield* Stream.mkString(Stream.decodeText(bytes)), { status, contentType, headers: told })
})

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  // Without the scope of the routes: what a request acquires ends with the request.
  const services = Context.omit(Scope.Scope)(
    yield* Effect.context<Access | ClientGateway | ClientProfiles | ClientTokens | Connectors>()
  )
  const answered = (profile: string | null) => Effect.provideContext(answer(profile), services)
  for (const method of ["GET", "POST", "DELETE"] as const) {
    yield* router.add(method, "/mcp", answered(null))
    yield* router.add(
      method,
      "/mcp/:profile",
      Effect.flatMap(HttpRouter.params, ({ profile }) => answered(profile ?? null))
    )
  }
}))
