/** Programs as functions of the test: their source is a name. */
import type { CallAnswer, CallRecord, Program, ProgramOutcome, Sandbox } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/** What a scripted program can do. */
export interface Inside {
  readonly program: Program
  /** Makes a call and gives its value; null for one that failed, as a program sees it that catches. */
  readonly call: (name: string, args?: Schema.JsonObject, line?: number) => Effect.Effect<CallAnswer>
  readonly log: (line: string) => Effect.Effect<void>
  /** The calls that wait for a person. */
  readonly waiting: ReadonlySet<number>
}

type Body = (inside: Inside) => Effect.Effect<Schema.Json | undefined, ProgramOutcome["error"] & object>

/** A sandbox that knows these programs. */
export const make = (programs: Readonly<Record<string, Body>>): Sandbox["Service"] =>
  running((source) => programs[source])

/** A sandbox in which this program goes on with its call of this number. */
export const restoring = (program: Body, call: number): Sandbox["Service"] => running(() => program, call)

const running = (programOf: (source: string) => Body | undefined, first = 1): Sandbox["Service"] => ({
  run: (program) =>
    Effect.gen(function*() {
      const calls: Array<CallRecord> = []
      const console: Array<string> = []
      const waiting = new Set<number>()
      const inside: Inside = {
        program,
        waiting,
        log: (line) =>
          Effect.andThen(Effect.sync(() => void console.push(line)), program.onConsole?.(line) ?? Effect.void),
        call: (name, args = {}, line) =>
          Effect.suspend(() => {
            const at = calls.length
            const id = at + first
            const record = { id, name, line: line ?? null, millis: 0 }
            calls.push({ ...record, outcome: "unknown" })
            const answer = program.call({
              id,
              name,
              args,
              line: line ?? null,
              waiting: (isWaiting) => Effect.sync(() => void (isWaiting ? waiting.add(id) : waiting.delete(id)))
            })
            return Effect.tap(answer, (given) =>
              Effect.sync(() => {
                calls[at] = { ...record, outcome: "value" in given ? "done" : given.outcome ?? "failed" }
              }))
          })
      }
      const body = programOf(program.source)
      if (body === undefined) return yield* Effect.die(`no program ${program.source}`)
      return yield* body(inside).pipe(
        Effect.match({
          onSuccess: (value): ProgramOutcome => ({ value, console, calls, error: null }),
          onFailure: (error): ProgramOutcome => ({ value: undefined, console, calls, error })
        })
      )
    })
})
