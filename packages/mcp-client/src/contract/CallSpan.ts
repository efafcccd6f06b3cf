/**
 * The span of a tool call, as OpenTelemetry's conventions for MCP have it, and what its server is told of it. All of it only
 * where the host keeps traces: with Effect's own tracer, which keeps none, a call makes not even an object more.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import type { CallScope } from "../base/CallScope.ts"
import { errorType, refusalCode } from "./CallEnd.ts"
import type { CallResult } from "./CallResult.ts"

/** The tool of a call, by its raw name. */
export interface CalledTool {
  readonly server: string
  readonly tool: string
}

/** The facts that spans of one connection share; none of them is secret. */
export type Facts = Readonly<Record<string, string | number>>

/** Any fiber; only what surrounds it is looked at. */
export type AnyFiber = Fiber.Fiber<unknown, unknown>

/** Whether somebody keeps the spans of this fiber. */
export const isKept = ({ cache }: AnyFiber): boolean =>
  cache.tracer !== undefined && cache.tracer !== Tracer.nativeTracer && cache.tracerEnabled

/**
 * The call in a span of its own, `tools/call TOOL`. To be asked for where `isKept` says so. Arguments, results and words of
 * the server's are not in it, and how it failed is a name or a code. The span ends with `scope`. A call whose trace is not
 * kept runs as it is.
 */
export const traced = <E, R>(
  fiber: AnyFiber,
  call: Effect.Effect<CallResult, E, R>,
  tool: CalledTool,
  scope: CallScope<CallResult>
): Effect.Effect<CallResult, E, R> => {
  const around = fiber.cache.span
  // The span around the call says already that the trace is not kept.
  if (around?._tag === "Span" && !around.sampled) return call
  const clock = fiber.getRef(Clock.Clock)
  const span = spanOf(fiber, clock, tool.tool)
  if (!span.sampled) return call
  describe(span, tool, around)
  scope.add((exit) => end(span, exit, clock.currentTimeNanosUnsafe()))
  return Effect.withParentSpan(call, span, { captureStackTrace: false })
}

/** `Effect.makeSpan` would do the same as an effect, and cost every call that no trace is kept of. */
const spanOf = ({ cache }: AnyFiber, clock: Clock.Clock, tool: string): Tracer.Span =>
  (cache.tracer ?? Tracer.nativeTracer).span({
    name: `tools/call ${tool}`,
    parent: Option.fromUndefinedOr(cache.span),
    annotations: Context.empty(),
    links: [],
    startTime: clock.currentTimeNanosUnsafe(),
    kind: "client",
    root: false,
    sampled: cache.span?.sampled ?? true
  })

const describe = (
  span: Tracer.Span,
  { server, tool }: CalledTool,
  around: Tracer.AnySpan | undefined
): void => {
  span.attribute("mcp.method.name", "tools/call")
  span.attribute("gen_ai.tool.name", tool)
  span.attribute("boocode.server", server)
  // Where a span around it counts as the tool call, this one must not.
  if (!isToolCall(around)) span.attribute("gen_ai.operation.name", "execute_tool")
}

const isToolCall = (span: Tracer.AnySpan | undefined): boolean =>
  span?._tag === "Span" && span.attributes.get("gen_ai.operation.name") === "execute_tool"

const end = (span: Tracer.Span, exit: Exit.Exit<CallResult, unknown>, now: bigint): void => {
  const type = errorType(exit)
  if (type === null) return span.end(now, Exit.void)
  const code = refusalCode(exit)
  if (code !== null) span.attribute("rpc.response.status_code", String(code))
  span.attribute("error.type", type)
  // Not the exit of the call, whose words may be the server's.
  span.end(now, Exit.fail({ name: type, message: type }))
}

/**
 * The `_meta` of a request that names the span it belongs to, as W3C Trace Context has it; null where nobody keeps
 * spans. The span of a call learns the id of the request, and over what it went.
 */
export const metaOf = (
  fiber: AnyFiber,
  id: string | number,
  connection: { readonly facts?: () => Facts }
): Schema.JsonObject | null => {
  const { span } = fiber.cache
  if (span === undefined || !isKept(fiber)) return null
  if (span._tag === "Span" && span.attributes.has("mcp.method.name")) {
    span.attribute("jsonrpc.request.id", String(id))
    for (const [name, value] of Object.entries(connection.facts?.() ?? {})) span.attribute(name, value)
  }
  const traceparent = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  return TRACEPARENT.test(traceparent) ? { traceparent } : null
}

const TRACEPARENT = /^00-[\da-f]{32}-[\da-f]{16}-0[01]$/

/**
 * The facts about connections by this entry, by the revision they speak; kept for the last one. The id of a session is
 * not in it: it lets its holder speak on the session.
 */
export const factsFor = ({ transport }: ServerConfig): (protocolVersion: string) => Facts => {
  let facts: Facts | null = null
  return (protocolVersion) => {
    // A new session is asked for within a call, before it has agreed on one.
    if (facts?.["mcp.protocol.version"] === protocolVersion) return facts
    facts = {
      "mcp.protocol.version": protocolVersion,
      ...transport._tag === "stdio" ? { "network.transport": "pipe" } : overHttp(Redacted.value(transport.url))
    }
    return facts
  }
}

/** The path may hold a secret; the name of the host does not. */
const overHttp = (url: string): Facts => {
  const over = { "network.transport": "tcp", "network.protocol.name": "http" }
  if (!URL.canParse(url)) return over
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === "https:" ? 443 : 80
  return { ...over, "server.address": hostname, "server.port": port === "" ? usual : Number(port) }
}
