/** The run of one program: its turns in a thread, its calls between them, and its end. */
import * as Effect from "effect/Effect"
import type * as Pool from "effect/Pool"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as ProgramCalls from "./ProgramCalls.ts"
import type { ProgramThread, ThreadLost } from "./ProgramThreads.ts"
import {
  type CallRecord,
  type ErrorKind,
  LIMITS,
  type Program,
  type ProgramError,
  type ProgramLimits,
  type ProgramOutcome
} from "./Sandbox.ts"
import * as SnapshotFormat from "./SnapshotFormat.ts"
import type { FromThread, SavedState, ThreadEnd, ToThread } from "./ThreadMessages.ts"
import * as ThreadSeat from "./ThreadSeat.ts"

type Threads = Pool.Pool<ProgramThread, ThreadLost>

/** A thread that computes so much longer than it may is ended. */
const OVERDUE = 500

/** The other work of a thread: to make an instance for a program, to compress and to unpack its memory. */
const STARTING = 2000
const SAVING = 30_000

/** The messages to the loop of a run. */
type News =
  | FromThread
  | { readonly type: "answered" }
  | { readonly type: "parked" }
  | { readonly type: "lost"; readonly why: ThreadLost }
  /** No answer came in time to what was posted as so manieth. */
  | { readonly type: "overdue"; readonly at: number; readonly fault: ThreadEnd }

/** Runs a program in threads of the pool. */
export const run: (pool: Threads, program: Program) => Effect.Effect<ProgramOutcome> = Effect.fn("Sandbox.run")(
  function*(pool, program) {
    const limits = { ...LIMITS, ...program.limits }
    const read = program.from === undefined ? Result.succeed(null) : SnapshotFormat.decode(program.from)
    if (Result.isFailure(read)) return failed("snapshot", `what was saved of the program ${read.failure}`)
    const source = read.success?.source ?? program.source
    return yield* source.length > limits.sourceLength
      ? Effect.succeed(failed(
        "syntax",
        `the program has ${source.length} characters, and ${limits.sourceLength} are the most`
      ))
      : Effect.scoped(running(pool, program, source, limits, read.success))
  }
)

const running = Effect.fnUntraced(function*(
  pool: Threads,
  program: Program,
  source: string,
  limits: ProgramLimits,
  saved: SnapshotFormat.SavedProgram | null
) {
  const scope = yield* Effect.scope
  const news = yield* Queue.unbounded<News>()
  const tell = (one: News): void => {
    Queue.offerUnsafe(news, one)
  }
  const calls = yield* ProgramCalls.make(program, limits, saved?.answered ?? [], {
    answered: () => tell({ type: "answered" }),
    parked: () => tell({ type: "parked" })
  })
  const lines = [...saved?.console ?? []]
  let spent = saved?.state.spent ?? 0
  let seat: ThreadSeat.ThreadSeat | null = null
  /** The state with which it goes on while it has no thread. */
  let parked: SavedState | null = null
  /** The calls as they were when the thread was asked to save it. */
  let saving = { answered: calls.answered(), open: calls.open() }
  /** Calls of a snapshot, made anew once a thread has accepted it. */
  let again = saved?.open ?? []
  let isBusy = false
  let posted = 0

  const post = (to: ThreadSeat.ThreadSeat, message: ToThread, millis: number, fault: ThreadEnd) => {
    isBusy = true
    const at = ++posted
    return to.ask(message, millis, () => tell({ type: "overdue", at, fault }))
  }

  /** Takes a thread, and has it begin with the program or go on with what was saved of it. */
  const sit = Effect.fnUntraced(function*(state: SavedState | null, build: string | null) {
    isBusy = true
    const taken = yield* ThreadSeat.take(pool, {
      heard: tell,
      lost: (why) => tell({ type: "lost", why })
    }).pipe(Scope.provide(scope), Effect.result)
    if (Result.isFailure(taken)) return lost(taken.failure, limits)
    seat = taken.success
    if (build !== null && build !== seat.build) {
      yield* seat.leave(true)
      seat = null
      return ended("snapshot", "another version of BooCode began this program, and this one cannot go on with it")
    }
    yield* state === null
      ? post(seat, begin(program, source, limits), limits.computeMillis + STARTING, uninterrupted(limits))
      : post(seat, { type: "restore", state, limits }, SAVING, BROKEN)
    return null
  })

  /** Gives the program the answers that lie here, once it waits. */
  const flush = Effect.suspend(() => {
    if (isBusy || !calls.hasAnswers()) return Effect.succeed(null)
    if (seat === null) return sit(parked, null)
    const left = limits.computeMillis - spent + OVERDUE
    return Effect.as(post(seat, { type: "answers", answers: calls.takeAnswers() }, left, uninterrupted(limits)), null)
  })

  const turned = Effect.fnUntraced(function*(turn: Extract<FromThread, { readonly type: "turn" }>) {
    spent = turn.spent
    for (const asked of turn.asks) {
      const [kind, , , , line] = asked
      if (kind !== "console") yield* calls.begin(asked)
      else {
        lines.push(line)
        if (program.onConsole !== undefined) yield* program.onConsole(line)
      }
    }
    if (turn.end !== null) return turn.end
    for (const { id, line, name, text } of again) yield* calls.begin(["call", id, name, line, text])
    again = []
    yield* calls.rest
    return yield* flush
  })

  /** The saved state is kept, and the thread is free for others. */
  const parking = Effect.fnUntraced(function*(of: ThreadSeat.ThreadSeat, state: SavedState) {
    if (calls.hasAnswers()) return yield* flush
    parked = state
    if (program.onSnapshot !== undefined) {
      const { build } = of
      yield* program.onSnapshot(SnapshotFormat.encode({ build, source, console: lines, ...saving, state }))
    }
    if (calls.hasAnswers()) return yield* flush
    seat = null
    yield* of.drop
    return null
  })

  const heard = (one: News): Effect.Effect<ThreadEnd | null> => {
    switch (one.type) {
      case "answered":
        return flush
      case "lost":
        return Effect.succeed(lost(one.why, limits))
      case "overdue":
        return Effect.succeed(isBusy && one.at === posted ? one.fault : null)
      case "parked":
        if (isBusy || seat === null || !calls.isParked()) return Effect.succeed(null)
        saving = { answered: calls.answered(), open: calls.open() }
        return Effect.as(post(seat, { type: "save" }, SAVING, BROKEN), null)
      case "turn":
      case "saved": {
        isBusy = false
        if (seat === null) return Effect.succeed(null)
        return Effect.andThen(seat.answered, one.type === "turn" ? turned(one) : parking(seat, one.state))
      }
    }
  }

  let end = yield* sit(saved?.state ?? null, saved?.build ?? null)
  while (end === null) {
    const one = yield* Queue.take(news)
    end = yield* heard(one)
    // A thread that says itself that the program has ended has forgotten it.
    if (end !== null && seat !== null) yield* leave(seat, one.type === "turn" && one.isUsable)
  }
  return outcome(end, source, lines, yield* calls.finish)
})

const leave = (seat: ThreadSeat.ThreadSeat, isUsable: boolean): Effect.Effect<void> => seat.leave(isUsable)

const begin = (program: Program, source: string, limits: ProgramLimits): ToThread => ({
  type: "run",
  source,
  functions: program.functions,
  limits
})

const ended = (kind: ErrorKind, message: string): ThreadEnd => ({
  value: null,
  error: { kind, message, line: null, during: null }
})

const failed = (kind: ErrorKind, message: string): ProgramOutcome => outcome(ended(kind, message), "", [], [])

const BROKEN = ended("broken", "the thread of the program takes too long to save it. Run it again")

const uninterrupted = (limits: ProgramLimits): ThreadEnd =>
  ended(
    "compute",
    `it computed for ${
      limits.computeMillis / 1000
    } s, the most that a program may, and could not be interrupted: its thread was ended`
  )

const lost = ({ detail, isMemory }: ThreadLost, limits: ProgramLimits): ThreadEnd =>
  isMemory
    ? ended("memory", `it needed more memory than the ${limits.memoryBytes / 1_000_000} MB that a program may have`)
    : ended("broken", `the thread of the program is lost: ${detail}. Run it again`)

const outcome = (
  { error, value }: ThreadEnd,
  source: string,
  console: ReadonlyArray<string>,
  calls: ReadonlyArray<CallRecord>
): ProgramOutcome => ({
  value: value === null ? undefined : JSON.parse(value),
  console,
  calls,
  error: error === null ? null : { ...error, text: lineOf(source, error.line) }
})

/** A line is shown, not quoted whole. */
const SHOWN = 200

const lineOf = (source: string, line: number | null): ProgramError["text"] =>
  line === null ? null : source.split("\n")[line - 1]?.trim().slice(0, SHOWN) ?? null
