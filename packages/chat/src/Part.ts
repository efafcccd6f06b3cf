/**
 * The one vocabulary of what happens in a turn: API, page, storage and `chat --json` all speak it (DESIGN 3.3).
 */
import { ToolResult } from "@boocode/toolkit"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const part = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({
    type: Schema.Literal(type),
    /** Counts every part of the chat from 1, without gaps. */
    seq: Schema.Int,
    /** Which turn of the chat, from 1. */
    turn: Schema.Int,
    ...fields
  })

/** How many tokens a turn used, as far as the provider says. @category schemas */
export const Usage = Schema.Struct({
  inputTokens: Schema.NullOr(Schema.Finite),
  outputTokens: Schema.NullOr(Schema.Finite)
})

/** Why a turn ended. @category schemas */
export const FinishReason = Schema.Literals(["stop", "length", "steps", "stopped", "error", "content-filter", "other"])

/** One thing that happened in a turn. @category schemas */
export const Part = Schema.Union([
  part("text-delta", { text: Schema.String }),
  part("reasoning-delta", { text: Schema.String }),
  part("tool-call", {
    id: Schema.String,
    name: Schema.String,
    server: Schema.NullOr(Schema.String),
    args: Schema.Json
  }),
  part("tool-progress", {
    id: Schema.String,
    progress: Schema.Finite,
    total: Schema.NullOr(Schema.Finite),
    message: Schema.NullOr(Schema.String)
  }),
  part("tool-result", {
    id: Schema.String,
    isError: Schema.Boolean,
    text: Schema.String,
    content: Schema.Array(Schema.JsonObject),
    truncated: Schema.NullOr(ToolResult.Truncated),
    origin: Schema.NullOr(ToolResult.Origin),
    millis: Schema.Finite
  }),
  part("warning", { message: Schema.String }),
  part("error", { _tag: Schema.String, message: Schema.String, hint: Schema.String }),
  part("finish", { reason: FinishReason, usage: Usage })
])

/** One thing that happened in a turn. @category models */
export type Part = typeof Part.Type

type Unnumbered<P> = P extends unknown ? Omit<P, "seq" | "turn"> : never

/** A part before its chat numbers it. @category models */
export type TurnPart = Unnumbered<Part>

/** Takes each part as it happens. It must not be interrupted half-way. @category models */
export type Emit = (part: TurnPart) => Effect.Effect<void>
