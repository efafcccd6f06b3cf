/** How far the start of a server came, by its state, its error and the times of its steps. */
import type { StatusError, StepTime } from "@boocode/mcp-registry"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Evidence from "./Evidence.ts"

const STDIO = ["entry", "variables", "approval", "command", "start", "handshake", "protocol", "listing"] as const
const HTTP = [
  "entry",
  "variables",
  "approval",
  "headersHelper",
  "handshake",
  "protocol",
  "authentication",
  "listing"
] as const

export interface Outcome {
  readonly steps: ReadonlyArray<Evidence.StepName>
  /** Null when the start went through. */
  readonly stopped: Evidence.StepName | null
  readonly finding: Evidence.Finding | null
}

export const outcome = (evidence: Evidence.Evidence): Outcome => {
  const { status: { error, name, state, steps: times, transport } } = evidence
  const all: ReadonlyArray<Evidence.StepName> = transport === "stdio" ? STDIO : transport === null ? ["entry"] : HTTP
  const steps = all.filter((step) =>
    step === "approval"
      ? state === "needs-approval"
      : step !== "headersHelper" || error?._tag === "HeadersHelperFailed" || times.some((time) => time.step === step)
  )
  const first = transport === "stdio" ? "start" : "handshake"
  switch (state) {
    case "ready":
      return { steps, stopped: null, finding: null }
    case "disabled":
      return { steps: ["entry"], stopped: null, finding: null }
    case "needs-approval":
      return error?._tag === "Rejected"
        ? { steps: ["entry", "approval"], stopped: "approval", finding: Evidence.note(error.message, error.hint) }
        : notReady(evidence, steps, first)
    case "stopped":
      return {
        steps,
        stopped: first,
        finding: Evidence.problem("it was stopped by hand", `boocode mcp start ${name}`)
      }
    case "connecting":
      return { steps, stopped: stepAt(times, first), finding: Evidence.problem("it is still connecting", WAIT) }
    default:
      return notReady(evidence, steps, first)
  }
}

const notReady = (
  { status: { error, state, steps: times } }: Evidence.Evidence,
  steps: Outcome["steps"],
  first: Evidence.StepName
): Outcome => {
  if (error === null) return { steps, stopped: first, finding: Evidence.problem(`it is ${state}`, null) }
  const stopped = stepOf(error, times, first)
  const finding = Evidence.problem(error.message, error.hint, error.stderr)
  return { steps: steps.includes(stopped) ? steps : [...steps, stopped], stopped, finding }
}

const WAIT = "look again in a moment"

/** Reasons that always belong to one step. */
const STEPS: Readonly<Record<string, Evidence.StepName>> = {
  InvalidEntry: "entry",
  VariableUnset: "variables",
  TokenNeeded: "variables",
  NotApproved: "approval",
  Rejected: "approval",
  CommandNotFound: "command",
  SpawnFailed: "start",
  HeadersHelperFailed: "headersHelper",
  ProtocolMismatch: "protocol",
  AuthRequired: "authentication",
  AuthRejected: "authentication",
  AuthorizationFailed: "authentication",
  ListFailed: "listing"
}

const stepOf = (
  { _tag }: StatusError,
  times: ReadonlyArray<StepTime>,
  first: Evidence.StepName
): Evidence.StepName => STEPS[_tag] ?? stepAt(times, first)

const stepAt = (times: ReadonlyArray<StepTime>, first: Evidence.StepName): Evidence.StepName => {
  const last = times.at(-1)?.step ?? "start"
  return last === "start" ? first : stepNamed(last)
}

const stepNamed = (step: string): Evidence.StepName => {
  switch (step) {
    case "start":
    case "headersHelper":
      return step
    case "tools/list":
      return "listing"
    case "its work":
      return "behaviour"
    default:
      return "handshake"
  }
}

/** How long all parts of a step took; null for a step without a time. */
export const millisOf = (
  step: Evidence.StepName,
  { status: { steps, transport } }: Evidence.Evidence
): number | null => {
  const parts = steps.filter((time) => stepNamed(time.step) === step && step !== "behaviour")
  if (parts.length === 0 || (step === "start" && transport !== "stdio")) return null
  return parts.reduce((sum, { millis }) => sum + millis, 0)
}

/** An idle server shows how it was when it last ran. */
export const sleep = ({ status: { idle, name } }: Evidence.Evidence): ReadonlyArray<Evidence.Finding> =>
  idle
    ? [Evidence.note("it sleeps until it is called; this is how it was when it last ran", `boocode mcp start ${name}`)]
    : []

/** A start that took half of its limit may exceed it one day. */
export const slowness = ({ entry, status: { connectMillis } }: Evidence.Evidence): ReadonlyArray<Evidence.Finding> => {
  if (entry === null || connectMillis === null || Result.isFailure(entry.config)) return []
  const limit = Duration.toMillis(entry.config.success.startupTimeout)
  if (connectMillis < limit / 2) return []
  const message = `its start took ${Math.round(connectMillis)} ms of the ${limit} ms it may take`
  return [Evidence.warning(message, `if that is usual, raise "startupTimeout" of the entry`)]
}
