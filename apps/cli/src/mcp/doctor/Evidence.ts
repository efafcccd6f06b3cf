/** The facts that `mcp doctor` judges a server by, and the parts of a diagnosis. */
import type { ToolDocument } from "@boocode/chat-server/Documents"
import type { ConfiguredServer } from "@boocode/mcp-config"
import type { ServerStatus } from "@boocode/mcp-registry"

export interface Evidence {
  readonly status: ServerStatus
  readonly tools: ReadonlyArray<typeof ToolDocument.Type>
  readonly servers: ReadonlyArray<string>
  /** Null for a running server's server, of which only the status is known. */
  readonly entry: ConfiguredServer | null
  /** Lower files that have a server of this name, too. */
  readonly hides: ReadonlyArray<string>
}

export type Finding = {
  /** `problem`: the server cannot be used. `warning`: something of it may not work. `note`: worth knowing. */
  readonly level: "problem" | "warning" | "note"
  readonly message: string
  /** The next step; null when there is nothing to do. */
  readonly hint: string | null
  /** The last lines of standard error, where they may tell the reason. */
  readonly stderr: string | null
}

/** The steps in their order. A server has only those that belong to its transport and state. */
export type StepName =
  | "entry"
  | "variables"
  | "approval"
  | "command"
  | "start"
  | "headersHelper"
  | "handshake"
  | "protocol"
  | "authentication"
  | "listing"
  | "schemas"
  | "names"
  | "tokens"
  | "behaviour"

export type Step = {
  readonly step: StepName
  /** `skipped`: an earlier step failed. */
  readonly outcome: "ok" | "warning" | "problem" | "skipped"
  /** Null for a step that takes no time. */
  readonly millis: number | null
  readonly detail: string | null
  readonly findings: ReadonlyArray<Finding>
}

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
