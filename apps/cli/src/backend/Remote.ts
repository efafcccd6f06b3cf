/** A running server as its API shows it: every wait has a limit, and every failure has a message. */
import type { ChatApi } from "@boocode/chat-server/ChatApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { Failed, Where } from "../terminal/Failure.ts"

export class Remote extends Context.Service<Remote, {
  readonly url: string
  readonly api: HttpApiClient.ForApi<typeof ChatApi, Problem | Foreign>
  /** For what a server answers at once. Fails after 15 s. */
  readonly quick: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | Problem, R>
  /** For what may take long. Fails when the server itself is silent, which takes 40 s at most to notice. */
  readonly lasting: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | Problem, R>
  /** Like `lasting`, for a stream. */
  readonly alive: <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.Stream<A, Failed | Problem, R>
}>()("cli/Remote") {}

/** The document that a server sends instead of an answer. */
export const ProblemDocument = Schema.Struct({
  _tag: Schema.String,
  detail: Schema.String,
  hint: Schema.String,
  nearest: Schema.optionalKey(Schema.Array(Schema.String)),
  limit: Schema.optionalKey(Schema.NullOr(Schema.String)),
  where: Schema.optionalKey(Where)
})

export class Problem extends Schema.TaggedError<Problem>()("Problem", {
  tag: Schema.String,
  message: Schema.String,
  hint: Schema.String,
  nearest: Schema.Array(Schema.String),
  /** Which limit of a server's entry a call exceeded. */
  limit: Schema.NullOr(Schema.String),
  where: Schema.NullOr(Where)
}) {}

export const fromDocument = ({ _tag, detail, hint, limit, nearest, where }: typeof ProblemDocument.Type): Problem =>
  new Problem({ tag: _tag, message: detail, hint, nearest: nearest ?? [], limit: limit ?? null, where: where ?? null })

/** Something answers there, but not as this command expects. */
export class Foreign extends Schema.TaggedError<Foreign>()("Foreign", { what: Schema.String }) {}

/** A problem as a person or a script is told it, when this command knows nothing more about it. */
export const plainly = (error: Failed | Problem): Failed =>
  error instanceof Failed
    ? error
    : new Failed({ tag: error.tag, message: error.message, hint: error.hint, where: error.where })

/** The server may have received the request, and never answered it. */
const LOST = "ServerLost"

export const isLost = (error: Failed): boolean => error.tag === LOST

export const serverLost = (message: string, hint: string): Failed => new Failed({ tag: LOST, message, hint })

export const STILL_RUNS = "see whether it still runs; its own output says why it ended"

/** The stream of something that had not ended yet ended. */
export const cutOff = (url: string): Failed =>
  serverLost(`the server at ${url} ended the stream, before what it told of was done`, STILL_RUNS)

/** Names the existing agents after a request for an unknown one. Another failure stays as it is. */
export const agentHint = (agent: string | null) =>
  Effect.fnUntraced(function*(error: Failed | Problem) {
    const told = plainly(error)
    if (error._tag === "Failed" || error.tag !== "UnknownAgent" || error.nearest.length > 0) return yield* told
    const { api, quick } = yield* Remote
    const { agents, problems } = yield* Effect.mapError(quick(api.agents.agents()), plainly)
    return yield* problems.some(({ name }) => name === agent) ? told : ErrorHints.noAgent(told, agents)
  })
