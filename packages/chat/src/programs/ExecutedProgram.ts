/** Runs the program of one call of `execute`: its calls are made as the model's own are. */
import { type AgentTool, type ResultFiles, type RunOptions, ToolResult } from "@boocode/toolkit"
import {
  type CallAnswer,
  type CallRecord,
  LIMITS,
  type ProgramCall,
  ProgramNames,
  ProgramReport,
  Signatures,
  type Snapshot
} from "@boocode/toolkit/code"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as ProgramParts from "./ProgramParts.ts"
import type { Programs } from "./TurnPrograms.ts"

/** One program. */
export interface ProgramRequest {
  readonly programs: Programs
  /** The `id` of the call of `execute`. */
  readonly id: string
  readonly code: string
  /** Whether an earlier run of the server began it: without its state it is not begun again. */
  readonly goesOn: boolean
  /** Those that it may call. */
  readonly tools: ReadonlyArray<AgentTool>
  /** Makes one call. `isAgain` is about a call of a program that goes on: it may be in the chat already. */
  readonly make: (
    call: ProgramCall,
    options: { readonly isAgain: boolean } & Pick<RunOptions, "onWaiting">
  ) => Effect.Effect<ToolResult.ToolResult>
  /** Is told each line of the console. */
  readonly onLine: (line: string, count: number) => Effect.Effect<void>
  /** Is told once how to say what the program did until it is stopped. */
  readonly onStart: (soFar: () => string) => void
}

/** The id of a call of a program in its chat. It is the same after a restart. No call of a model has a dot in its id. */
export const idOf = (program: string, call: number): string => `${program}.${call}`

/** Runs a program to its end, or goes on with it where an earlier run of the server kept it. Never fails. */
export const run = Effect.fnUntraced(function*(
  request: ProgramRequest
): Effect.fn.Return<ToolResult.ToolResult, never, ResultFiles> {
  const { code, goesOn, id, onLine, onStart, programs: { earlier, kept, sandbox }, tools } = request
  const from = goesOn ? yield* kept.of(id) : null
  if (goesOn && from === null) {
    return yield* Effect.as(kept.drop(id), ToolResult.failure(ProgramParts.lost(earlier, id)))
  }
  const log = begun(earlier, id, from === null)
  onStart(() => ProgramReport.interrupted(STOPPED, [...log.calls.values()], log.console))
  const keeping = yield* keeper(request, from)
  const functions = ProgramNames.functions(tools)
  const started = yield* Clock.currentTimeMillis
  const outcome = yield* sandbox.run({
    source: code,
    functions,
    describe: (name) => Effect.sync(() => Signatures.answer(name, tools, functions)),
    call: (call) => made(request, log, keeping, call, from !== null),
    onConsole: (line) => Effect.suspend(() => onLine(line, log.console.push(line))),
    onSnapshot: keeping.keep,
    ...from === null ? {} : { from }
  }).pipe(Effect.onError(() => kept.drop(id)))
  yield* keeping.drop
  const { missing } = log
  const notes = missing === 0 ? [] : [`[${missing} images and files of its calls left out; return fewer]`]
  const { text, truncated } = yield* ProgramReport.of(ProgramReport.withNames(outcome, functions), notes)
  const servers = [...log.servers.keys()].sort().join(", ")
  return {
    isError: outcome.error !== null,
    text,
    content: [{ type: "text", text }, ...log.content],
    structuredContent: null,
    truncated,
    // Value and console may repeat whatever the servers said.
    origin: servers === ""
      ? null
      : { server: servers, tool: "execute", isTrusted: [...log.servers.values()].every((isTrusted) => isTrusted) },
    fault: outcome.error === null ? null : "tool",
    diagnostics: [],
    millis: (yield* Clock.currentTimeMillis) - started
  }
})

const STOPPED = "The program was stopped before it ended."

/** The record of a program so far. */
interface Log {
  /** By the ids that the chat has for them. */
  readonly calls: Map<string, ProgramReport.Made>
  readonly console: Array<string>
  /** Whether each server that answered is trusted. */
  readonly servers: Map<string, boolean>
  /** The blocks besides text that its calls gave, as much as a result may have. */
  readonly content: Array<Schema.JsonObject>
  /** How many characters of it are left. */
  room: number
  /** The number of blocks that had no room. */
  missing: number
}

const MOST_BLOCKS = 20
const MOST_CHARACTERS = 8_000_000

/** The log of a program, with what it did before a restart where it goes on. */
const begun = (parts: Programs["earlier"], id: string, isNew: boolean): Log => {
  const log: Log = { calls: new Map(), console: [], servers: new Map(), content: [], room: MOST_CHARACTERS, missing: 0 }
  if (isNew) return log
  for (const [call, made] of ProgramParts.callsIn(parts, id)) log.calls.set(call, made)
  for (const part of parts) if (part.type === "tool-result" && log.calls.has(part.id)) noted(log, part)
  return log
}

const noted = (log: Log, { content, origin }: Pick<ToolResult.ToolResult, "content" | "origin">): void => {
  if (origin !== null) log.servers.set(origin.server, origin.isTrusted)
  for (const block of content) {
    if (block["type"] === "text") continue
    log.room -= JSON.stringify(block).length
    if (log.room >= 0 && log.content.length < MOST_BLOCKS) log.content.push(block)
    else log.missing++
  }
}

const made = (
  { id: program, make }: ProgramRequest,
  log: Log,
  keeping: Keeper,
  call: ProgramCall,
  isAgain: boolean
): Effect.Effect<CallAnswer> => {
  const { id, line, name, waiting } = call
  const enter = (outcome: CallRecord["outcome"]) => void log.calls.set(idOf(program, id), { name, line, outcome })
  return Effect.gen(function*() {
    const isNew = !log.calls.has(idOf(program, id))
    enter("unknown")
    keeping.open.add(id)
    // A snapshot that is kept would make it again.
    if (isNew) yield* keeping.drop
    const onWaiting = Effect.fnUntraced(function*(isWaiting: boolean) {
      enter(isWaiting ? "not made" : "unknown")
      yield* isWaiting ? keeping.wait(id) : keeping.goOn(id)
      yield* waiting(isWaiting)
    })
    const result = yield* make(call, { isAgain, onWaiting })
    const answer = answerOf(name, result)
    enter("value" in answer ? "done" : answer.outcome ?? "failed")
    noted(log, result)
    return answer
  }).pipe(Effect.ensuring(Effect.sync(() => keeping.open.delete(id))))
}

/** The value of a result inside a program: its structured content, else an object or a list that its text is, else its text. */
export const answerOf = (name: string, result: ToolResult.ToolResult): CallAnswer => {
  if (!result.isError) return { value: valueOf(result) }
  // A server may say so of a call that it got.
  const isRefused = result.fault === "call" ||
    result.origin === null && result.text.startsWith(`${name} was not called: `)
  return { error: result.text, outcome: isRefused ? "not made" : result.fault === "server" ? "unknown" : "failed" }
}

const valueOf = ({ structuredContent, text, truncated }: ToolResult.ToolResult): Schema.Json =>
  // The notice in a text that was cut says where the whole is.
  truncated === null ? ProgramReport.valueOf(text, structuredContent) : text

/** Keeps the state of a program for as long as all of its calls wait for a person. */
interface Keeper {
  /** The calls under way. */
  readonly open: Set<number>
  readonly wait: (call: number) => Effect.Effect<void>
  /** A call goes on: what is kept is gone before it is made, so that no restart makes it again. */
  readonly goOn: (call: number) => Effect.Effect<void>
  readonly keep: (snapshot: Snapshot) => Effect.Effect<void>
  readonly drop: Effect.Effect<void>
}

/** Clocks of two threads may differ a little. */
const SLACK_MILLIS = 500

const keeper = Effect.fnUntraced(function*(
  { id, programs: { kept } }: ProgramRequest,
  from: Snapshot | null
): Effect.fn.Return<Keeper> {
  const turns = yield* Semaphore.make(1)
  const open = new Set<number>()
  const since = new Map<number, number>()
  let isKept = from !== null
  const drop = turns.withPermit(Effect.suspend(() => {
    if (!isKept) return Effect.void
    isKept = false
    return kept.drop(id)
  }))
  return {
    open,
    wait: (call) => Effect.map(Clock.currentTimeMillis, (now) => void since.set(call, now)),
    goOn: (call) => Effect.suspend(() => since.delete(call) ? drop : Effect.void),
    keep: (snapshot) =>
      turns.withPermit(Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const youngest = Math.max(...[...open].map((call) => since.get(call) ?? now))
        // It was taken before a call went on: by now the program may have made others.
        if (now - youngest < LIMITS.parkMillis - SLACK_MILLIS) return Effect.void
        isKept = true
        return kept.keep(id, snapshot)
      })),
    drop
  }
})
