/** Sessions of clients before revision 2026-07-28. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { abilitiesOf } from "../calls/ClientChannel.ts"
import type { Caller } from "../model/GatewayClient.ts"
import type { Profile } from "../model/Profile.ts"
import type { Server, ServerEvent, WebStandardStreamableHTTPServerTransport } from "../model/Sdk.ts"
import type { ClientRoster } from "./ClientRoster.ts"
import * as ProtocolServer from "./ProtocolServer.ts"
import * as ReadBody from "./ReadBody.ts"
import type { ServedClient } from "./ServedClient.ts"

export interface Options extends ProtocolServer.Options {
  readonly roster: ClientRoster
  readonly profile: Profile
  readonly instructions: (profile: Profile) => Effect.Effect<string>
}

interface Session {
  readonly served: ServedClient
  readonly transport: WebStandardStreamableHTTPServerTransport
}

/** Answers requests of sessions, and begins a session with each `initialize`. */
export const make = (options: Options) => {
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
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: leave
    })
    const server = ProtocolServer.make(served, yield* instructions(served.client.profile), options)
    listen(served, server)
    sessions.set(id, { served, transport })
    yield* Scope.addFinalizer(
      served.scope,
      Effect.suspend(() => {
        sessions.delete(id)
        return Effect.ignore(Effect.tryPromise(() => server.close()))
      })
    )
    yield* Effect.promise(() => server.connect(transport))
    return { served, transport }
  })
  return Effect.fnUntraced(function*(request: Request, parsedBody: unknown, caller: Caller) {
    const id = request.headers.get("mcp-session-id")
    const session = id === null ? yield* beginning(parsedBody, (params) => begin(params, caller)) : sessions.get(id)
    // Nobody is told that a session of another caller is there.
    if (session === undefined || session.served.client.caller.id !== caller.id) {
      return id === null
        ? refused(400, -32000, "Bad Request: no session; send initialize first")
        : refused(404, -32001, "Session not found")
    }
    yield* roster.seen(session.served)
    const response = yield* Effect.promise(() =>
      session.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody })
    )
    if (session.transport.sessionId === undefined) yield* roster.end(session.served.client.id)
    return request.method === "GET" ? listening(response, session.served) : response
  })
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

const refused = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

/** Counts a stream for as long as somebody reads it. */
const listening = (response: Response, served: ServedClient): Response => {
  const { body } = response
  if (body === null || !response.ok) return response
  served.streams++
  return new Response(ReadBody.make(body, () => served.streams--), response)
}
