/** The audit: each call with its caller, its place, its outcome and the yes behind it. Never with its arguments. */
import type { PermissionRule } from "@boocode/toolkit"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Permission } from "./WriteJournal.ts"

/**
 * A model in a chat, a program of a model, an application at `/v1`, a person or their script, an MCP client, an app of a
 * server that a chat shows.
 */
export const ORIGINS = ["chat", "program", "v1", "own", "client", "app"] as const

/** As in the journal of writes; `refused` was not made. */
export const OUTCOMES = ["done", "failed", "unknown", "refused"] as const

/** One call that is over, or was refused. */
export interface AuditedCall {
  /** The id of the person that it was made for. */
  readonly owner: string
  readonly tool: string
  /** Null for a built-in tool. */
  readonly server: string | null
  readonly class: PermissionRule.ToolClass
  readonly origin: (typeof ORIGINS)[number]
  /** The id of the chat, or the name of the client; null for none. */
  readonly place: string | null
  readonly outcome: (typeof OUTCOMES)[number]
  /** The authority that let it be made, or refused it. */
  readonly permission: Permission
  readonly millis: number
}

/** Notes calls. Without a layer nothing is noted. */
export class Audit extends Context.Reference<
  {
    /** Returns at once, and never fails: what cannot be noted is told in the log. */
    readonly note: (call: AuditedCall) => Effect.Effect<void>
  } | null
>("chat/Audit", { defaultValue: () => null }) {}

/** Nobody had to let a call be made. */
export const DEFAULT: Permission = { by: "default", source: "" }
