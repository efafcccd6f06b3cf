/** A program of a person, run on the servers of a verb: each of its calls is one of their own, as those of `mcp call`. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import * as ExecutedProgram from "@boocode/chat/ExecutedProgram"
import { ToolName } from "@boocode/mcp-registry"
import {
  type CallAnswer,
  type ProgramCall,
  type ProgramFunction,
  ProgramNames,
  type ProgramOutcome,
  Sandbox,
  Signatures
} from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Servers } from "../backend/Servers.ts"
import * as OwnYes from "../mcp/OwnYes.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import type { Failed } from "../terminal/Failure.ts"
import type { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import { namedServers } from "./NamedServers.ts"

export interface OwnProgram {
  readonly source: string
  /** The patterns of `--allow`. */
  readonly allow: ReadonlyArray<string>
  readonly onConsole: (line: string) => Effect.Effect<void>
}

/** Those of a person's own program: they can end it by Ctrl-C. */
const OWN_LIMITS = { calls: 10_000, computeMillis: 60_000 } as const

/** Waits for the servers that the program names, tells of those that are not ready, and runs it. */
export const run = Effect.fnUntraced(
  function*(
    { allow, onConsole, source }: OwnProgram
  ): Effect.fn.Return<ProgramOutcome, Failed, Servers | Sandbox | Keyboard | Output> {
    const servers = yield* Servers
    yield* ready(source)
    const tools = (yield* servers.callable).map(asDescribed)
    const functions = ProgramNames.functions(tools)
    const context = yield* Effect.context<Keyboard | Output>()
    // One question at a time.
    const asking = Semaphore.makeUnsafe(1)
    const call = ({ args, name, waiting }: ProgramCall): Effect.Effect<CallAnswer> => {
      const around: OwnYes.Asked["around"] = (question) =>
        Effect.acquireUseRelease(waiting(true), () => asking.withPermit(question), () => waiting(false))
      const made = (isApproved: boolean) =>
        servers.call({ tool: name, args, isApproved, timeout: null, onProgress: null })
      return OwnYes.needed(made, { tool: name, args, allow, around }).pipe(
        Effect.match({
          onSuccess: (result) => ExecutedProgram.answerOf(name, result),
          onFailure: (error) => refusalOf(name, error)
        }),
        Effect.provideContext(context)
      )
    }
    return yield* Sandbox.use((sandbox) =>
      sandbox.run({
        source,
        functions: [...functions, ...BUILT_IN],
        describe: (name) => Effect.sync(() => Signatures.answer(name, tools, functions)),
        call,
        onConsole,
        limits: OWN_LIMITS
      })
    )
  }
)

/** Waits for the servers that a program names, and tells of those whose tools it will miss. */
const ready = Effect.fnUntraced(function*(source: string) {
  const { all, settled } = yield* Servers
  const named = chosen(source)((yield* all).map(({ name }) => name))
  if (named.length === 0) return
  const { servers } = yield* settled(named)
  const missing = servers.filter(({ name, state }) => named.includes(name) && state !== "ready")
  const { notePaint, notes } = yield* Output
  yield* notes(
    missing.map((server) => {
      const { hint, message } = ErrorHints.notReady(server)
      return `${notePaint.careful("warning")}  ${oneLine(message, 400)}; ${oneLine(hint, 400)}`
    })
  )
})

/** Those of all servers that a program may call. */
export const chosen = (source: string) => (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = ProgramNames.functions(names.map((name) => ({ name, server: name })))
  const identifiers = new Map(names.map((name, at) => [name, written[at]?.server ?? null]))
  return namedServers(source, identifiers) ?? names
}

/** Tools for models alone are none of a person's. */
const FOR_MODELS: ReadonlySet<string> = new Set(["execute", "tool_search", "tool_describe", "tool_call"])

const BUILT_IN: ReadonlyArray<ProgramFunction> = [...ToolName.RESERVED].filter((name) => !FOR_MODELS.has(name))
  .map((name) => ({ server: null, tool: name, name }))

type Tool = typeof ToolDocument.Type

/** A tool as its signature is made of it. */
export const asDescribed = (tool: Tool): Signatures.Described => ({
  name: tool.name,
  server: tool.server,
  origin: tool,
  description: tool.description,
  inputSchema: tool.inputSchema,
  listed: { ...tool, outputSchema: tool.outputSchema ?? null }
})

/** The program is told the name of the tool before these words. */
const refusalOf = (name: string, { hint, message, tag }: Failed): CallAnswer => ({
  error: `${message.startsWith(`${name} `) ? message.slice(name.length + 1) : message}; ${hint}`,
  outcome: NOT_MADE.has(tag) ? "not made" : tag === "OutcomeUnknown" ? "unknown" : "failed"
})

const NOT_MADE: ReadonlySet<string> = new Set(["YesNeeded", "NotAllowed", "CallDenied", "UnknownTool", "NotReady"])
