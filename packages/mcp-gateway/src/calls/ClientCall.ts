/** A call of a server's tool by a client: permitted, made, and its result as the client is sent it. */
import { type McpTool, ToolClass } from "@boocode/mcp-registry"
import type { Asker, CallProgress } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Traits } from "../clients/ClientTable.ts"
import type { Decision, Gate, MadeCall } from "../model/Gate.ts"
import type { Client } from "../model/GatewayClient.ts"
import { missing, type Refusal } from "../model/Sdk.ts"
import type { ClientChannel } from "./ClientChannel.ts"
import type { ClientServers } from "./ClientServers.ts"
import type { PendingCalls } from "./PendingCalls.ts"
import * as Permit from "./Permit.ts"
import type { ResultStore } from "./ResultStore.ts"
import * as SentResult from "./SentResult.ts"

/** The client of a call. */
export interface Calling {
  readonly client: Client
  readonly traits: Traits
  /** How many bytes of a result it is given at once. */
  readonly resultBytes: number
  readonly results: ResultStore
  readonly pending: PendingCalls
  readonly servers: ClientServers
  /** Is told while a call waits for a person. */
  readonly asking: (isAsking: boolean) => Effect.Effect<void>
  readonly askerOf: (channel: ClientChannel, onMissing: (capability: "sampling") => void) => Asker
}

export interface Call {
  readonly tool: McpTool
  readonly args: Schema.JsonObject
  readonly channel: ClientChannel
  /** Null where the client asked for no progress. */
  readonly progressToken: string | number | null
}

/** Calls the server once the call is permitted. A failure is a result that a model can read. */
export const run = Effect.fnUntraced(function*(
  call: Call,
  calling: Calling,
  gate: Gate
): Effect.fn.Return<SentResult.SentResult, Refusal> {
  const { args, channel, tool } = call
  const { asking, client, pending, traits } = calling
  const asked = { tool, args }
  const verdict = yield* Permit.verdict(asked, client, gate)
  if (verdict._tag === "Deny") return refused(tool, verdict.reason)
  const noted = (by: MadeCall["by"], args: Schema.JsonObject) => (exit: MadeCall["exit"]) =>
    gate.made?.({ call: { ...asked, args }, by, exit }, client) ?? Effect.void
  if (verdict._tag === "Allow") return yield* made(call, calling, noted("rules", args))
  const by = channel.can.form ? "client" : "person"
  /** A rule that came while the person thought counts, and one about the arguments that the person gave. */
  const answered = Effect.fnUntraced(function*(decision: Decision, latest: ClientChannel = channel) {
    yield* asking(false)
    if (decision._tag === "Denied") return refused(tool, decision.reason)
    const sent = decision.args ?? args
    const now = yield* Permit.verdict({ ...asked, args: sent }, client, gate)
    if (now._tag === "Deny") return refused(tool, now.reason)
    return yield* made({ ...call, args: sent, channel: latest }, calling, noted(by, sent))
  })
  yield* asking(true)
  const approval = yield* Permit.asked(asked, client, gate, channel, traits.patienceSeconds)
  if (approval._tag !== "Waiting") return yield* answered(approval)
  return yield* pending.begin(
    channel,
    () => approval.url,
    traits.patienceSeconds,
    (latest) => Effect.flatMap(approval.decided, (decision) => answered(decision, latest))
  )
})

/** Hears what came of a call. */
type Noted = (exit: MadeCall["exit"]) => Effect.Effect<void>

const refused = ({ name }: McpTool, reason: string): SentResult.SentResult =>
  SentResult.text(`${name} was not called: ${reason}`, true)

const made = Effect.fnUntraced(function*(
  { args, channel, progressToken, tool }: Call,
  calling: Calling,
  noted: Noted
) {
  const { client, resultBytes, results, servers, traits } = calling
  let lacking: "sampling" | null = null
  const result = yield* Effect.match(
    servers.callTool(tool, args, {
      asker: calling.askerOf(channel, (capability) => {
        lacking = capability
      }),
      writes: ToolClass.isWriter(tool.class),
      ...(progressToken === null ? {} : { onProgress: progressTo(channel, progressToken) })
    }).pipe(Effect.onExit(noted)),
    {
      onFailure: ({ hint, message }) => SentResult.text(`${message}; ${hint}`, true),
      onSuccess: (answer) => SentResult.make(answer, traits.shows)
    }
  )
  // Before revision 2026-07-28 the result of the tool says it.
  if (lacking !== null && result.isError && client.era === "modern") return yield* Effect.fail(missing(lacking))
  return results.limited(result, resultBytes, tool.outputSchema !== null && traits.shows === "both")
})

const progressTo =
  (channel: ClientChannel, progressToken: string | number) => ({ message, progress, total }: CallProgress) =>
    channel.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === null ? {} : { total }),
      ...(message === null ? {} : { message })
    })
