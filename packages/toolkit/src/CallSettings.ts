/**
 * What a program asks of every call that its models make: how long it may take, whose yes it needs.
 */
import { ToolGlob } from "@boocode/tool-glob"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AgentTool } from "./AgentTool.ts"
import * as Approval from "./Approval.ts"
import * as Dialect from "./Dialect.ts"
import * as ToolResult from "./ToolResult.ts"

/**
 * Everything that may be said about the calls of a toolkit.
 *
 * @category models
 */
export interface CallSettings {
  /** Whose model it is. Without it tools are given in the dialect they are in, and by patterns in that of `openai`. */
  readonly dialect?: Dialect.Dialect | undefined
  /** How long a server may be silent during a call; without it, the `timeout` of its entry. */
  readonly timeout?: Duration.Input | undefined
  /** How long a call may take, whatever its progress; without it, the `maxTotalTimeout` of the server's entry. */
  readonly maxTotalTimeout?: Duration.Input | undefined
  /** Asks a person while the call waits. */
  readonly approval?: Approval.Approval | undefined
  /**
   * Names of tools, in the language of `@boocode/tool-glob`, for which the library that runs the model asks: it ends its
   * answer with a `tool-approval-request` and calls after a `tool-approval-response`.
   */
  readonly needsApproval?: ReadonlyArray<string> | undefined
  /** False for a model that cannot see: it reads one line about each image instead. True unless told. */
  readonly images?: boolean | undefined
}

/**
 * The tools as these settings want them called and described.
 *
 * @category constructors
 */
export const apply = (tools: ReadonlyArray<AgentTool>, settings: CallSettings): Dialect.Spoken => {
  const limited = tools.map((tool) => withTimeouts(tool, settings))
  // A person is asked about what the server will get, so before the dialect.
  const asked = settings.approval === undefined ? limited : Approval.guard(limited, settings.approval)
  return settings.dialect === undefined
    ? { tools: asked, unspeakable: [], loose: new Set() }
    : Dialect.speak(asked, settings.dialect)
}

/**
 * Tells for a tool's name whether its schema is strict.
 *
 * @category guards
 */
export const isStrict = ({ dialect }: CallSettings, { loose }: Dialect.Spoken) => (name: string): boolean =>
  dialect === "openai-strict" && !loose.has(name)

/**
 * Tells for a tool's name whether the library that runs the model asks about it.
 *
 * @category guards
 */
export const asksItself = ({ needsApproval }: CallSettings): (name: string) => boolean => {
  if (needsApproval === undefined) return () => false
  const asked = ToolGlob.compile(needsApproval)
  return (name) => asked.allows(name)
}

const withTimeouts = (tool: AgentTool, { maxTotalTimeout, timeout }: CallSettings): AgentTool =>
  timeout === undefined && maxTotalTimeout === undefined ? tool : {
    ...tool,
    run: (args, options) => {
      const idle = options?.timeout ?? (timeout === undefined ? undefined : Duration.fromInputUnsafe(timeout))
      const call = tool.run(args, { ...options, timeout: idle })
      return maxTotalTimeout === undefined ? call : Effect.timeoutOrElse(call, {
        duration: maxTotalTimeout,
        orElse: () => Effect.succeed(tooLong(tool, maxTotalTimeout))
      })
    }
  }

const tooLong = (tool: AgentTool, limit: Duration.Input): ToolResult.ToolResult =>
  ToolResult.failure(
    `${tool.name} failed: it was not done after ${Duration.toSeconds(limit)} s and was cancelled; `
      + "it is not known whether it took effect, so look before you call it again",
    { fault: "server", millis: Duration.toMillis(limit) }
  )
