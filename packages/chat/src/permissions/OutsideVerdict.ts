/**
 * The verdict of rules and hooks about a call that belongs to no chat: a person's own, or one of a program that a
 * person uses.
 */
import { type AgentTool, type PermissionRule, PermissionTable } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type { Path } from "effect/Path"
import type * as Schema from "effect/Schema"
import * as CallHooks from "./CallHooks.ts"
import * as CallRules from "./CallRules.ts"
import { PermissionFiles } from "./PermissionFiles.ts"
import * as ServerPaths from "./ServerPaths.ts"

export interface OutsideVerdict {
  readonly outcome: PermissionRule.Outcome
  /** A rule or a hook denies: nobody's yes changes that. */
  readonly isDenied: boolean
  readonly class: PermissionRule.ToolClass
  /** In words that go after `because`. */
  readonly why: string
  /** Where the rule stands that decides; empty where none does. */
  readonly source: string
}

export type Subject = CallRules.Subject & Pick<AgentTool, "listed" | "real">

export interface Options {
  /** Patterns over the names of tools whose calls ask. */
  readonly ask: ReadonlyArray<string>
  /** Where no tool may write, a yes to this very call is enough all the same. */
  readonly isOffAsked: boolean
  /** The agent and the write mode of a chat whose app calls; left out for none. */
  readonly caller?: CallRules.Caller | undefined
}

/**
 * Gives what judges calls. The verdict is null where nothing at all is said about a tool that reads. `args` are asked for only
 * where something is.
 */
export const make = Effect.gen(function*() {
  const files = yield* PermissionFiles
  const hooks = yield* CallHooks.CallHooks
  const realOf = yield* ServerPaths.make
  const decided = Effect.fnUntraced(function*<E>(
    subject: Subject,
    args: Effect.Effect<Schema.JsonObject, E>,
    sources: CallRules.RuleSources,
    isOffAsked: boolean,
    now: number
  ): Effect.fn.Return<OutsideVerdict, E> {
    const { contents } = sources
    const given = yield* args
    const real = yield* realOf(subject, given)
    const { call, table } = CallRules.of(sources, subject, { args: given, real, print: null, grants: [], now })
    const isOff = isOffAsked && call.mode === "off"
    const verdict = PermissionTable.decide(table, isOff ? { ...call, mode: "ask" } : call)
    const { outcome, rule, why } = verdict
    const found = { outcome, isDenied: rule?.outcome === "deny", class: call.class, why, source: rule?.source ?? "" }
    if (found.isDenied) return found
    const asking = {
      tool: call.name,
      server: call.server,
      class: call.class,
      args: call.args,
      agent: call.agent,
      chat: ""
    }
    const hook = yield* CallHooks.strictest(hooks, contents.flatMap((content) => content.hooks), asking)
    if (hook !== null) {
      const words = `the hook at ${hook.source} says ${hook.outcome}: ${hook.reason}`
      return { ...found, outcome: hook.outcome, isDenied: hook.outcome === "deny", why: words, source: hook.source }
    }
    return isOff && outcome === "allow" ? { ...found, outcome: "ask" } : found
  })
  return <E>(
    subject: Subject,
    args: Effect.Effect<Schema.JsonObject, E>,
    { ask, caller = NOBODY, isOffAsked }: Options
  ): Effect.Effect<OutsideVerdict | null, E> =>
    Effect.flatMap(
      files.contents,
      (contents) =>
        Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<OutsideVerdict | null, E> => {
          const sources = { ask, caller, contents }
          return CallRules.isFree(sources, subject, now)
            ? Effect.succeed(null)
            : decided(subject, args, sources, isOffAsked, now)
        })
    )
})

const NOBODY: CallRules.Caller = { agent: null, write: null }

/** The verdict about one call, by the rules and hooks of the fiber. */
export const of = <E>(
  subject: Subject,
  args: Effect.Effect<Schema.JsonObject, E>,
  options: Options
): Effect.Effect<OutsideVerdict | null, E, FileSystem | Path> =>
  Effect.flatMap(make, (judged) => judged(subject, args, options))
