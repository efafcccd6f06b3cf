/** The root of the command, and how a verb is run: what it does is loaded when it is asked for. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"
import { flags, fromFlags, type Options, RemoteToken } from "../options/Options.ts"
import { type Ended, type Failed, reported, type Usage } from "../terminal/Failure.ts"

export const root = Command.make("boocode").pipe(
  Command.withSharedFlags(flags),
  Command.withDescription("Chat with agents that use the tools of many MCP servers.")
)

/** Loads what a verb does, runs it, and reports how it ended. Answers come first: the log has only warnings by default. */
export const verb = <M, R>(
  load: () => Promise<M>,
  run: (module: M, options: Options) => Effect.Effect<void, Failed | Usage | Ended, R>,
  defaultLevel: LogLevel = "Warn"
) =>
  Effect.gen(function*() {
    const logLevel = yield* GlobalFlag.LogLevel
    const options = fromFlags(yield* root, logLevel)
    const level = Option.getOrElse(logLevel, () => defaultLevel)
    const program = Effect.flatMap(Effect.promise(load), (module) => run(module, options))
    return yield* reported(options.json, program).pipe(
      Effect.provideService(RemoteToken, options.token),
      Effect.provideService(References.MinimumLogLevel, level)
    )
  })

export const model = Flag.String("model").pipe(
  Flag.withMetavar("PROVIDER/ID"),
  Flag.withDescription("The model, for instance openai/gpt-5; without one the built-in command mode answers"),
  Flag.optional
)
export const agent = (description: string) =>
  Flag.String("agent").pipe(Flag.withMetavar("NAME"), Flag.withDescription(description), Flag.optional)
