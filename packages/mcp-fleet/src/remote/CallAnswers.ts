/** Answers what a server asks during a request, where the one who made it is. */
import type { Asker, Elicitation, SamplingRequest } from "@boocode/mcp-client"
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Asks, CallEvent } from "../protocol/ServerEntity.ts"

const keys = new WeakMap<Asker, number>()
let lastKey = 0

/** The facts about an asker that the owner needs. Calls that share one are told by its number. */
export const asksOf = (asker: Asker | null): Asks => {
  if (asker === null) return null
  const { shared } = asker
  if (shared !== undefined && !keys.has(shared)) keys.set(shared, lastKey += 1)
  return {
    roots: asker.roots !== undefined,
    audience: asker.audience ?? null,
    shared: shared === undefined ? null : keys.get(shared) ?? null
  }
}

/** The answer to a question, as the owner reads it. */
export const answer = (
  asker: Asker,
  { isShared, kind, request }: Extract<CallEvent, { _tag: "Asked" }>
): Effect.Effect<Schema.JsonObject> => {
  const answering = isShared ? asker.shared ?? asker : asker
  switch (kind) {
    case "elicit":
      return isElicitation(request) ? Effect.map(answering.elicit(request), (answer) => ({ ...answer })) : NOTHING
    case "sample":
      return isSampling(request)
        ? Effect.match(answering.sample(request), {
          onSuccess: (answer): Schema.JsonObject => ({ ...answer }),
          onFailure: ({ isRejected, message }) => ({ isRejected, message })
        })
        : NOTHING
    case "roots":
      return answering.roots === undefined
        ? NOTHING
        : Effect.map(answering.roots, (roots) => ({ roots: roots.map((root) => ({ ...root })) }))
  }
}

const NOTHING = Effect.succeed<Schema.JsonObject>({})

/** The owner has read it from the server's request already. */
const isElicitation = (request: unknown): request is Elicitation =>
  JsonRpc.isObject(request) && (request["kind"] === "form" || request["kind"] === "url")
const isSampling = (request: unknown): request is SamplingRequest =>
  JsonRpc.isObject(request) && Array.isArray(request["messages"]) && typeof request["maxTokens"] === "number"
