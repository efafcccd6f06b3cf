/** The services with which a turn runs programs: a sandbox, and a place for those that wait. */
import type { Sandbox, Snapshot } from "@boocode/toolkit/code"
import type * as Effect from "effect/Effect"
import type { Part } from "../model/Part.ts"

/** Programs of one turn that wait for a person, by the calls of `execute` that run them. */
export interface KeptPrograms {
  /** Keeps the state of a program in the place of an earlier one. Where that fails, a restart ends the program. */
  readonly keep: (call: string, snapshot: Snapshot) => Effect.Effect<void>
  /** The state that is kept; null for none. */
  readonly of: (call: string) => Effect.Effect<Snapshot | null>
  /** Forgets it, but for a chat that ends here and goes on elsewhere. */
  readonly drop: (call: string) => Effect.Effect<void>
}

/** How the programs of one turn run. */
export interface Programs {
  readonly sandbox: Sandbox["Service"]
  readonly kept: KeptPrograms
  /** The parts of the turn before a restart. */
  readonly earlier: ReadonlyArray<Part>
}

/** The name of the file of a chat in which the state of a program is kept. */
export const fileOf = (call: string): string => `program-${call}`
