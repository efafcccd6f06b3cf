/**
 * The requests that a program left for outside, checked. The script that writes them runs inside the sandbox: a flaw of
 * the engine could let a program write in its place, and must not give it more than it may have anyway.
 */
import type { Ask, ProgramLimits, ThreadEnd } from "@boocode/toolkit/code"
import * as MachineFault from "./MachineFault.ts"

export interface ProgramOutbox {
  readonly asks: ReadonlyArray<Ask>
  readonly end: ThreadEnd | null
  /** Whether it waits for anything that was asked for. */
  readonly isOpen: boolean
}

/** Null where it is not what the script writes. */
export const read = (text: string, limits: ProgramLimits): ProgramOutbox | null => {
  const given = parsed(text)
  if (!isObject(given)) return null
  const { asks, end, isOpen } = given
  return Array.isArray(asks) && asks.every((ask) => isAsk(ask, limits)) && (end === null || isEnd(end)) &&
      typeof isOpen === "boolean"
    ? { asks, end, isOpen }
    : null
}

/** Undefined where it is no JSON. */
const parsed = (text: string): unknown => {
  const read = MachineFault.attempt((): unknown => JSON.parse(text))
  return "value" in read ? read.value : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isLine = (value: unknown): value is number | null => value === null || Number.isInteger(value)

const isAsk = (ask: unknown, limits: ProgramLimits): ask is Ask => {
  if (!Array.isArray(ask) || ask.length !== 5) return false
  const [kind, id, name, line, text]: ReadonlyArray<unknown> = ask
  if (typeof name !== "string" || !isLine(line) || typeof text !== "string") return false
  if (kind === "console") return id === 0
  if (!Number.isInteger(id) || Math.abs(Number(id)) > limits.calls) return false
  return kind === "describe" ? Number(id) < 0 : kind === "call" && Number(id) > 0 && isArguments(text, limits)
}

const isArguments = (text: string, limits: ProgramLimits): boolean =>
  text.length <= limits.argumentLength && isObject(parsed(text))

const KINDS: ReadonlyArray<unknown> = ["threw", "calls", "output"]

const isEnd = (end: unknown): end is ThreadEnd => {
  if (!isObject(end)) return false
  const { error, value } = end
  if (value !== null && (typeof value !== "string" || parsed(value) === undefined)) return false
  return error === null || isObject(error) && KINDS.includes(error["kind"]) && typeof error["message"] === "string" &&
      isLine(error["line"]) && (error["during"] === null || typeof error["during"] === "string")
}
