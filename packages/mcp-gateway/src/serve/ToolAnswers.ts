/** The answers to a client about tools: the list, and calls of any tool that it may call. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import { McpRegistry } from "@boocode/mcp-registry"
import { ToolArguments } from "@boocode/toolkit"
import { ExecuteTool, type Sandbox } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ClientCall from "../calls/ClientCall.ts"
import * as ClientProgram from "../calls/ClientProgram.ts"
import * as SentResult from "../calls/SentResult.ts"
import type { Gate } from "../model/Gate.ts"
import { INVALID_PARAMS, type Refusal, refusal } from "../model/Sdk.ts"
import type { KeptLists } from "../offer/KeptLists.ts"
import * as SearchExposure from "../offer/SearchExposure.ts"
import * as ToolOffers from "../offer/ToolOffers.ts"
import type { Answer, Asked } from "./ClientRequest.ts"
import type { ClientRoster } from "./ClientRoster.ts"
import * as OwnTools from "./OwnTools.ts"
import type { ServedClient } from "./ServedClient.ts"

export interface ToolAnswers {
  /** Waits a bounded time for servers that connect. */
  readonly settled: Effect.Effect<unknown>
  readonly offer: (served: ServedClient) => Effect.Effect<ToolOffers.ToolOffer>
  readonly listTools: (served: ServedClient) => Answer
  readonly callTool: (served: ServedClient, asked: Asked) => Answer
}

/** How long a list waits for servers that connect; the client is told when more come. */
const LIST_PATIENCE = "2 seconds"
/** How long a call of a tool that nobody has yet waits for servers that connect. */
const CALL_PATIENCE = "30 seconds"

const isCaller = (name: string): boolean => name === SearchExposure.CALL || name === SearchExposure.CALL_WRITING

export const make = Effect.fnUntraced(function*(
  roster: Pick<ClientRoster, "during">,
  gate: Gate,
  lists: KeptLists,
  sandbox: Sandbox["Service"] | null
): Effect.fn.Return<ToolAnswers, never, McpRegistry> {
  const registry = yield* McpRegistry
  const settled = Effect.timeoutOption(registry.settled, LIST_PATIENCE)
  const offers = ToolOffers.make(registry, OwnTools.NAMES, settled, sandbox !== null)
  const offer = ({ viewer }: ServedClient) => offers(viewer)

  const written = new WeakSet<ToolOffers.ToolOffer>()

  const called = (call: ClientCall.Call, served: ServedClient) =>
    roster.during(served, call, ClientCall.run(call, served, gate))
  /** A call by way of `call_tool` or `call_writing_tool`. */
  const indirect = Effect.fnUntraced(function*(
    way: string,
    { name, arguments: given }: Schema.JsonObject,
    found: ToolOffers.ToolOffer["byName"],
    call: Omit<ClientCall.Call, "tool" | "args">,
    served: ServedClient
  ) {
    const tool = typeof name === "string" ? found.get(name) : undefined
    if (tool === undefined) {
      return SentResult.text(
        `no tool is called ${JSON.stringify(name ?? null)}; find tools with ${SearchExposure.SEARCH}`,
        true
      )
    }
    if (way === SearchExposure.CALL && !SearchExposure.isReading(tool)) {
      return SentResult.text(`${tool.name} may write: call it through ${SearchExposure.CALL_WRITING}`, true)
    }
    return yield* Effect.matchEffect(ToolArguments.usable(tool, given), {
      onFailure: ({ hint, message }) => Effect.succeed(SentResult.text(`${message}; ${hint}`, true)),
      onSuccess: (args) => called({ ...call, tool, args }, served)
    })
  })
  /** A client may know a tool from an earlier run, whose server connects just now. */
  const knowing = Effect.fnUntraced(function*(
    served: ServedClient,
    now: ToolOffers.ToolOffer,
    name: string,
    { name: meant }: Schema.JsonObject
  ) {
    const wanted = isCaller(name) && typeof meant === "string" ? meant : name
    if (OwnTools.NAMES.has(wanted) || now.byName.has(wanted) || now.forApps.has(name)) return now
    yield* Effect.timeoutOption(registry.settled, CALL_PATIENCE)
    return yield* offer(served)
  })
  /** Most calls are of a tool that is listed under its name, and go no other way. */
  const answered = (served: ServedClient, asked: Asked): Effect.Effect<SentResult.SentResult, Refusal> => {
    const { channel, params } = asked
    const name = typeof params["name"] === "string" ? params["name"] : ""
    const args = JsonRpc.isObject(params["arguments"]) ? params["arguments"] : {}
    const call = { channel, progressToken: progressTokenOf(params) }
    return Effect.flatMap(offer(served), (now) => {
      const tool = OwnTools.NAMES.has(name) ? undefined : now.byName.get(name)
      return tool === undefined
        ? otherwise(served, asked, now, name, args, call)
        : called({ ...call, tool, args }, served)
    })
  }
  const otherwise = Effect.fnUntraced(function*(
    served: ServedClient,
    { channel }: Asked,
    now: ToolOffers.ToolOffer,
    name: string,
    args: Schema.JsonObject,
    call: Omit<ClientCall.Call, "tool" | "args">
  ): Effect.fn.Return<SentResult.SentResult, Refusal> {
    const own = OwnTools.all.get(name)
    if (own !== undefined) return yield* own.run(args, served, channel)
    const { byName, exposure, forApps, search } = yield* knowing(served, now, name, args)
    if (name === ExecuteTool.EXECUTE && exposure === "code" && sandbox !== null) {
      const code = ClientProgram.codeOf(args)
      if (code === null) return SentResult.text(`${name} was not called: code must be a text with a program`, true)
      // Its functions are those of the moment in which it begins.
      yield* settled
      const { named } = yield* offer(served)
      return yield* ClientProgram.run({
        ...{ code, sandbox, named, channel, gate, calling: served },
        during: (tool, run) => roster.during(served, { tool, channel }, run)
      })
    }
    if (isCaller(name)) {
      return yield* indirect(name, args, byName, call, served)
    }
    const searching = search.find((tool) => tool.name === name)
    if (searching !== undefined) {
      return yield* Effect.map(searching.run(args), ({ isError, text }) => SentResult.text(text, isError))
    }
    const tool = byName.get(name) ?? forApps.get(name)
    if (tool === undefined) return yield* Effect.fail(refusal(INVALID_PARAMS, `Unknown tool: ${name}`))
    return yield* called({ ...call, tool, args }, served)
  })
  /** The tools of servers that connect just now, as they were listed last. */
  const recalled = Effect.fnUntraced(function*(served: ServedClient) {
    const connecting = (yield* registry.servers).filter(({ state }) => state === "connecting").map(({ name }) => name)
    if (connecting.length === 0) return []
    const kept = yield* lists.recall(kindOf(served))
    return kept.filter(({ server }) => connecting.includes(server)).map(({ definition }) => definition)
  })
  /** Kept once no server connects any more, and each list once. */
  const remembered = Effect.fnUntraced(function*(served: ServedClient, is: ToolOffers.ToolOffer) {
    if (!served.traits.listsOnce || is.exposure !== "flat" || written.has(is)) return
    if ((yield* registry.servers).some(({ state }) => state === "connecting")) return
    written.add(is)
    const tools = is.named.flatMap(({ tool: { server } }, index) => {
      const definition = is.definitions[index]
      return definition === undefined ? [] : [{ server, definition }]
    })
    yield* lists.remember(kindOf(served), tools)
  })
  return {
    settled,
    offer,
    listTools: Effect.fnUntraced(function*(served) {
      const late = served.traits.listsOnce ? yield* recalled(served) : []
      if (late.length === 0) yield* settled
      const is = yield* offer(served)
      served.known = is
      yield* remembered(served, is)
      const known = new Set([...is.byName.keys(), ...is.forApps.keys()])
      const tools = late.filter(({ name }) => typeof name === "string" && !known.has(name))
      return { tools: [...is.definitions, ...tools, ...OwnTools.definitions] }
    }),
    callTool: (served, asked) => Effect.map(answered(served, asked), (result) => ({ ...result }))
  }
})

/** Lists are the same for all clients of a kind. */
const kindOf = ({ client: { profile, profileName }, traits: { shows }, viewer: { nameRoom } }: ServedClient): string =>
  JSON.stringify([profileName, profile, nameRoom, shows])

const progressTokenOf = ({ _meta }: Schema.JsonObject): string | number | null => {
  const token = JsonRpc.isObject(_meta) ? _meta["progressToken"] : undefined
  return typeof token === "string" || typeof token === "number" ? token : null
}
