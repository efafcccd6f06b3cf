/**
 * The spans of a turn: the turn, each request to its model, each call of a tool. Only where the host keeps traces, and
 * with nothing in them that a person, a model or a server said.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

export type Attributes = Readonly<Record<string, string | number>>

export interface SpanOptions<A> {
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly attributes: Attributes
  /** The parent of the span, in place of the span that runs now; null for none. */
  readonly parent?: Tracer.AnySpan | null
  /** Attributes that are known at its end. */
  readonly ended?: (value: A) => Attributes
  /** The type of the error that a result stands for; null where it is good. */
  readonly errorOf?: (value: A) => string | null
}

/** The span of a turn. `who` is the agent and the model that answer; null where they could not be found. */
export const ofTurn = (turn: {
  readonly chat: string
  readonly turn: number
  readonly who: { readonly agent: string; readonly model: string } | null
}) => ({
  name: turn.who === null ? "invoke_agent" : `invoke_agent ${turn.who.agent}`,
  kind: "internal" as const,
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": turn.chat,
    "boocode.turn": turn.turn,
    ...turn.who === null ? {} : { "gen_ai.agent.name": turn.who.agent, [MODEL]: turn.who.model }
  }
})

const MODEL = "gen_ai.request.model"

/** A request to the model of the turn around it. */
export const ofRequest: Effect.Effect<
  SpanOptions<{ readonly calls: ReadonlyArray<unknown>; readonly reason: string }>
> = Effect.withFiber(({ cache: { span } }) => {
  const model = span?._tag === "Span" ? span.attributes.get(MODEL) : undefined
  return Effect.succeed({
    name: typeof model === "string" ? `chat ${model}` : "chat",
    kind: "client",
    attributes: { "gen_ai.operation.name": "chat", ...typeof model === "string" ? { [MODEL]: model } : {} },
    ended: ({ calls, reason }) => ({ "gen_ai.response.finish_reason": reason, "boocode.tool_calls": calls.length })
  })
})

/** A call of a tool. A name that no tool has is the model's invention, and left out. */
export const ofCall = (
  { id, name }: { readonly id: string; readonly name: string },
  isKnown: boolean
): SpanOptions<{ readonly isError: boolean }> => ({
  name: isKnown ? `execute_tool ${name}` : "execute_tool",
  kind: "internal",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.call.id": id,
    ...isKnown ? { "gen_ai.tool.name": name } : {}
  },
  errorOf: ({ isError }) => isError ? "tool_error" : null
})

/** Runs this in a span of its own. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>, options: SpanOptions<A>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => isKept(fiber) ? traced(effect, options) : effect)

/** The span that runs now; null where no trace is kept. */
export const current: Effect.Effect<Tracer.AnySpan | null> = Effect.withFiber((fiber) =>
  Effect.succeed(isKept(fiber) ? fiber.cache.span ?? null : null)
)

const isKept = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracer !== undefined && cache.tracer !== Tracer.nativeTracer && cache.tracerEnabled

const traced = <A, E, R>(effect: Effect.Effect<A, E, R>, options: SpanOptions<A>): Effect.Effect<A, E, R> => {
  const { attributes, kind, name, parent } = options
  const under = parent === undefined ? {} : parent === null ? { root: true } : { parent }
  return Effect.flatMap(Effect.makeSpan(name, { kind, attributes, ...under }), (span) =>
    Effect.onExit(
      Effect.withParentSpan(effect, span, { captureStackTrace: false }),
      (exit) => Effect.map(Clock.Clock, (clock) => end(span, options, exit, clock.currentTimeNanosUnsafe()))
    ))
}

const end = <A, E>(span: Tracer.Span, options: SpanOptions<A>, exit: Exit.Exit<A, E>, now: bigint): void => {
  if (Exit.isSuccess(exit)) {
    for (const [name, value] of Object.entries(options.ended?.(exit.value) ?? {})) span.attribute(name, value)
  }
  const type = Exit.isSuccess(exit) ? options.errorOf?.(exit.value) ?? null : typeOf(exit.cause)
  if (type === null) return span.end(now, Exit.void)
  span.attribute("error.type", type)
  // Not the exit itself, whose words may be anybody's.
  span.end(now, Exit.fail({ name: type, message: type }))
}

const typeOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "cancelled"
  const error: unknown = cause.reasons.find(Cause.isFailReason)?.error
  const reason: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "reason") ?? error : error
  const tag: unknown = typeof reason === "object" && reason !== null ? Reflect.get(reason, "_tag") : null
  return typeof tag === "string" ? tag : "_OTHER"
}
