/** The calls of one program: made in order and so many at a time, answered, and told apart at the end. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { CallAnswer, CallRecord, Program, ProgramLimits } from "./Sandbox.ts"
import type { Ask } from "./ThreadMessages.ts"

/** A call that has no answer yet. */
export interface OpenCall {
  readonly id: number
  readonly name: string
  readonly line: number | null
  /** Its arguments as JSON. */
  readonly text: string
}

/** The calls of one program. The end of their scope interrupts those that are open. */
export interface ProgramCalls {
  /** Begins a call, or fetches a description. Does not wait for it. */
  readonly begin: (ask: Ask) => Effect.Effect<void>
  readonly hasAnswers: () => boolean
  /** The answers that have come since, as `ToThread` has them. */
  readonly takeAnswers: () => string
  /** Whether the program may give up its thread now: all calls that were begun wait for people, and no answer lies here. */
  readonly isParked: () => boolean
  /** The program waits from now on: `parked` is told as soon as all calls have waited long enough for people. */
  readonly rest: Effect.Effect<void>
  readonly open: () => ReadonlyArray<OpenCall>
  readonly answered: () => ReadonlyArray<CallRecord>
  /** Begins no more calls, gives those under way their time, and tells what became of all. */
  readonly finish: Effect.Effect<ReadonlyArray<CallRecord>>
}

/** Is told that there is an answer, and that all calls have waited long enough for people. Plain calls. */
export interface CallListener {
  readonly answered: () => void
  readonly parked: () => void
}

interface Entry extends OpenCall {
  state: "queued" | "made" | "waiting"
  /** When it was begun, and later when it began to wait. */
  began: number
  since: number
}

/** The calls of a program; `before` are those that a snapshot has answers for. */
export const make = Effect.fnUntraced(function*(
  program: Program,
  limits: ProgramLimits,
  before: ReadonlyArray<CallRecord>,
  listener: CallListener
): Effect.fn.Return<ProgramCalls, never, Scope.Scope> {
  const fibers = yield* FiberSet.make()
  const timer = yield* FiberHandle.make()
  const semaphore = yield* Semaphore.make(limits.inFlight)
  const quiet = yield* Latch.make()
  const records = new Map(before.map((record) => [record.id, record]))
  const entries = new Map<number, Entry>()
  let answers: Array<string> = []
  let descriptions = 0
  let isClosed = false

  const begun = () => [...entries.values()].filter(({ state }) => state !== "queued")

  const isParked = (): boolean => {
    const inFlight = begun()
    return inFlight.length > 0 && inFlight.every(({ state }) => state === "waiting") && answers.length === 0 &&
      descriptions === 0
  }

  /** After each change of what is open, answered or waited for. */
  const changed = Effect.suspend(() => {
    if (isClosed && begun().every(({ state }) => state === "waiting")) quiet.openUnsafe()
    return isParked() ? FiberHandle.run(timer, park) : FiberHandle.clear(timer)
  })

  const park = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const since = Math.max(...begun().map((entry) => entry.since))
    return Effect.andThen(Effect.sleep(since + limits.parkMillis - now), Effect.sync(listener.parked))
  })

  const answer = (text: string): void => {
    answers.push(text)
    listener.answered()
  }

  const settled = Effect.fnUntraced(function*(entry: Entry, given: CallAnswer) {
    const { id, line, name } = entry
    const now = yield* Clock.currentTimeMillis
    const [text, outcome] = written(id, given, limits)
    entries.delete(id)
    records.set(id, { id, name, line, outcome, millis: now - entry.began })
    answer(text)
    yield* changed
  })

  const make = (entry: Entry) =>
    Effect.gen(function*() {
      if (isClosed) return
      entry.began = yield* Clock.currentTimeMillis
      entry.state = "made"
      const { id, line, name } = entry
      const waiting = Effect.fnUntraced(function*(isWaiting: boolean) {
        entry.since = yield* Clock.currentTimeMillis
        entry.state = isWaiting ? "waiting" : "made"
        yield* changed
      })
      const given = yield* Effect.suspend(() =>
        program.call({ id, name, line, args: argumentsIn(entry.text), waiting })
      ).pipe(
        Effect.catchDefect((defect) =>
          Effect.succeed<CallAnswer>({ error: `it broke: ${String(defect)}`, outcome: "unknown" })
        )
      )
      yield* settled(entry, given)
    })

  const describe = (id: number, name: string) =>
    Effect.gen(function*() {
      const text = yield* Effect.catchDefect(program.describe(name), () => Effect.succeed(`nothing describes ${name}`))
      descriptions--
      answer(`[${id},true,${JSON.stringify(text)}]`)
    })

  return {
    begin: ([kind, id, name, line, text]) => {
      if (kind !== "call") {
        descriptions++
        return FiberSet.run(fibers, describe(id, name))
      }
      if (entries.has(id) || records.has(id)) return Effect.void
      const entry: Entry = { id, name, line, text, state: "queued", began: 0, since: 0 }
      entries.set(id, entry)
      return FiberSet.run(fibers, semaphore.withPermit(make(entry)))
    },
    hasAnswers: () => answers.length > 0,
    takeAnswers: () => {
      const text = `[${answers.join(",")}]`
      answers = []
      return text
    },
    isParked,
    rest: changed,
    open: () => [...entries.values()].map(({ id, line, name, text }) => ({ id, name, line, text })),
    answered: () => [...records.values()],
    finish: Effect.gen(function*() {
      isClosed = true
      yield* changed
      yield* Effect.timeoutOption(quiet.await, limits.graceMillis)
      const isMade = new Map([...entries.values()].map(({ id, state }) => [id, state === "made"] as const))
      // Nobody's yes comes in time from here on.
      yield* FiberSet.clear(fibers)
      const now = yield* Clock.currentTimeMillis
      const rest = [...entries.values()].map((entry) => unfinished(entry, isMade.get(entry.id) === true, now))
      return [...records.values(), ...rest].sort((one, other) => one.id - other.id)
    })
  }
})

const argumentsIn = (text: string): Schema.JsonObject => JSON.parse(text)

const unfinished = ({ began, id, line, name }: Entry, isMade: boolean, now: number): CallRecord =>
  isMade
    ? { id, name, line, outcome: "unknown", millis: now - began }
    : { id, name, line, outcome: "not made", millis: 0 }

/** An answer as the thread gets it, and what became of the call. */
const written = (id: number, given: CallAnswer, limits: ProgramLimits): readonly [string, CallRecord["outcome"]] => {
  if ("error" in given) return [refusal(id, given.error), given.outcome ?? "failed"]
  if (isDeeper(given.value, MOST_DEPTH)) {
    const why =
      `it was made, but its answer is nested more than ${MOST_DEPTH} levels deep, the most that a program takes`
    return [refusal(id, why), "done"]
  }
  const text = JSON.stringify(given.value)
  return text.length <= limits.answerLength ? [`[${id},true,${text}]`, "done"] : [
    refusal(
      id,
      `it was made, but its answer is ${text.length} characters of JSON, and ${limits.answerLength} are the most that a program takes: ask for less`
    ),
    "done"
  ]
}

const refusal = (id: number, text: string): string => `[${id},false,${JSON.stringify(text)}]`

/** JSON is read and written, inside and outside, with room on the stack for so many levels and many more. */
const MOST_DEPTH = 200

const isDeeper = (value: Schema.Json, levels: number): boolean =>
  typeof value === "object" && value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)))
