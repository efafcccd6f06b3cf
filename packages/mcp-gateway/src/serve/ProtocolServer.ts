/** The SDK's server for one client, which answers as the gateway says. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import { VERSION } from "@boocode/mcp-client/Version"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { abilitiesOf, type AskMethod, type ClientChannel, Unanswered } from "../calls/ClientChannel.ts"
import {
  type HandlerResultTypeMap,
  INTERNAL,
  type Refusal,
  refusal,
  type Sdk,
  type Server,
  type ServerContext,
  toError,
  typed
} from "../model/Sdk.ts"
import type { Answer, Asked } from "./ClientRequest.ts"
import { type OfferingAnswers, uriIn } from "./OfferingAnswers.ts"
import type { Watch } from "./ResourceSubscriptions.ts"
import type { ServedClient } from "./ServedClient.ts"
import type { ToolAnswers } from "./ToolAnswers.ts"

/** Runs an effect for the SDK, which knows promises; it ends with the gateway, and when the signal says so. */
export type Run = <A, E>(effect: Effect.Effect<A, E>, options?: { readonly signal: AbortSignal }) => Promise<A>

export interface Options {
  readonly sdk: Sdk
  readonly run: Run
  readonly name: string
  readonly answers: ToolAnswers & OfferingAnswers
  readonly watch: Watch
}

/** How long a client may take to answer a question; the limit of the server's question is the same. */
const ASK_MILLIS = 3_600_000

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {}
}

type Method =
  | "tools/list"
  | "tools/call"
  | "prompts/list"
  | "prompts/get"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read"
  | "resources/subscribe"
  | "resources/unsubscribe"
  | "completion/complete"
  | "logging/setLevel"

/** A server for a client, not connected yet. The things it holds for the client end with the client. */
export const make = (
  served: ServedClient,
  instructions: string,
  { answers, name, run, sdk, watch }: Options
): Server => {
  const server = new sdk.Server({ name, version: VERSION }, {
    capabilities: CAPABILITIES,
    ...(instructions === "" ? {} : { instructions }),
    jsonSchemaValidator: NO_VALIDATOR
  })
  const told = (answer: Answer) =>
    Effect.catchCause(
      answer,
      (cause) => Effect.flatMap(refusalOf(cause), (refusal) => Effect.fail(toError(sdk, refusal)))
    )
  const on = <M extends Method>(
    method: M,
    answer: (params: Schema.JsonObject, ctx: ServerContext) => Answer
  ) =>
    server.setRequestHandler(
      method,
      (request, ctx) =>
        run(Effect.flatMap(told(answer(paramsOf(request), ctx)), typed<HandlerResultTypeMap[M]>), {
          signal: ctx.mcpReq.signal
        })
    )
  /** Answers a request about which servers may ask something. */
  const asking =
    (answer: (served: ServedClient, asked: Asked) => Answer) => (params: Schema.JsonObject, ctx: ServerContext) => {
      const answering = (channel: ClientChannel) => during(served, channel, answer(served, { params, channel }))
      return served.client.era === "modern"
        ? served.held.round(roundOf(ctx), answering)
        : answering(channelOf(served, ctx.mcpReq))
    }

  on("tools/list", () => answers.listTools(served))
  on("tools/call", asking(answers.callTool))
  on("prompts/list", () => answers.listPrompts(served))
  on("prompts/get", asking(answers.getPrompt))
  on("resources/list", () => answers.listResources(served))
  on("resources/templates/list", () => answers.listTemplates(served))
  on("resources/read", asking(answers.readResource))
  on("completion/complete", (params) => answers.complete(served, params))
  if (served.client.era === "modern") return server

  const watches = new Map<string, Scope.Closeable>()
  const unwatched = (uri: string) =>
    Effect.suspend(() => {
      const scope = watches.get(uri)
      watches.delete(uri)
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    })
  on("resources/subscribe", (params) =>
    Effect.gen(function*() {
      const uri = uriIn(params)
      yield* unwatched(uri)
      if (watches.size >= MOST_WATCHES) {
        return yield* Effect.fail(refusal(INTERNAL, `a client watches ${MOST_WATCHES} resources at most`))
      }
      const scope = yield* Scope.fork(served.scope)
      watches.set(uri, scope)
      const begun = watch(served.client.profile, uri, (changed) =>
        served.tell({ kind: "resource_updated", uri: changed }))
      yield* Effect.onError(Scope.provide(begun, scope), () =>
        unwatched(uri))
      return {}
    }))
  on("resources/unsubscribe", (params) => Effect.as(unwatched(uriIn(params)), {}))
  on("logging/setLevel", ({ level }) =>
    Effect.sync(() => {
      served.logLevel = typeof level === "string" ? level : null
      return {}
    }))
  return server
}

const MOST_WATCHES = 1000

/** Servers may ask the client by the channel while the request runs. */
export const during = <A, E>(served: ServedClient, channel: ClientChannel, answer: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    served.channels.push(channel)
    return Effect.onExitPrimitive(answer, () => {
      served.channels.splice(served.channels.indexOf(channel), 1)
      return undefined
    })
  })

/** Answers to forms are checked where the server's question is answered, so the SDK's validator is never asked. */
const NO_VALIDATOR = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "it is not checked here" } as const)
}

const paramsOf = ({ params }: { readonly params?: unknown }): Schema.JsonObject =>
  JsonRpc.isObject(params) ? params : {}

/** Nothing of a mistake of ours goes to the client. */
export const refusalOf = (cause: Cause.Cause<Refusal>): Effect.Effect<Refusal> => {
  const found = Cause.findError(cause)
  if (Result.isSuccess(found)) return Effect.succeed(found.success)
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed(refusal(INTERNAL, "the request was cancelled"))
  return Effect.as(
    Effect.logError("a request of a client failed unexpectedly", cause),
    refusal(INTERNAL, "an unexpected error in the gateway; its log has the details")
  )
}

/** The way of the SDK to the client of a request. */
export type WayBack = Pick<ServerContext["mcpReq"], "notify"> & {
  readonly send: (
    request: { readonly method: AskMethod; readonly params: Record<string, unknown> },
    options: { readonly signal: AbortSignal; readonly timeout: number }
  ) => Promise<unknown>
}

const notifier = ({ notify }: Pick<WayBack, "notify">): ClientChannel["notify"] => (method, params) =>
  Effect.ignore(Effect.tryPromise(() => notify({ method, params: { ...params } })))

/** Before revision 2026-07-28 questions are requests on the stream of the call. */
export const channelOf = (served: ServedClient, way: WayBack): ClientChannel => ({
  can: served.client.can,
  // A client that does not say is sent all, as the revision has it.
  logLevel: served.logLevel ?? "debug",
  hasVisitIds: true,
  notify: notifier(way),
  ask: (method, params) =>
    Effect.flatMap(
      Effect.tryPromise({
        try: (signal) => way.send({ method, params: { ...params } }, { signal, timeout: ASK_MILLIS }),
        catch: (error) =>
          new Unanswered({ message: error instanceof Error ? error.message : "the client did not answer" })
      }),
      typed<Schema.JsonObject>
    )
})

const roundOf = (ctx: ServerContext) => {
  const state = ctx.mcpReq.requestState<unknown>()
  return {
    state: typeof state === "string" ? state : undefined,
    responses: ctx.mcpReq.inputResponses ?? {},
    can: abilitiesOf(envelopeOf(ctx).get(CAPABILITIES_KEY)),
    logLevel: levelIn(envelopeOf(ctx)),
    notify: notifier(ctx.mcpReq)
  }
}

/** Since revision 2026-07-28 each request says what its client can do and wants. */
const envelopeOf = ({ mcpReq: { envelope } }: ServerContext): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(envelope ?? {}))

const levelIn = (envelope: ReadonlyMap<string, unknown>): string | null => {
  const level = envelope.get("io.modelcontextprotocol/logLevel")
  return typeof level === "string" ? level : null
}

export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
