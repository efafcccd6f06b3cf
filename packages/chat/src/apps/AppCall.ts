/** A call by an app: of a tool of its own server that is for apps, by the rules that hold for its chat. */
import { McpRegistry, type McpTool, ToolUi } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { PermissionTable, ToolArguments, ToolCall } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Agent } from "../agents/Agent.ts"
import { Questions } from "../asking/Questions.ts"
import * as Audit from "../journal/Audit.ts"
import { OwnWrites } from "../journal/OwnWrites.ts"
import * as WriteJournal from "../journal/WriteJournal.ts"
import * as OutsideVerdict from "../permissions/OutsideVerdict.ts"
import * as ToolsOff from "../tools/ToolsOff.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import { AppRefused } from "./AppError.ts"
import type { ChatApp } from "./ChatApp.ts"

export interface AppCall {
  /** The raw name. */
  readonly tool: string
  readonly args: unknown
  /** The agent of the chat. */
  readonly agent: Pick<Agent, "ask" | "name" | "tools">
  /** Patterns of the settings over names of tools whose calls ask. */
  readonly ask: ReadonlyArray<string>
}

/**
 * Calls a tool for an app. Where a rule, the entry, the agent or the write mode of the chat has it asked, the person is
 * asked first, and waited for. Fails with `AppRefused` for what the app may not call, and as `ToolCall.run` does. Each call
 * is audited, and one that writes leaves a trace in `OwnWrites`.
 */
export const call = Effect.fnUntraced(function*(app: ChatApp, { agent, args, ask, tool: wanted }: AppCall) {
  const { server } = app
  const refuse = (why: string) => new AppRefused({ server, wanted, why })
  const { isHidden, tool } = yield* find(server, wanted)
  if (tool === null) return yield* refuse("the server has no such tool, or not for apps")
  if (!ToolsOff.isOn(app.chat.off)(tool)) return yield* refuse("it is turned off in this chat")
  // An agent knows the names of those tools alone that models see.
  if (!isHidden && !ToolGlob.compile(agent.tools ?? ["*"]).allows(tool.name)) {
    return yield* refuse(`the agent ${agent.name} may not use it`)
  }
  const usable = yield* Effect.mapError(ToolArguments.usable(tool, args), ({ message }) => refuse(message))
  const permission = yield* permitted(app, tool, usable, { agent, ask })
  if (typeof permission === "string") {
    yield* audited(app, tool, { outcome: "refused", permission: Audit.DEFAULT, millis: 0 })
    return yield* refuse(permission)
  }
  const asker = yield* (yield* Questions).own
  const began = yield* Clock.currentTimeMillis
  const made = ToolCall.run(tool, usable, { asker, writes: PermissionTable.isWriter(tool.class) })
  const { note } = yield* OwnWrites
  return yield* Effect.onExit(made, (exit) =>
    Effect.gen(function*() {
      const millis = (yield* Clock.currentTimeMillis) - began
      yield* audited(app, tool, { outcome: WriteJournal.outcomeOf(exit), permission, millis })
      if (PermissionTable.isWriter(tool.class)) {
        yield* note({ tool, args: usable, permission, exit, client: programOf(server) })
      }
    }))
})

/** The name by which a person knows the app of a server. */
const programOf = (server: string): string => `the app of ${server}`

/** A tool of this server that is for apps, by its raw name, and whether models are kept from it. */
const find = Effect.fnUntraced(function*(server: string, wanted: string) {
  const registry = yield* McpRegistry
  const [tools, writers, hidden] = yield* Effect.all([registry.tools, registry.writers, registry.appTools])
  const isMeant = (one: McpTool) => one.server === server && one.tool === wanted && ToolUi.of(one).isForApps
  const tool = [...tools, ...writers, ...hidden].find(isMeant) ?? null
  return { tool, isHidden: tool !== null && hidden.includes(tool) }
})

/** The permission under which the call is made, or why it is not. */
const permitted = Effect.fnUntraced(function*(
  { chat, server }: ChatApp,
  tool: McpTool,
  args: Schema.JsonObject,
  { agent, ask }: Pick<AppCall, "agent" | "ask">
) {
  const caller = { agent, write: chat.write }
  const verdict = yield* OutsideVerdict.of({ ...tool, listed: tool }, Effect.succeed(args), {
    ask,
    caller,
    isOffAsked: false
  })
  if (verdict === null) return Audit.DEFAULT
  const { outcome, source, why } = verdict
  if (outcome === "allow") return { by: "rule" as const, source }
  if (outcome === "deny") return why
  const wanted = { program: programOf(server), name: tool.name, tool: tool.tool, args, class: tool.class, why }
  const { action, reason } = yield* (yield* Questions).mayCall(wanted, tool)
  return action === "accept" ? WriteJournal.PERSON : reason ?? "the person said no"
})

const audited = Effect.fnUntraced(function*(
  { chat }: ChatApp,
  { class: toolClass, name, server }: McpTool,
  call: Pick<Audit.AuditedCall, "outcome" | "permission" | "millis">
) {
  const audit = yield* Audit.Audit
  if (audit === null) return
  const { id: owner } = yield* CurrentUser
  yield* audit.note({ owner, tool: name, server, class: toolClass, origin: "app", place: chat.id, ...call })
})
