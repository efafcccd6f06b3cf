/** The journal of a chat: every call of a tool that writes, what became of it, who allowed it, and how to undo it. */
import { type AgentTool, PermissionTable, ToolArguments, type ToolResult, type WriteUndo } from "@boocode/toolkit"
import * as IdGenerator from "effect/ai/IdGenerator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import type * as Schema from "effect/Schema"
import type { AllowedBy, Emit, Part, TurnPart, WriteOutcome } from "../model/Part.ts"

/** An entry of the journal before its chat numbers it. */
export type Entry = Extract<TurnPart, { readonly type: "write" }>

/** The permission under which a call was made, and where it stands. */
export interface Permission {
  readonly by: typeof AllowedBy.Type
  /** In words for people. */
  readonly source: string
}

/** Where entries go, and what of them only the caller knows. */
export interface JournalOptions {
  readonly emit: Emit
  /** Is asked once for each call, when it is over. `id` is null for a call without one. */
  readonly allowed: (call: { readonly id: string | null; readonly args: Schema.JsonObject }) => Permission
}

/** One call that is over. */
export interface Written {
  /** Unique in its chat. */
  readonly id: string
  /** The `id` of its `tool-call`; null for a call without one. */
  readonly call: string | null
  readonly tool: Pick<AgentTool, "name" | "server" | "class">
  readonly args: Schema.JsonObject
  readonly exit: Exit.Exit<ToolResult.ToolResult>
  readonly permission: Permission
  /** The undo that the tool told of; null when it told none. */
  readonly undo: WriteUndo | null
}

/** The entry about a call. */
export const entry = ({ args, call, exit, id, permission, tool, undo }: Written): Entry => ({
  type: "write",
  id,
  call: call ?? "",
  name: tool.name,
  server: tool.server,
  class: tool.class ?? "undeclared",
  args,
  outcome: outcomeOf(exit),
  allowedBy: permission.by,
  source: permission.source,
  undo
})

/** A person let the call be made. */
export const PERSON: Permission = { by: "person", source: "a person's yes to this call" }

/**
 * Entries about calls that the end of the program cut off: a person let them be made, they write, and these parts tell
 * nothing of what came of them.
 */
export const cutOff = (parts: ReadonlyArray<Part>): ReadonlyArray<Entry> => {
  const over = new Set(
    parts.flatMap((part) => part.type === "tool-result" ? [part.id] : part.type === "write" ? [part.call] : [])
  )
  const answers = new Map(parts.flatMap((part) => part.type === "approval-answer" ? [[part.id, part] as const] : []))
  return parts.filter((part) => part.type === "approval").flatMap(({ args, call, class: kind, id, name, server }) => {
    const answer = answers.get(id)
    const isMade = answer !== undefined && answer.decision !== "deny" && answer.decision !== "expired" &&
      !over.has(call)
    if (!isMade || kind === undefined || !PermissionTable.isWriter(kind)) return []
    return [{
      type: "write",
      id: `write ${id}`,
      call,
      name,
      server,
      class: kind,
      args: answer.args ?? args,
      outcome: "unknown",
      allowedBy: PERSON.by,
      source: PERSON.source,
      undo: null
    }]
  })
}

/** The outcome of a call. A server that did not answer may have done the work, and so may a call that was cut off. */
export const outcomeOf = (
  exit: Exit.Exit<Pick<ToolResult.ToolResult, "isError"> & Partial<Pick<ToolResult.ToolResult, "fault">>, unknown>
): typeof WriteOutcome.Type => {
  if (Exit.isFailure(exit)) return "unknown"
  if (!exit.value.isError) return "done"
  return exit.value.fault === "server" ? "unknown" : "failed"
}

/**
 * The tool, with an entry for each call that is made, after it and before its result. Goes inside what asks a person: a
 * call that was refused is no write, and neither is one whose arguments cannot be used.
 */
export const journaled = (tool: AgentTool, { allowed, emit }: JournalOptions): AgentTool => ({
  ...tool,
  run: (given, options = {}) =>
    Effect.matchEffect(ToolArguments.usable(tool, given), {
      onFailure: () => tool.run(given, options),
      onSuccess: (args) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function*() {
            const told = yield* Ref.make<WriteUndo | null>(null)
            const onWrite = (undo: WriteUndo) =>
              Effect.andThen(Ref.set(told, undo), options.onWrite?.(undo) ?? Effect.void)
            const exit = yield* Effect.exit(restore(tool.run(args, { ...options, onWrite })))
            const call = options.callId ?? null
            const id = yield* IdGenerator.defaultIdGenerator.generateId()
            const permission = allowed({ id: call, args })
            yield* emit(entry({ id, call, tool, args, exit, permission, undo: yield* Ref.get(told) }))
            return yield* exit
          })
        )
    })
})
