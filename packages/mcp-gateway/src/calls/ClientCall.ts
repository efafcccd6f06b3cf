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
export const run = (call: Call, calling: Calling, gate: Gate): Effect.Effect<SentResult.SentResult, Refusal> => {
  const { args, tool } = call
  return Effect.flatMap(Permit.verdict({ tool, args }, calling.client, gate), (verdict) => {
    if (verdict._tag === "Allow") return made(call, calling, noted(call, calling, gate, "rules", args))
    return verdict._tag === "Deny" ? Effect.succeed(refused(tool, verdict.reason)) : decided(call, calling, gate)
  })
}

/** Hears what came of a call. */
type Noted = (exit: MadeCall["exit"]) => Effect.Effect<void>

const noted =
  ({ tool }: Call, { client }: Calling, gate: Gate, by: MadeCall["by"], args: Schema.JsonObject): Noted => (exit) =>
    gate.made?.({ call: { tool, args }, by, exit }, client) ?? Effect.void

/** Asks a person, and calls the server after a yes. */
const decided = Effect.fnUntraced(function*(
  call: Call,
  calling: Calling,
  gate: Gate
): Effect.fn.Return<SentResult.SentResult, Refusal> {
  const { args, channel, tool } = call
  const { asking, client, pending, traits } = calling
  const asked = { tool, args }
  const by = channel.can.form ? "client" : "person"
  /** A rule that came while the person thought counts, and one about the arguments that the person gave. */
  const answered = Effect.fnUntraced(function*(decision: Decision, latest: ClientChannel = channel) {
    yield* asking(false)
    if (decision._tag === "Denied") return refused(tool, decision.reason)
    const sent = decision.args ?? args
    const now = yield* Permit.verdict({ ...asked, args: sent }, client, gate)
    if (now._tag === "Deny") return refused(tool, now.reason)
    return yield* made({ ...call, args: sent, channel: latest }, calling, noted(call, calling, gate, by, sent))
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

const refused = ({ name }: McpTool, reason: string): SentResult.SentResult =>
  SentResult.text(`${name} was not called: ${reason}`, true)

const made = (
  { args, channel, progressToken, tool }: Call,
  calling: Calling,
  noted: Noted
): Effect.Effect<SentResult.SentResult, Refusal> => {
  const { client, resultBytes, results, servers, traits } = calling
  let lacking: "sampling" | null = null
  const limited = (result: SentResult.SentResult) =>
    // Before revision 2026-07-28 the result of the tool says it.
    lacking !== null && result.isError && client.era === "modern"
      ? Effect.fail(missing(lacking))
      : Effect.succeed(results.limited(result, resultBytes, tool.outputSchema !== null && traits.shows === "both"))
  const called = servers.callTool(tool, args, {
    asker: calling.askerOf(channel, (capability) => {
      lacking = capability
    }),
    writes: ToolClass.isWriter(tool.class),
    ...(progressToken === null ? {} : { onProgress: progressTo(channel, progressToken) })
  })
  return Effect.matchEffect(Effect.onExit(called, noted), {
    onFailure: ({ hint, message }) => limited(SentResult.text(`${message}; ${hint}`, true)),
    onSuccess: (answer) => limited(SentResult.make(answer, traits.shows))
  })
}

const progressTo =
  (channel: ClientChannel, progressToken: string | number) => ({ message, progress, total }: CallProgress) =>
    channel.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === null ? {} : { total }),
      ...(message === null ? {} : { message })
    })
