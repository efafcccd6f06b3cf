/** A call by a person, or by their script: of a tool of a server, or of a built-in one, by its name. */
import { McpError, McpRegistry } from "@boocode/mcp-registry"
import { PermissionTable, type RunOptions, ToolArguments, ToolCall, type ToolResult } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Audit from "../journal/Audit.ts"
import { OwnWrites } from "../journal/OwnWrites.ts"
import * as WriteJournal from "../journal/WriteJournal.ts"
import { CallDenied, YesNeeded } from "../model/ApprovalError.ts"
import * as CallRules from "../permissions/CallRules.ts"
import * as OutsideVerdict from "../permissions/OutsideVerdict.ts"
import * as ResourceTools from "../tools/ResourceTools.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { CurrentUser } from "../users/CurrentUser.ts"

/**
 * Calls a tool. The call of a tool that reads is a yes by itself. One that writes needs `isApproved`, a person's yes to
 * this very call, unless a rule of permissions.jsonc allows it and its write mode is not off: otherwise it fails with
 * `YesNeeded`. A call that a rule or a hook denies fails with `CallDenied`, even with a person's yes. Nothing is sent
 * in either case. A call of a tool that writes leaves a trace in `OwnWrites`. Fails as well as `ToolCall.run` does, and
 * for a name that nobody has.
 */
export const call = Effect.fnUntraced(function*(name: string, args: unknown, options: RunOptions = {}) {
  const own = (yield* builtIn(name)).find((tool) => tool.name === name)
  if (own !== undefined) {
    const usable = ToolArguments.usable(own, args)
    // The tool itself answers arguments that cannot be used, and does nothing.
    const permission = yield* permitted(own, Effect.orElseSucceed(usable, () => ({})), options)
    return yield* noted(own, permission, usable)(audited(own, permission)(own.run(args, options)))
  }
  const registry = yield* McpRegistry
  const writer = (yield* registry.writers).find((tool) => tool.name === name)
  const tool = writer ?? (yield* registry.tool(name))
  const usable = Effect.mapError(
    ToolArguments.usable(tool, args),
    (reason) => new McpError({ server: tool.server, reason })
  )
  // `ask` of the entry asks about calls of models.
  const listed = { ...tool, isAsked: false, isOffered: tool.isOffered === true }
  const permission = yield* permitted({ ...tool, listed }, usable, options)
  const made = ToolCall.run(tool, args, { ...options, writes: writer !== undefined })
  return yield* noted(tool, permission, usable)(audited(tool, permission)(made))
})

/** The tools of servers that `call` takes, sorted by name: also those that are kept from models because they write. */
export const callable = Effect.gen(function*() {
  const { tools, writers } = yield* McpRegistry
  return [...yield* tools, ...yield* writers].toSorted((one, other) => one.name < other.name ? -1 : 1)
})

/** The call, which leaves a trace where the tool writes and its arguments can be used. */
const noted = <E>(
  tool: CallRules.Subject,
  permission: WriteJournal.Permission | null,
  usable: Effect.Effect<Schema.JsonObject, E>
) =>
<A extends ToolResult.ToolResult, F, R>(call: Effect.Effect<A, F, R>) =>
  Effect.gen(function*() {
    const args = permission === null ? null : yield* Effect.orElseSucceed(usable, () => null)
    if (permission === null || args === null) return yield* call
    const { note } = yield* OwnWrites
    return yield* Effect.onExit(call, (exit) => note({ tool, args, permission, exit }))
  })

/** The call, which is told when it is over. */
const audited =
  (tool: CallRules.Subject, permission: WriteJournal.Permission | null) =>
  <A extends ToolResult.ToolResult, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      return yield* Effect.onExit(call, (exit) =>
        Effect.gen(function*() {
          const millis = (yield* Clock.currentTimeMillis) - began
          const outcome = WriteJournal.outcomeOf(exit)
          yield* note(tool, { outcome, permission: permission ?? Audit.DEFAULT, millis })
        }))
    })

const note = Effect.fnUntraced(function*(
  tool: CallRules.Subject,
  call: Pick<Audit.AuditedCall, "outcome" | "permission" | "millis">
) {
  const audit = yield* Audit.Audit
  if (audit === null) return
  const { id: owner } = yield* CurrentUser
  const { name, server } = tool
  yield* audit.note({ owner, tool: name, server, class: CallRules.classOf(tool), origin: "own", place: null, ...call })
})

const builtIn = Effect.fnUntraced(function*(name: string) {
  if (ResourceTools.NAMES.includes(name)) return yield* ResourceTools.make(null)
  const { tools, writers } = yield* (yield* WorkspaceTools).of((yield* CurrentUser).id)
  return [...tools, ...writers]
})

/** The permission under which the call is made; null for a tool that does not write. */
const permitted = Effect.fnUntraced(function*<E>(
  subject: OutsideVerdict.Subject,
  args: Effect.Effect<Schema.JsonObject, E>,
  { isApproved = false }: RunOptions
) {
  // Rules that ask are for models: the person who calls is not asked.
  const verdict = yield* OutsideVerdict.of(subject, args, { ask: [], isOffAsked: true })
  if (verdict === null) return null
  if (verdict.isDenied) {
    yield* note(subject, { outcome: "refused", permission: { by: "rule", source: verdict.source }, millis: 0 })
    return yield* new CallDenied({ tool: subject.name, why: verdict.why })
  }
  if (!PermissionTable.isWriter(verdict.class)) return null
  if (isApproved) return WriteJournal.PERSON
  if (verdict.outcome === "allow") return { by: "rule" as const, source: verdict.source }
  return yield* new YesNeeded({ tool: subject.name, class: verdict.class })
})
