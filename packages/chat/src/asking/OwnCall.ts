/** A call by a person, or by their script: of a tool of a server, or of a built-in one, by its name. */
import { McpError, McpRegistry } from "@boocode/mcp-registry"
import { type AgentTool, PermissionTable, type RunOptions, ToolArguments, ToolCall } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { CallDenied, YesNeeded } from "../model/ApprovalError.ts"
import * as CallHooks from "../permissions/CallHooks.ts"
import * as CallRules from "../permissions/CallRules.ts"
import { PermissionFiles } from "../permissions/PermissionFiles.ts"
import * as ServerPaths from "../permissions/ServerPaths.ts"
import * as ResourceTools from "../tools/ResourceTools.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"

/**
 * Calls a tool. The call of a tool that reads is a yes by itself. One that writes needs `isApproved`, a person's yes to
 * this very call, unless a rule of permissions.jsonc allows it and its write mode is not off: otherwise it fails with
 * `YesNeeded`. What a rule or a hook denies fails with `CallDenied`, whatever the person says. Nothing is sent in either
 * case. Fails as well as `ToolCall.run` does, and for a name that nobody has.
 */
export const call = Effect.fnUntraced(function*(name: string, args: unknown, options: RunOptions = {}) {
  const own = (yield* builtIn(name)).find((tool) => tool.name === name)
  if (own !== undefined) {
    const usable = ToolArguments.usable(own, args)
    // What cannot be used the tool answers itself, and does nothing.
    yield* permitted(own, Effect.orElseSucceed(usable, () => ({})), options)
    return yield* own.run(args, options)
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
  yield* permitted({ ...tool, listed }, usable, options)
  return yield* ToolCall.run(tool, args, { ...options, writes: writer !== undefined })
})

const builtIn = Effect.fnUntraced(function*(name: string) {
  if (ResourceTools.NAMES.includes(name)) return yield* ResourceTools.make(null)
  const { tools, writers } = yield* WorkspaceTools
  return [...tools, ...writers]
})

/** What asks models does not ask the person who calls. */
const CALLER = { ask: [], caller: { agent: null, write: null } } as const

const permitted = Effect.fnUntraced(function*<E>(
  subject: CallRules.Subject & Pick<AgentTool, "listed" | "real">,
  args: Effect.Effect<Schema.JsonObject, E>,
  { isApproved = false }: RunOptions
) {
  const sources = { ...CALLER, contents: yield* (yield* PermissionFiles).contents }
  const now = yield* Clock.currentTimeMillis
  if (CallRules.isFree(sources, subject, now)) return
  const given = yield* args
  const real = yield* (yield* ServerPaths.make)(subject, given)
  const asked = { args: given, real, print: null, grants: [], now }
  const { call, table } = CallRules.of(sources, subject, asked)
  const isOff = call.mode === "off"
  const { outcome, rule, why } = PermissionTable.decide(table, isOff ? { ...call, mode: "ask" } : call)
  if (rule?.outcome === "deny") return yield* new CallDenied({ tool: subject.name, why })
  const hooks = sources.contents.flatMap((content) => content.hooks)
  const asking = { tool: call.name, server: call.server, class: call.class, args: call.args, agent: null, chat: "" }
  const hook = yield* CallHooks.strictest(yield* CallHooks.CallHooks, hooks, asking)
  if (hook?.outcome === "deny") {
    return yield* new CallDenied({ tool: call.name, why: `the hook at ${hook.source} says deny: ${hook.reason}` })
  }
  const isAllowed = isApproved || outcome === "allow" && !isOff && hook === null
  if (!PermissionTable.isWriter(call.class) || isAllowed) return
  return yield* new YesNeeded({ tool: subject.name, class: call.class })
})
