/** Scripted servers that ask something while they are called, and hosts that answer. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  type Asker,
  type Elicitation,
  type ElicitationAnswer,
  McpRegistry,
  nobody,
  SamplingRefused,
  type SamplingRequest,
  ServerRequests
} from "../../src/index.ts"
import * as ScriptedHost from "./ScriptedHost.ts"

type Json = Schema.JsonObject

/** What a server asks when one of its tools is called, by the name of the tool. */
export type Questions = Readonly<Record<string, Json>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The object under a key. */
export const at = (value: unknown, ...keys: ReadonlyArray<string>): Json => {
  const found = keys.reduce<unknown>((inner, key) => isObject(inner) ? inner[key] : undefined, value)
  return isObject(found) ? found : {}
}

/**
 * A server of revision 2025-11-25 that asks before it answers a call, and answers with what it was told. The question of
 * a call has the id `ask-N`, where N is that of the call.
 */
export const script = (questions: Questions): ScriptedHost.Script => ({
  tools: Object.keys(questions).map((name) => ScriptedHost.tool(name)),
  answer: (message, server) => {
    const { id, method, params } = message
    if (method === "tools/call") {
      const question = questions[String(at(message, "params")["name"])]
      if (question === undefined || params === undefined) return undefined
      server.say({ jsonrpc: "2.0", id: `ask-${id}`, ...question })
      return null
    }
    const [, call] = /^ask-(\d+)$/.exec(String(id)) ?? []
    if (method !== undefined || call === undefined) return undefined
    return {
      jsonrpc: "2.0",
      id: Number(call),
      result: { content: [{ type: "text", text: JSON.stringify(told(message)) }] }
    }
  }
})

/** What a server was told, without the frame. */
export const told = ({ error, result }: Json): Schema.Json => result ?? { error: at(error)["code"] ?? null }

/** What a call answers that was answered so. */
export const answerOf = (result: { readonly content: ReadonlyArray<Json> }): unknown =>
  JSON.parse(String(result.content[0]?.["text"]))

export const form = (fields: Json, more: Json = {}): Json => ({
  method: "elicitation/create",
  params: { message: "who are you?", requestedSchema: { type: "object", properties: fields, ...more } }
})

export const NAME = { name: { type: "string", title: "Name" } }

export const url = (address: string, elicitationId = "e1"): Json => ({
  method: "elicitation/create",
  params: { mode: "url", message: "sign in", url: address, elicitationId }
})

export const sampling = (more: Json = {}): Json => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10, ...more }
})

export const ROOTS: Json = { method: "roots/list" }

/** An asker, and what it was asked. */
export interface Answering {
  readonly asker: Asker
  readonly asked: Array<Elicitation | SamplingRequest>
  /** How many of its questions were ended by others. */
  readonly interrupted: () => number
}

/** Answers each question so; null is a person who says nothing. */
export const answering = (answer: ElicitationAnswer | null, text: string | null = null): Answering => {
  const asked: Array<Elicitation | SamplingRequest> = []
  let interrupted = 0
  const silence = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
  return {
    asked,
    interrupted: () => interrupted,
    asker: {
      elicit: (request) => {
        asked.push(request)
        return answer === null ? silence : Effect.succeed(answer)
      },
      sample: (request) => {
        asked.push(request)
        return text === null
          ? Effect.fail(new SamplingRefused({ message: "a person said no", isRejected: true }))
          : Effect.succeed({ model: "m1", text, stopReason: "endTurn" })
      }
    }
  }
}

/** An asker that answers when it is told to. */
export const patient = () => {
  const answer = Deferred.makeUnsafe<ElicitationAnswer>()
  const asker: Asker = { ...nobody, elicit: () => Deferred.await(answer) }
  return { asker, say: (said: ElicitationAnswer) => Deferred.doneUnsafe(answer, Effect.succeed(said)) }
}

export type Service = Parameters<typeof ServerRequests.of>[0]

/** A host that can do everything; what is not given answers nobody. */
export const hosting = (more: Partial<Service> = {}): Service => ({
  elicitation: ["form", "url"],
  sampling: true,
  asker: nobody,
  roots: { current: Effect.succeed([]), changes: Stream.empty },
  ...more
})

/** Runs with a registry of these entries in such a host. */
export const withEntries = <A, E>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  entries: Readonly<Record<string, unknown>>,
  requests: Service,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    const layer = Layer.provide(host.layer(entries), Layer.succeed(ServerRequests, requests))
    return yield* Effect.provide(
      McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry, host))),
      layer
    )
  })

/** Runs with one server called `it`, of the old era unless its entry says something else. */
export const withServer = <A, E>(
  questions: Questions,
  requests: Service,
  body: (registry: McpRegistry["Service"], server: ScriptedHost.Running) => Effect.Effect<A, E>,
  entry: Readonly<Record<string, unknown>> = {}
) =>
  withEntries(
    { server: script(questions) },
    { it: { command: "server", protocol: "legacy", ...entry } },
    requests,
    (registry, host) => {
      const [server] = host.running
      return server === undefined ? Effect.die("there is no server") : body(registry, server)
    }
  )

/** What a server got with this method, or as the answer with this id. */
export const received = (server: ScriptedHost.Running, methodOrId: string): ReadonlyArray<Json> =>
  server.received.filter(({ id, method }) => method === methodOrId || (method === undefined && id === methodOrId))
