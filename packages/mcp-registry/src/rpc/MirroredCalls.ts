/**
 * Calls over HTTP in revision 2026-07-28: with the headers that their tools ask for, as the tools were listed last.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Call, Listing } from "../Connection.ts"
import * as ParamHeaders from "../http/ParamHeaders.ts"
import type { McpErrorReason } from "../McpError.ts"
import * as Ending from "./Ending.ts"
import type { Answer } from "./Requests.ts"

/** @category models */
export interface MirroredCalls {
  /** Lists the tools, and remembers what they ask for. */
  readonly list: Effect.Effect<Listing, McpErrorReason>
  /**
   * Sends a call with its headers. One that the server refuses because of them is sent once more, after the tools were
   * listed again: it was not processed.
   */
  readonly call: (call: Call) => Answer
}

/** @category models */
export interface Options {
  readonly list: Effect.Effect<Listing, McpErrorReason>
  /** Sends a call with these headers. */
  readonly call: (call: Call, headers: Readonly<Record<string, string>>) => Answer
  /** Told when the tools turned out to be others than those that were listed. */
  readonly onMismatch: () => void
}

type Declarations = ReadonlyArray<ParamHeaders.Declaration>

const NONE: Declarations = []

/** Knows of no tools yet. @category constructors */
export const make = ({ call: send, list, onMismatch }: Options): MirroredCalls => {
  let tools: ReadonlyMap<Schema.Json | undefined, () => Declarations> = new Map()
  const learned = Effect.tap(list, (listing) =>
    Effect.sync(() => {
      tools = new Map(listing.tools.map(({ inputSchema, name }) => [name, declared(inputSchema)]))
    }))
  const headers = ({ args, tool }: Call) => ParamHeaders.headersOf(tools.get(tool)?.() ?? NONE, args)
  const again = ({ onStarted, ...call }: Call) =>
    Ending.around(
      onStarted,
      Effect.andThen(
        Effect.ignore(Effect.tap(learned, Effect.sync(onMismatch))),
        Effect.suspend(() => send(call, headers(call)))
      )
    )
  return {
    list: learned,
    call: (call) => Effect.catchIf(Effect.suspend(() => send(call, headers(call))), isMismatch, () => again(call))
  }
}

/** What a tool declares, read when it is called first. */
const declared = (inputSchema: Schema.Json | undefined): () => Declarations => {
  let read: Declarations | null = null
  return () => read ??= Result.getOrElse(ParamHeaders.declarationsOf(inputSchema), () => NONE)
}

const HEADER_MISMATCH = -32020

const isMismatch = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" && reason.code === HEADER_MISMATCH
