/** Sessions of clients before revision 2026-07-28. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { abilitiesOf } from "../calls/ClientChannel.ts"
import type { Caller } from "../model/GatewayClient.ts"
import { answerOf, headOf, type PlainAnswer, type PlainRequest, refused } from "../model/PlainHttp.ts"
import type { Profile } from "../model/Profile.ts"
import type { Server, ServerEvent, WebStandardStreamableHTTPServerTransport } from "../model/Sdk.ts"
import type { ClientRoster } from "./ClientRoster.ts"
import * as ProtocolServer from "./ProtocolServer.ts"
import * as ReadBody from "./ReadBody.ts"
import type { ServedClient } from "./ServedClient.ts"
import * as SessionCalls from "./SessionCalls.ts"
import * as SessionTransport from "./SessionTransport.ts"

export interface Options extends ProtocolServer.Options {
  readonly roster: ClientRoster
  readonly profile: Profile
  readonly instructions: (profile: Profile) => Effect.Effect<string>
}

interface Session {
  readonly served: ServedClient
  /** The transport of the SDK. */
  readonly http: WebStandardStreamableHTTPServerTransport
  readonly transport: SessionTransport.SessionTransport
}

/** How often requests that wait for long are kept alive. */
const PACE = "5 seconds"

export interface LegacyHttp {
  /** The answer to a request of a session; null for one that needs a closer look. */
  readonly inSession: (request: PlainRequest, body: unknown, caller: Caller) => Effect.Effect<PlainAnswer> | null
  /** The answer to any other request. */
  readonly answer: (request: PlainRequest, body: unknown, caller: Caller) => Effect.Effect<PlainAnswer>
  /** Keeps requests that wait for long alive, as long as it runs. */
  readonly keptAlive: Effect.Effect<unknown>
}

/** Answers requests of sessions, and begins a session with each `initialize`. */
export const make = (options: Options): LegacyHttp => {
  const { instructions, profile, roster, run, sdk } = options
  const sessions = new Map<string, Session>()

  const begin = Effect.fnUntraced(function*(params: Schema.JsonObject, caller: Caller) {
    const served = yield* roster.enter({
      caller,
      profile: caller.profile ?? profile,
      program: programOf(params["clientInfo"]),
      era: "legacy",
      can: abilitiesOf(params["capabilities"])
    })
    const { id } = served.client
    const leave = () => void run(roster.end(id))
    const http = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: leave
    })
    const server = ProtocolServer.make(served, yield* instructions(served.client.profile), options)
    const calls = yield* Scope.provide(SessionCalls.make(served, server, options), served.scope)
    const transport = SessionTransport.make(sdk, http, calls, run)
    listen(served, server)
    sessions.set(id, { served, http, transport })
    yield* Scope.addFinalizer(
      served.scope,
      Effect.suspend(() => {
        sessions.delete(id)
        return Effect.ignore(Effect.tryPromise(() => server.close()))
      })
    )
    yield* Effect.promise(() => server.connect(transport))
    return { served, http, transport }
  })
  const answer = Effect.fnUntraced(function*(request: PlainRequest, parsedBody: unknown, caller: Caller) {
    const id = request.headers["mcp-session-id"]
    const session = id === undefined
      ? yield* beginning(parsedBody, (params) => begin(params, caller))
      : sessions.get(id)
    // Nobody is told that a session of another caller is there.
    if (session === undefined || session.served.client.caller.id !== caller.id) {
      return id === undefined
        ? refused(400, -32000, "Bad Request: no session; send initialize first")
        : refused(404, -32001, "Session not found")
    }
    const { http, served } = session
    roster.seen(served)
    const given = yield* answerOf(() =>
      http.handleRequest(headOf(request), parsedBody === undefined ? {} : { parsedBody })
    )
    if (http.sessionId === undefined) yield* roster.end(served.client.id)
    return request.method === "GET" ? listening(given, served) : given
  })
  const keepAlive = Effect.sync(() => {
    for (const { transport } of sessions.values()) transport.keepAlive()
  })
  return {
    answer,
    keptAlive: Effect.repeat(keepAlive, Schedule.spaced(PACE)),
    inSession: (request, body, caller) => {
      const session = sessions.get(request.headers["mcp-session-id"] ?? "")
      if (session === undefined || session.served.client.caller.id !== caller.id) return null
      roster.seen(session.served)
      return session.transport.answer(request, body)
    }
  }
}

const beginning = <A>(
  body: unknown,
  begin: (params: Schema.JsonObject) => Effect.Effect<A>
): Effect.Effect<A | undefined> =>
  JsonRpc.isObject(body) && body["method"] === "initialize" && JsonRpc.isObject(body["params"])
    ? begin(body["params"])
    : Effect.succeed(undefined)

/** Tells a client what changes by its server, as long as the client is there. */
export const listen = (served: ServedClient, server: Server): void => {
  served.listeners.add((event) => void told(server, event).catch(() => {}))
  served.log = (params) =>
    Effect.ignore(
      Effect.tryPromise(() => server.notification({ method: "notifications/message", params: { ...params } }))
    )
}

/** Sends what changed on the stream that the client listens on. */
const told = (server: Server, event: ServerEvent): Promise<void> => {
  switch (event.kind) {
    case "tools_list_changed":
      return server.sendToolListChanged()
    case "prompts_list_changed":
      return server.sendPromptListChanged()
    case "resources_list_changed":
      return server.sendResourceListChanged()
    case "resource_updated":
      return server.sendResourceUpdated({ uri: event.uri })
  }
}

/** The name and the version that a client gives. */
export const programOf = (clientInfo: unknown): { readonly name: string; readonly version: string } => {
  const { name, version } = JsonRpc.isObject(clientInfo) ? clientInfo : {}
  return {
    name: typeof name === "string" ? name.slice(0, MOST_NAME) : "unknown",
    version: typeof version === "string" ? version.slice(0, MOST_NAME) : ""
  }
}

const MOST_NAME = 200

/** Counts a stream for as long as somebody reads it. */
const listening = (answer: PlainAnswer, served: ServedClient): PlainAnswer => {
  const { body, status } = answer
  if (!(body instanceof ReadableStream) || status >= 300) return answer
  served.streams++
  return { ...answer, body: ReadBody.make(body, () => served.streams--, LISTENING) }
}

/** Servers over HTTP send the head of an answer with its first bytes, and clients wait for the head. */
const LISTENING = new TextEncoder().encode(": listening\n\n")
