/** Settings of every call that the models of a program make: time limits, approval, what a model reads. */
import { ToolGlob } from "@boocode/tool-glob"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ToolResult from "../results/ToolResult.ts"
import type { AgentTool } from "./AgentTool.ts"
import * as Approval from "./Approval.ts"
import * as SchemaDialect from "./SchemaDialect.ts"

/** Everything that may be said about the calls of a toolkit. */
export interface CallSettings {
  /** The dialect of the model. Without it tools are given in the dialect they are in, and by patterns in that of `openai`. */
  readonly dialect?: SchemaDialect.SchemaDialect | undefined
  /** How long a server may be silent during a call; without it, the `timeout` of its entry. */
  readonly timeout?: Duration.Input | undefined
  /** How long a call may take, whatever its progress; without it, the `maxTotalTimeout` of the server's entry. */
  readonly maxTotalTimeout?: Duration.Input | undefined
  /** Asks a person while the call waits: about what it names, and what `ask` of a server's entry names. */
  readonly approval?: Approval.Approval | undefined
  /**
   * Names of tools, in the language of `@boocode/tool-glob`, for which the library that runs the model asks: it ends
   * its answer with a `tool-approval-request` and calls after a `tool-approval-response`. Without `approval`, what
   * `ask` of a server's entry names is among them; without either it is left out. `[]` names none but those.
   */
  readonly needsApproval?: ReadonlyArray<string> | undefined
  /** False where nobody looks at the progress of a call, which costs less then. True unless told. */
  readonly progress?: boolean | undefined
  /** False for a model that cannot see: it reads one line about each image instead. True unless told. */
  readonly images?: boolean | undefined
}

/**
 * The tools as these settings want them called and described. A tool that `ask` of its server's entry names is left out
 * where nobody would be asked: calling it without the question that its owner wants would be worse than not having it.
 */
export const apply = (tools: ReadonlyArray<AgentTool>, settings: CallSettings): SchemaDialect.Spoken => {
  const limited = tools.map((tool) => withTimeouts(tool, settings))
  // A person is asked about what the server will get, so before the dialect.
  const asked = settings.approval === undefined ? limited : Approval.guard(limited, settings.approval)
  const isAsking = settings.needsApproval !== undefined
  const usable = isAsking ? asked : asked.filter(({ needsApproval }) => needsApproval !== true)
  const left = isAsking ? [] : asked.filter(({ needsApproval }) => needsApproval === true).map(unasked)
  const spoken = settings.dialect === undefined
    ? { tools: usable, unspeakable: [], loose: new Set<string>() }
    : SchemaDialect.speak(usable, settings.dialect)
  return { ...spoken, unspeakable: [...left, ...spoken.unspeakable] }
}

const unasked = ({ name, server }: AgentTool): SchemaDialect.Unspeakable => ({
  name,
  server,
  reason: `"ask" of the entry wants a person's yes, and there is no way to ask for it here`
})

/** Tells for a tool's name whether its schema is strict. */
export const isStrict = ({ dialect }: CallSettings, { loose }: SchemaDialect.Spoken) => (name: string): boolean =>
  dialect === "openai-strict" && !loose.has(name)

/** Tells for a tool whether the library that runs the model asks about it. */
export const asksItself = (
  { needsApproval }: CallSettings
): (tool: Pick<AgentTool, "name" | "needsApproval">) => boolean => {
  if (needsApproval === undefined) return () => false
  const asked = ToolGlob.compile(needsApproval)
  return (tool) => tool.needsApproval === true || asked.allows(tool.name)
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
