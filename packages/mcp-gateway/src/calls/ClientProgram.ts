/** A program of a client's model: each of its calls passes the gate as a call of the client does. */
import type { McpTool } from "@boocode/mcp-registry"
import {
  type CallAnswer,
  type ProgramCall,
  ProgramNames,
  ProgramReport,
  type Sandbox,
  Signatures
} from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Gate } from "../model/Gate.ts"
import * as SearchExposure from "../offer/SearchExposure.ts"
import type { Named } from "../offer/ToolNames.ts"
import * as ClientCall from "./ClientCall.ts"
import type { ClientChannel } from "./ClientChannel.ts"
import * as SentResult from "./SentResult.ts"

export interface ProgramRequest {
  readonly code: string
  readonly sandbox: Sandbox["Service"]
  /** Those that it may call. */
  readonly named: ReadonlyArray<Named>
  readonly channel: ClientChannel
  readonly calling: ClientCall.Calling
  readonly gate: Gate
  /** Counts a call while it runs. */
  readonly during: <A, E>(tool: McpTool, run: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/**
 * Runs it to its end, within the limits of the sandbox. Where a call waits for a person elsewhere longer than the client has patience,
 * the client is told where, and the program goes on. Pictures and files that its calls gave follow what it says, at most 20.
 */
export const run = (request: ProgramRequest) =>
  Effect.suspend(() => {
    const { calling: { client, pending, results, traits }, channel } = request
    const places = new Set<{ readonly url: string }>()
    const { maxResultBytes } = client.profile
    return pending.begin(
      channel,
      () => [...places].at(-1)?.url ?? null,
      traits.patienceSeconds,
      (latest) =>
        Effect.map(
          ended({ ...request, channel: latest }, places),
          (result) => results.limited(result, maxResultBytes === 0 ? traits.resultBytes : maxResultBytes, false)
        )
    )
  })

const ended = Effect.fnUntraced(function*(request: ProgramRequest, places: Set<{ readonly url: string }>) {
  const tools = request.named.map(SearchExposure.described)
  const functions = ProgramNames.functions(tools)
  const byName = new Map(request.named.map(({ name, tool }) => [name, tool]))
  const blocks: Array<Schema.JsonObject> = []
  const outcome = yield* request.sandbox.run({
    source: request.code,
    functions,
    describe: (name) => Effect.sync(() => Signatures.answer(name, tools, functions)),
    call: (call) => {
      const tool = byName.get(call.name)
      return tool === undefined
        ? Effect.succeed({ error: `no tool is called ${call.name}`, outcome: "not made" })
        : made(request, tool, call, places, blocks)
    }
  })
  const text = ProgramReport.whole(ProgramReport.withNames(outcome, functions))
  return { content: [{ type: "text", text }, ...blocks], isError: outcome.error !== null }
})

const MOST_BLOCKS = 20

const made = Effect.fnUntraced(function*(
  { calling, channel, during, gate }: ProgramRequest,
  tool: McpTool,
  call: ProgramCall,
  places: Set<{ readonly url: string }>,
  blocks: Array<Schema.JsonObject>
): Effect.fn.Return<CallAnswer> {
  let outcome: "not made" | "failed" | "unknown" = "not made"
  const result = yield* during(
    tool,
    ClientCall.run({ tool, args: call.args, channel, progressToken: null }, {
      ...parts(calling),
      asking: call.waiting,
      // The program waits itself, as long as the person takes.
      pending: {
        ...calling.pending,
        begin: (_channel, url, _patience, wait) =>
          Effect.suspend(() => {
            const place = { url: url() ?? "" }
            places.add(place)
            return Effect.ensuring(wait(channel), Effect.sync(() => places.delete(place)))
          })
      },
      results: { ...calling.results, limited: (whole) => whole },
      traits: { ...calling.traits, shows: "both" }
    }, {
      ...gate,
      made: (one, client) => {
        outcome = Exit.isSuccess(one.exit) ? "failed" : "unknown"
        return gate.made?.(one, client) ?? Effect.void
      }
    })
  ).pipe(Effect.catch(({ message }) => Effect.succeed(SentResult.text(message, true))))
  const text = result.content.flatMap((block) => typeof block["text"] === "string" ? [block["text"]] : []).join("\n")
  if (result.isError) return { error: text, outcome }
  blocks.push(...result.content.filter(({ type }) => type !== "text").slice(0, MOST_BLOCKS - blocks.length))
  return { value: ProgramReport.valueOf(text, result.structuredContent ?? null) }
})

const parts = (calling: ClientCall.Calling): ClientCall.Calling => ({
  client: calling.client,
  traits: calling.traits,
  results: calling.results,
  pending: calling.pending,
  servers: calling.servers,
  asking: calling.asking,
  askerOf: (channel, onMissing) => calling.askerOf(channel, onMissing)
})

/** The program of a call of `execute`; null where the arguments have none. */
export const codeOf = ({ code }: Schema.JsonObject): string | null =>
  typeof code === "string" && code.trim() !== "" ? code : null
