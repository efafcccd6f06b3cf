/** `/v1/models` and `/v1/chat/completions`: agents as the models of any client that speaks OpenAI's wire. */
import { Agents, type BegunChat, Chats, CurrentUser, ToolApprovals } from "@boocode/chat"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Access } from "../access/Access.ts"
import * as Problems from "../api/Problems.ts"
import { ClientProfiles } from "../clients/ClientProfiles.ts"
import { ClientTokens } from "../clients/ClientTokens.ts"
import * as AccessGuard from "../http/AccessGuard.ts"
import * as EventStream from "../http/EventStream.ts"
import * as CompletionCaller from "./CompletionCaller.ts"
import * as CompletionDocuments from "./CompletionDocuments.ts"
import * as CompletionError from "./CompletionError.ts"
import * as CompletionProgress from "./CompletionProgress.ts"
import * as CompletionRequest from "./CompletionRequest.ts"
import * as CompletionTurn from "./CompletionTurn.ts"

type Answer = HttpServerResponse.HttpServerResponse

/** Answers requests that a token lets in, and no others; nothing of the body is read before. */
const letIn = <E, R>(answer: (write: BegunChat["write"]) => Effect.Effect<Answer, E, R>) =>
  HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap(CompletionCaller.make),
    Effect.matchEffect({
      onSuccess: ({ user, write }) => Effect.provideService(answer(write), CurrentUser, user),
      onFailure: (error) =>
        Effect.succeed(
          error._tag === "NotLetIn" ? AccessGuard.response(error.refusal) : Problems.response(403, error)
        )
    })
  )

const models = Effect.map(
  Effect.flatMap(Agents, ({ list }) => list),
  ({ agents }) => HttpServerResponse.jsonUnsafe({ object: "list", data: agents.map(({ name }) => modelOf(name)) })
)

const model = Effect.fnUntraced(function*(id: string) {
  const { name } = yield* Effect.mapError((yield* Agents).agent(id), CompletionError.fromChats)
  return HttpServerResponse.jsonUnsafe(modelOf(name))
})

const modelOf = (id: string) => ({ id, object: "model", created: 0, owned_by: "boocode" })

const complete = Effect.fnUntraced(function*(write: BegunChat["write"]) {
  const { text } = yield* HttpServerRequest.HttpServerRequest
  const request = yield* Effect.flatMap(Effect.mapError(text, unread), CompletionRequest.read)
  return yield* request.isStreamed ? streamed(request, write) : Effect.scoped(whole(request, write))
})

const begin = Effect.fnUntraced(function*(request: CompletionRequest.CompletionRequest, write: BegunChat["write"]) {
  const { chat, parts } = yield* CompletionTurn.begin(request, write)
  const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return { head: { id: `chatcmpl-${chat}`, created, model: request.model }, parts }
})

/** The turn goes on while the answer does: the scope of a request closes when its client has all of it, or has gone. */
const streamed = Effect.fnUntraced(function*(request: CompletionRequest.CompletionRequest, write: BegunChat["write"]) {
  const { head, parts } = yield* begin(request, write)
  return yield* EventStream.response(CompletionDocuments.chunks(head, parts, request.tellsUsage), {
    text: (one) => typeof one === "string" ? one : JSON.stringify(one)
  })
})

const whole = Effect.fnUntraced(function*(request: CompletionRequest.CompletionRequest, write: BegunChat["write"]) {
  const { head, parts } = yield* begin(request, write)
  const progress = yield* Stream.runFold(
    parts,
    () => CompletionProgress.NOTHING,
    (progress, part) => CompletionProgress.next(progress, part)[0]
  )
  if (progress.end === null) return yield* Effect.fail(progress.failure ?? CompletionError.REMOVED)
  return HttpServerResponse.jsonUnsafe(CompletionDocuments.completion(head, progress))
})

const unread = ({ reason }: HttpServerError.HttpServerError): CompletionError.CompletionError =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
    ? CompletionError.TOO_LARGE
    : CompletionError.invalid(null, "the body could not be read: send it again")

type Needs = Agents | Chats | Access | ClientProfiles | ClientTokens

const answered = <R>(
  effect: Effect.Effect<HttpServerResponse.HttpServerResponse, CompletionError.CompletionError, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  effect.pipe(
    Effect.catch((error) => Effect.succeed(CompletionError.response(error))),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("a request of another application could not be answered", defect),
        CompletionError.response(CompletionError.UNKNOWN)
      )
    )
  )

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  // Without the scope of the routes: what a request acquires ends with the request.
  const services = Context.pick(Agents, Chats, ToolApprovals, Access, ClientProfiles, ClientTokens)(
    yield* Effect.context<Needs>()
  )
  const route = <R>(
    effect: Effect.Effect<HttpServerResponse.HttpServerResponse, CompletionError.CompletionError, Needs | R>
  ) => Effect.provideContext(answered(effect), services)
  yield* router.add("GET", "/v1/models", route(letIn(() => models)))
  yield* router.add(
    "GET",
    "/v1/models/:model",
    route(Effect.flatMap(HttpRouter.params, ({ model: id = "" }) => letIn(() => model(id))))
  )
  yield* router.add(
    "POST",
    "/v1/chat/completions",
    route<HttpServerRequest.HttpServerRequest | Scope.Scope>(letIn(complete))
  )
}))
