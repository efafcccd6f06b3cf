/** What `mcp doctor` knows about a server, and its diagnosis as `--json` prints it. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import type { ConfiguredServer } from "@boocode/mcp-config"
import type { ServerStatus } from "@boocode/mcp-registry"
import { ServerState } from "@boocode/mcp-registry/Schemas"
import * as Schema from "effect/Schema"

export interface Evidence {
  readonly status: ServerStatus
  /** The tools of this server. */
  readonly tools: ReadonlyArray<typeof ToolDocument.Type>
  /** The names of all servers. */
  readonly servers: ReadonlyArray<string>
  /** The entry; null for a server that runs elsewhere, where no more is known than its status tells. */
  readonly entry: ConfiguredServer | null
  /** Files that declare a server of this name too, which this one hides. */
  readonly hides: ReadonlyArray<string>
}

export const Finding = Schema.Struct({
  /** `problem`: the server cannot be used. `warning`: something of it may not work. `note`: worth knowing. */
  level: Schema.Literals(["problem", "warning", "note"]),
  message: Schema.String,
  /** What to do; null when there is nothing to do. */
  hint: Schema.NullOr(Schema.String),
  /** The last lines that the server wrote to standard error, where they may tell why. */
  stderr: Schema.NullOr(Schema.String)
})
export type Finding = typeof Finding.Type

/** The steps, in the order they are gone through; those that a server does not have are left out. */
export const StepName = Schema.Literals([
  "entry",
  "variables",
  "approval",
  "command",
  "start",
  "headersHelper",
  "handshake",
  "protocol",
  "authentication",
  "listing",
  "schemas",
  "names",
  "tokens",
  "behaviour"
])
export type StepName = typeof StepName.Type

export const Step = Schema.Struct({
  step: StepName,
  /** `skipped`: it was not come to. */
  outcome: Schema.Literals(["ok", "warning", "problem", "skipped"]),
  /** How long it took, where it takes time. */
  millis: Schema.NullOr(Schema.Number),
  detail: Schema.NullOr(Schema.String),
  findings: Schema.Array(Finding)
})
export type Step = typeof Step.Type

export const ServerDiagnosis = Schema.Struct({
  name: Schema.String,
  transport: Schema.NullOr(Schema.String),
  source: Schema.String,
  state: ServerState,
  /** `disabled`: by its entry, or because a person rejected it. */
  verdict: Schema.Literals(["healthy", "disabled", "problem"]),
  tools: Schema.Int,
  /** What its tools cost in every request to a model, about. */
  tokens: Schema.Int,
  /** From the start to the first tool list; null before that. */
  millis: Schema.NullOr(Schema.Number),
  steps: Schema.Array(Step)
})
export type ServerDiagnosis = typeof ServerDiagnosis.Type

/** `mcp doctor --json`. */
export const Diagnosis = Schema.Struct({
  /** Whether every file can be used, and every server is healthy or disabled. */
  healthy: Schema.Boolean,
  /** What keeps whole files of a running server from being used. */
  problems: Schema.Array(Finding),
  servers: Schema.Array(ServerDiagnosis)
})
export type Diagnosis = typeof Diagnosis.Type

const finding = (level: Finding["level"]) => (message: string, hint: string | null = null): Finding => ({
  level,
  message,
  hint,
  stderr: null
})

export const problem = (message: string, hint: string | null, stderr: string | null = null): Finding => ({
  ...finding("problem")(message, hint),
  stderr
})
export const warning = finding("warning")
export const note = finding("note")

export const counted = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`
