/** The hooks of permissions.jsonc: programs that are asked about each call, and may refuse it or have a person asked. */
import type { ProcessTree, Programs } from "@boocode/mcp-client/Host"
import * as ShellCommand from "@boocode/mcp-client/ShellCommand"
import type { Environment } from "@boocode/mcp-config"
import type { Hook } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** A call, as a hook reads it on standard input, as one line of JSON. */
export interface HookCall {
  readonly tool: string
  /** Null for a built-in tool. */
  readonly server: string | null
  readonly class: string
  readonly args: Schema.JsonObject
  readonly agent: string | null
  readonly chat: string
}

/** The answer of a hook about a call. */
export interface HookAnswer {
  readonly outcome: "deny" | "ask"
  /** In words for a person. */
  readonly reason: string
  /** The file of the hook and its line. */
  readonly source: string
}

/**
 * Asks hooks. Without a layer nothing can be run, so that every call asks a person as long as there is a hook.
 */
export class CallHooks extends Context.Reference<{
  /** Null for a hook that lets the call go on. Never fails: of a hook that fails a person is asked. */
  readonly ask: (hook: Hook, call: HookCall) => Effect.Effect<HookAnswer | null>
}>("chat/CallHooks", {
  defaultValue: () => ({ ask: ({ source }) => Effect.succeed(failed(source, "this program runs no hooks")) })
}) {
  /**
   * Runs them in this folder with the variables of the safe list, each for 5 s at most, and ends everything that they
   * started.
   */
  static readonly layer = (
    cwd: string
  ): Layer.Layer<never, never, Environment | Path.Path | ProcessTree | Programs> =>
    Layer.effect(
      CallHooks,
      Effect.map(Effect.context<ShellCommand.Requirements>(), (services) => ({
        ask: (hook, call) => Effect.provideContext(run(cwd, hook, call), services)
      }))
    )
}

/** The strictest of what hooks want; null when all of them let the call go on. They run side by side. */
export const strictest = Effect.fnUntraced(function*(
  { ask }: typeof CallHooks.Service,
  hooks: ReadonlyArray<Hook>,
  call: HookCall
): Effect.fn.Return<HookAnswer | null> {
  const answers = yield* Effect.forEach(hooks, (hook) => ask(hook, call), { concurrency: "unbounded" })
  return answers.find((answer) => answer?.outcome === "deny") ?? answers.find((answer) => answer !== null) ?? null
})

const LIMIT = Duration.seconds(5)
const MAX_BYTES = 64 * 1024

const Answer = Schema.Struct({
  outcome: Schema.Literals(["deny", "ask"]),
  reason: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([Answer, Schema.Struct({})])))

const run = Effect.fnUntraced(function*(cwd: string, { command: [program, ...args], source }: Hook, call: HookCall) {
  const { failure, stderr, stdout } = yield* ShellCommand.run({
    command: Redacted.make(program),
    args,
    input: `${JSON.stringify(call)}\n`,
    cwd,
    variables: {},
    limit: LIMIT,
    maxBytes: MAX_BYTES
  })
  if (failure !== null) {
    yield* Effect.logWarning(`the hook at ${source} ${failure}${stderr === "" ? "" : `: ${stderr}`}`)
    return failed(source, `it ${failure}`)
  }
  if (stdout.trim() === "") return null
  const answer = Option.getOrNull(decode(stdout))
  if (answer === null) return failed(source, "it answered something else than an outcome")
  if (!("outcome" in answer)) return null
  const reason = answer.reason ?? ""
  return { outcome: answer.outcome, reason: reason.trim() === "" ? "it gave no reason" : reason.slice(0, 2000), source }
})

const failed = (source: string, why: string): HookAnswer => ({
  outcome: "ask",
  reason: `the hook cannot tell, because ${why}`,
  source
})
