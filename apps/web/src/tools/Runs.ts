/** Calls that were made here, kept by tool while the page is open. */
import { signal } from "@preact/signals"
import type { Refusal } from "../api/Client.ts"
import type { Json, ToolResult } from "../api/Types.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"

/** The outcome of a call: an answer, a call that could not be made, or one that somebody cancelled. */
export type Outcome =
  | { readonly is: "answer"; readonly result: ToolResult }
  | { readonly is: "failure"; readonly problem: Refusal }
  | { readonly is: "cancelled" }

export interface Run {
  readonly id: number
  readonly at: number
  readonly args: Json
  /** As the person saw it: from pressing the button to the answer. */
  readonly millis: number
  readonly outcome: Outcome
}

const KEPT = 10
let last = 0

export const runs = signal<ReadonlyMap<string, ReadonlyArray<Run>>>(new Map())

/** Puts a run first among those of its tool, and gives it. */
export const keep = (tool: string, run: Omit<Run, "id">): Run => {
  const kept = { id: last += 1, ...run }
  runs.value = new Map(runs.value).set(tool, [kept, ...runs.value.get(tool) ?? []].slice(0, KEPT))
  return kept
}

/** In a few words. */
export const outcomeWords = ({ outcome }: Run): { readonly words: string; readonly tone: "good" | "bad" | "warn" } => {
  if (outcome.is === "cancelled") return { words: texts.wasCancelled, tone: "warn" }
  if (outcome.is === "failure") return { words: texts.couldNotBeCalled, tone: "bad" }
  return outcome.result.isError ? { words: texts.saysError, tone: "bad" } : { words: texts.done, tone: "good" }
}
