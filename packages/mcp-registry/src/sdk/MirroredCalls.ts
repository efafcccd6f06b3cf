/**
 * Calls over HTTP in revision 2026-07-28: with the headers that their tools ask for, as the tools were listed last.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Call, Listing } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"
import * as ParamHeaders from "./ParamHeaders.ts"

/** @category models */
export interface MirroredCalls {
  /** Lists the tools, and remembers what they ask for. */
  readonly list: Effect.Effect<Listing, McpErrorReason>
  /**
   * Sends a call with its headers. One that the server refuses because of them is sent once more, after the tools were
   * listed again: it was not processed.
   */
  readonly call: (
    call: Call,
    send: (headers: Readonly<Record<string, string>>) => Effect.Effect<Schema.JsonObject, McpErrorReason>
  ) => Effect.Effect<Schema.JsonObject, McpErrorReason>
}

/** @category models */
export interface Options {
  /** False where arguments are in no headers: over standard input and output, and before 2026-07-28. */
  readonly isNeeded: () => boolean
  readonly list: Effect.Effect<Listing, McpErrorReason>
  /** Told when the tools turned out to be others than those that were listed. */
  readonly onMismatch: () => void
}

const NONE: Readonly<Record<string, string>> = {}

/** Knows of no tools yet. @category constructors */
export const make = ({ isNeeded, list, onMismatch }: Options): MirroredCalls => {
  let schemas: ReadonlyMap<Schema.Json | undefined, Schema.Json | undefined> = new Map()
  const learned = Effect.tap(list, ({ tools }) =>
    Effect.sync(() => {
      if (isNeeded()) schemas = new Map(tools.map(({ inputSchema, name }) => [name, inputSchema]))
    }))
  const headers = ({ args, tool }: Call) =>
    Result.match(ParamHeaders.declarationsOf(schemas.get(tool)), {
      onFailure: () => NONE,
      onSuccess: (declarations) => ParamHeaders.headersOf(declarations, args)
    })
  return {
    list: learned,
    call: (call, send) =>
      Effect.suspend(() => {
        if (!isNeeded()) return send(NONE)
        return Effect.catchIf(send(headers(call)), isMismatch, () =>
          Effect.andThen(
            Effect.ignore(Effect.tap(learned, Effect.sync(onMismatch))),
            Effect.suspend(() => send(headers(call)))
          ))
      })
  }
}

const HEADER_MISMATCH = -32020

const isMismatch = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" && reason.code === HEADER_MISMATCH
