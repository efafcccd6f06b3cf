/** Calls over HTTP in revision 2026-07-28: with the headers that their tools ask for, as the tools were listed last. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Call, Listing } from "../contract/Connection.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import { type Declaration, declarationsOf, headersOf } from "./ArgumentHeaders.ts"
import * as Requests from "./Requests.ts"
import type { Answer } from "./Requests.ts"

interface Options {
  readonly list: Effect.Effect<Listing, McpErrorReason>
  readonly call: (call: Call, headers: Readonly<Record<string, string>>) => Answer
  /** Told when the tools turned out to be others than those that were listed. */
  readonly onMismatch: () => void
}

type Declarations = ReadonlyArray<Declaration>

const NONE: Declarations = []

/** Knows of no tools yet. */
export const make = ({ call: send, list, onMismatch }: Options) => {
  let tools: ReadonlyMap<Schema.Json | undefined, () => Declarations> = new Map()
  const learned = Effect.tap(list, (listing) =>
    Effect.sync(() => {
      tools = new Map(listing.tools.map(({ inputSchema, name }) => [name, declared(inputSchema)]))
    }))
  const headers = ({ args, tool }: Call) => headersOf(tools.get(tool)?.() ?? NONE, args)
  const again = ({ onStarted, ...call }: Call) =>
    Requests.aroundEnding(
      onStarted,
      Effect.andThen(
        Effect.ignore(Effect.tap(learned, Effect.sync(onMismatch))),
        Effect.suspend(() => send(call, headers(call)))
      )
    )
  return {
    /** Lists the tools, and remembers what they ask for. */
    list: learned,
    /**
     * Sends a call with its headers. One that the server refuses because of them is sent once more, after the tools were
     * listed again: it was not processed.
     */
    call: (call: Call): Answer =>
      Effect.catchIf(Effect.suspend(() => send(call, headers(call))), isMismatch, () => again(call))
  }
}

/** The declarations of a tool, read when it is called first. */
const declared = (inputSchema: Schema.Json | undefined): () => Declarations => {
  let read: Declarations | null = null
  return () => read ??= Result.getOrElse(declarationsOf(inputSchema), () => NONE)
}

const HEADER_MISMATCH = -32020

const isMismatch = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" && reason.code === HEADER_MISMATCH
