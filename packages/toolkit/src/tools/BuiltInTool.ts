/** A tool of this program itself, whose arguments are read and checked as those of servers' tools are. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ToolResult } from "../results/ToolResult.ts"
import * as ToolArguments from "../validation/ToolArguments.ts"
import type { AgentTool, RunOptions } from "./AgentTool.ts"

/** The parts of a built-in tool. */
export interface Definition<Args> {
  readonly name: string
  readonly description: string
  /** Those of its input schema, which takes no others. */
  readonly properties: Schema.JsonObject
  readonly required: ReadonlyArray<string>
  /** The arguments as types. */
  readonly args: Schema.Codec<Args, unknown>
  /** `reads` unless told. */
  readonly class?: AgentTool["class"]
  readonly before?: AgentTool["before"]
  readonly real?: AgentTool["real"]
  /** Answers a call; how long it took is filled in. */
  readonly run: (args: Args, options: RunOptions) => Effect.Effect<ToolResult>
  /** Answers arguments that cannot be used; `why` is one line. */
  readonly refuse: (why: string) => ToolResult
}

/** A built-in tool; it is sent with every request. */
export const make = <Args>(
  { args, before, class: kind = "reads", description, name, properties, real, refuse, required, run }: Definition<Args>
): AgentTool => {
  // One object for all calls: what was compiled for checking belongs to it.
  const inputSchema = { type: "object", properties, required, additionalProperties: false }
  const decode = (given: unknown): Effect.Effect<Args, string> =>
    ToolArguments.usable({ name, inputSchema }, given).pipe(
      Effect.mapError(({ detail }) => detail),
      Effect.flatMap((usable) => Effect.mapError(Schema.decodeEffect(args)(usable), ({ message }) => message))
    )
  return {
    name,
    server: null,
    description,
    inputSchema,
    tokens: Math.ceil((name.length + description.length + JSON.stringify(inputSchema).length) / 4),
    isAlwaysLoaded: true,
    class: kind,
    before,
    real,
    run: Effect.fnUntraced(function*(given: unknown, options: RunOptions = {}) {
      const started = yield* Clock.currentTimeMillis
      const result = yield* decode(given).pipe(
        Effect.flatMap((args) => run(args, options)),
        Effect.catch((why) => Effect.succeed(refuse(why.replaceAll(/\s+/g, " "))))
      )
      return { ...result, millis: (yield* Clock.currentTimeMillis) - started }
    })
  }
}
