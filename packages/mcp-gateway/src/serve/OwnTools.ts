/** The tools of the gateway itself, which every client has. */
import { ExecuteTool } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ClientChannel } from "../calls/ClientChannel.ts"
import * as PendingCalls from "../calls/PendingCalls.ts"
import * as ResultStore from "../calls/ResultStore.ts"
import * as SentResult from "../calls/SentResult.ts"
import type { Refusal } from "../model/Sdk.ts"
import * as SearchExposure from "../offer/SearchExposure.ts"
import type { ServedClient } from "./ServedClient.ts"

/** Names that no tool of a server has. */
export const NAMES: ReadonlySet<string> = new Set([
  SearchExposure.SEARCH,
  SearchExposure.DESCRIBE,
  SearchExposure.CALL,
  SearchExposure.CALL_WRITING,
  ExecuteTool.EXECUTE,
  ResultStore.READ,
  PendingCalls.STATUS
])

interface OwnTool {
  readonly definition: Schema.JsonObject
  readonly run: (
    args: Schema.JsonObject,
    served: ServedClient,
    channel: ClientChannel
  ) => Effect.Effect<SentResult.SentResult, Refusal>
}

/** By name. */
export const all: ReadonlyMap<string, OwnTool> = new Map([
  [ResultStore.READ, {
    definition: {
      name: ResultStore.READ,
      description: "Gives the next part of a result that was cut because it was too large.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", description: "As the cut result says" },
          offset: { type: "integer", minimum: 0, description: "The character to begin at. Default 0." }
        },
        required: ["id"]
      },
      annotations: { readOnlyHint: true }
    },
    run: ({ id, offset }, { results, traits }) => {
      const from = typeof offset === "number" && offset > 0 ? Math.floor(offset) : 0
      return Effect.sync(() => partOf(results, textOf(id), from, traits.resultBytes))
    }
  }],
  [PendingCalls.STATUS, {
    definition: {
      name: PendingCalls.STATUS,
      description: "Gives the result of a call that waited for a person's yes, or says that it still waits.",
      inputSchema: {
        type: "object",
        properties: { id: { type: "string", description: "As the answer to that call says" } },
        required: ["id"]
      },
      annotations: { readOnlyHint: true }
    },
    run: ({ id }, { pending, traits }, channel) => pending.status(channel, textOf(id), traits.patienceSeconds)
  }]
])

export const definitions: ReadonlyArray<Schema.JsonObject> = [...all.values()].map(({ definition }) => definition)

const textOf = (value: Schema.Json | undefined): string => typeof value === "string" ? value : ""

const partOf = (results: ResultStore.ResultStore, id: string, offset: number, maxBytes: number) => {
  const part = results.part(id, offset, maxBytes)
  if (part === null) return SentResult.text(`no result is kept under ${id}: call the tool again`, true)
  const { length, next, text } = part
  return SentResult.text(
    next === null ? text : `${text}\n\n[characters ${offset} to ${next} of ${length}; go on with "offset":${next}]`
  )
}
