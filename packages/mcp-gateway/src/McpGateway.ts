/** A registry of MCP servers as one MCP server, for every client a person has. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import { type McpRegistry, nobody, ServerRequests } from "@boocode/mcp-registry"
import type { Sandbox } from "@boocode/toolkit/code"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Gate } from "./model/Gate.ts"
import type { Caller, ClientStatus, Substitute } from "./model/GatewayClient.ts"
import { headOf, type PlainAnswer, type PlainRequest, refused, toResponse } from "./model/PlainHttp.ts"
import { type Profile, standard } from "./model/Profile.ts"
import * as Sdk from "./model/Sdk.ts"
import * as Instructions from "./offer/Instructions.ts"
import * as KeptLists from "./offer/KeptLists.ts"
import * as ClientNews from "./serve/ClientNews.ts"
import * as ClientRoster from "./serve/ClientRoster.ts"
import * as LegacyHttp from "./serve/LegacyHttp.ts"
import * as ModernHttp from "./serve/ModernHttp.ts"
import * as OfferingAnswers from "./serve/OfferingAnswers.ts"
import type { Run } from "./serve/ProtocolServer.ts"
import * as ResourceSubscriptions from "./serve/ResourceSubscriptions.ts"
import * as StdioServing from "./serve/StdioServing.ts"
import * as ToolAnswers from "./serve/ToolAnswers.ts"

/**
 * How a gateway is set up.
 *
 * @category options
 */
export interface GatewayOptions {
  /** For callers that bring none. Default `Profile.standard`. */
  readonly profile?: Profile | undefined
  /** Its name for clients. Default `boocode`. */
  readonly name?: string | undefined
  /** Decides about calls. Without it a call that needs a yes is made when the client's own person gives it. */
  readonly gate?: Gate | undefined
  /** Answers what servers ask about calls of clients that cannot be asked. Without it the question is declined. */
  readonly substitute?: Substitute | undefined
  /** The lists that clients were given last, for those that list once. Without it they are kept as long as the gateway. */
  readonly lists?: KeptLists.KeptLists | undefined
  /** Runs programs, for profiles with `"exposure": "code"`. Without it they are given the search. */
  readonly sandbox?: Sandbox["Service"] | undefined
  /** A client that sends nothing for so long, and has no call and no stream open, ends. Default 30 minutes. */
  readonly idleLimit?: Duration.Duration | undefined
}

/**
 * One MCP server in front of a registry.
 *
 * @category models
 */
export interface Gateway {
  /**
   * Answers one request of Streamable HTTP: POST, GET or DELETE, of any revision of the protocol. The caller of this
   * function has looked at `Host`, `Origin` and the token already. The answer may be a stream; the abortion of the
   * request ends it, and since revision 2026-07-28 the call as well. Never fails.
   */
  readonly handle: (request: Request, caller: Caller) => Effect.Effect<Response>
  /**
   * Does what `handle` does, for a program whose server has no `Request` at hand: to make one takes longer than a call. The body
   * is within the limits of the program.
   */
  readonly answer: (request: PlainRequest, caller: Caller) => Effect.Effect<PlainAnswer>
  /** Serves the one client on the other side of standard input and output, until the input ends. */
  readonly serveStdio: (caller?: Partial<Caller>) => Effect.Effect<void>
  /** The connected clients, in the order they came. Answers at once. */
  readonly clients: Effect.Effect<ReadonlyArray<ClientStatus>>
  /** Emits who is connected now, and at each change, twice a second at most. */
  readonly changes: Stream.Stream<ReadonlyArray<ClientStatus>>
  /** Ends a client and its calls; false where there is none of this id. It may connect again. */
  readonly end: (id: string) => Effect.Effect<boolean>
}

/**
 * Lets servers ask what clients of a gateway can answer: forms, addresses, words of a model. For the layer of a registry that has no host
 * of its own.
 *
 * @category layers
 */
export const questions: Layer.Layer<never> = Layer.succeed(ServerRequests, {
  elicitation: ["form", "url"],
  sampling: true,
  asker: nobody,
  roots: { current: Effect.succeed([]), changes: Stream.empty }
})

/**
 * Makes a gateway in front of the registry. Its clients end with the scope, and their calls with them.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: GatewayOptions = {}
): Effect.fn.Return<Gateway, never, McpRegistry | Scope.Scope> {
  const { idleLimit = IDLE_LIMIT, name = "boocode", profile = standard, substitute = () => null } = options
  const sdk = yield* Sdk.load
  const run: Run = yield* FiberSet.makeRuntimePromise<never>()
  const roster = yield* ClientRoster.make({
    substitute,
    idleLimit
  })
  const context = yield* Effect.context<McpRegistry>()
  const tools = yield* ToolAnswers.make(
    roster,
    options.gate ?? {},
    options.lists ?? KeptLists.inMemory(),
    options.sandbox ?? null
  )
  const offerings = yield* OfferingAnswers.make(tools.settled)
  const answers = { ...tools, ...offerings }
  const watch = yield* ResourceSubscriptions.make(offerings)
  const instructions = (of: Profile) => Effect.provideContext(Instructions.of(of), context)
  /** A change that a client is told of is a difference from the state when it came. */
  const enter: typeof roster.enter = (introduction) =>
    Effect.tap(roster.enter(introduction), (client) =>
      Effect.map(tools.offer(client), (offer) => {
        client.known = offer
      }))
  const served = { sdk, run, name, answers, roster: { ...roster, enter }, profile, watch, instructions }
  yield* ClientNews.run(roster, tools)
  const clients = Effect.suspend(() =>
    Effect.forEach(
      roster.all(),
      (served) => Effect.map(answers.offer(served), ({ exposure }) => served.status(exposure))
    )
  )
  const legacy = LegacyHttp.make(served)
  yield* Effect.forkScoped(legacy.keptAlive)
  const modern = ModernHttp.make(served)
  const handled = (request: PlainRequest, caller: Caller) => {
    const body = request.body === null ? undefined : JsonRpc.decode(request.body)
    if (body === undefined && request.method === "POST") {
      return Effect.succeed(refused(400, -32700, "Parse error: the body is no JSON"))
    }
    return legacy.inSession(request, body, caller) ?? otherwise(request, body, caller)
  }
  const otherwise = Effect.fnUntraced(function*(request: PlainRequest, body: unknown, caller: Caller) {
    const head = headOf(request)
    const isLegacy = yield* Effect.promise(() => sdk.isLegacyRequest(head, body))
    return yield* isLegacy ? legacy.answer(request, body, caller) : modern(head, body, caller)
  })
  const answer: Gateway["answer"] = (request, caller) =>
    Effect.catchCause(Effect.suspend(() => handled(request, caller)), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(
          Effect.logError("a request of a client failed unexpectedly", cause),
          refused(500, -32603, "an unexpected error in the gateway; its log has the details")
        ))
  const handle = Effect.fnUntraced(function*(request: Request, caller: Caller) {
    const body = request.method === "POST" ? yield* bodyOf(sdk, request) : null
    if (body !== null && typeof body !== "string") return toResponse(body)
    const { headers, method, signal, url } = request
    return toResponse(
      yield* answer({ method, url, headers: Object.fromEntries(headers), body, signal: () => signal }, caller)
    )
  })
  return {
    handle,
    answer,
    serveStdio: (caller) => StdioServing.make(served)({ id: "stdio", ...caller }),
    clients,
    changes: Stream.mapEffect(roster.changes, () => clients),
    end: roster.end
  }
})

const IDLE_LIMIT = Duration.minutes(30)

/** The body of a request; arguments of calls are not larger. */
const MOST_BODY = 16 * 1024 * 1024

/** The text of a request, or what is answered where it cannot be read. */
const bodyOf = Effect.fnUntraced(function*({ readRequestBody }: Sdk.Sdk, request: Request) {
  const read = yield* Effect.option(Effect.tryPromise(() => readRequestBody(request, MOST_BODY)))
  if (Option.isNone(read)) return refused(400, -32700, "the request could not be read")
  return read.value.tooLarge ? refused(413, -32000, `a request has at most ${MOST_BODY} bytes`) : read.value.text
})
