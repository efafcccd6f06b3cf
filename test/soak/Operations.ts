/** What was asked for and is not answered yet, and how long each may take. */
import type { McpError } from "@boocode/mcp-registry"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Findings } from "./Findings.ts"

export interface Operation {
  readonly step: number
  readonly kind: string
  readonly server: string
  readonly started: number
  readonly limitMillis: number
}

export class Operations {
  private readonly running = new Map<Operation, Fiber.Fiber<void>>()
  /** Those that we interrupt ourselves. */
  private readonly interrupted = new WeakSet<Operation>()
  private readonly findings: Findings

  constructor(findings: Findings) {
    this.findings = findings
  }

  get size(): number {
    return this.running.size
  }

  of(server: string, kind: RegExp): number {
    return [...this.running.keys()].filter((operation) => operation.server === server && kind.test(operation.kind))
      .length
  }

  /** Starts it. A typed error is an answer; a defect is a violation, and so is an interruption that nobody asked for. */
  launch(
    kind: string,
    server: string,
    limitMillis: number,
    effect: Effect.Effect<string, McpError>
  ): Effect.Effect<Operation> {
    const operation = { step: this.findings.step, kind, server, limitMillis, started: performance.now() }
    const settled = (exit: Exit.Exit<string, McpError>) =>
      Effect.sync(() => {
        this.running.delete(operation)
        this.settled(operation, exit)
      })
    return Effect.suspend(() => {
      this.findings.count(kind)
      return Effect.forkDetach(Effect.asVoid(Effect.exit(Effect.onExit(effect, settled))))
    }).pipe(Effect.map((fiber) => {
      this.running.set(operation, fiber)
      return operation
    }))
  }

  /** Interrupts it, and reports when that takes longer than it may. */
  interrupt(operation: Operation, withinMillis: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      const fiber = this.running.get(operation)
      if (fiber === undefined) return Effect.void
      this.interrupted.add(operation)
      const started = performance.now()
      return Effect.map(
        Effect.timeoutOption(Fiber.interrupt(fiber), withinMillis),
        Option.match({
          onSome: () => this.findings.took("interruption", performance.now() - started),
          onNone: () => this.hangs(operation, `it was interrupted ${withinMillis} ms ago`)
        })
      )
    })
  }

  private settled(operation: Operation, exit: Exit.Exit<string, McpError>): void {
    const { kind, server, started, step } = operation
    this.findings.took(kind, performance.now() - started)
    const outcome = Exit.match(exit, {
      onSuccess: (said) => said,
      onFailure: (cause) => {
        const reason = cause.reasons.find(Cause.isFailReason)
        return reason === undefined ? "interrupted" : reason.error.reason._tag
      }
    })
    this.findings.count(`${kind}: ${outcome}`)
    if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
      this.findings.violated(`${kind} of ${server} (step ${step}) ended with a defect: ${Cause.pretty(exit.cause)}`)
    } else if (outcome === "interrupted" && !this.interrupted.has(operation)) {
      this.findings.violated(`${kind} of ${server} (step ${step}) was interrupted, though nobody asked for that`)
    }
  }

  /** Reports those that are past their limit, once each. */
  check(): void {
    for (const operation of this.running.keys()) {
      const age = performance.now() - operation.started
      if (age > operation.limitMillis) this.hangs(operation, `its limit is ${operation.limitMillis} ms`)
    }
  }

  /** Waits until all are settled, for the time given; then reports the others and gives up on them. */
  drain(withinMillis: number, since: string): Effect.Effect<void> {
    const waiting = Effect.suspend(() => Effect.forEach([...this.running.values()], Fiber.await, { discard: true }))
    return Effect.timeoutOption(waiting, withinMillis).pipe(
      Effect.andThen(Effect.suspend(() => {
        const left = [...this.running.entries()]
        for (const [operation] of left) {
          this.interrupted.add(operation)
          this.hangs(operation, `${withinMillis} ms after ${since}`)
        }
        return Effect.forEach(left, ([, fiber]) => Effect.timeoutOption(Fiber.interrupt(fiber), 1000), {
          concurrency: "unbounded",
          discard: true
        })
      }))
    )
  }

  private hangs(operation: Operation, why: string): void {
    this.running.delete(operation)
    const age = Math.round(performance.now() - operation.started)
    this.findings.violated(
      `${operation.kind} of ${operation.server} (step ${operation.step}) waits since ${age} ms: ${why}`
    )
  }
}
