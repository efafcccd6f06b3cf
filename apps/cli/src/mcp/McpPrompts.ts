/** `mcp prompts` and `mcp prompt`: the prompts of the servers, and one of them filled in. */
import type { McpPrompt } from "@boocode/mcp-registry"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { served } from "../backend/VerbContext.ts"
import { argsFlag, targetFlags, verb } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { Usage } from "../terminal/Failure.ts"
import { oneLine, Output, type Paint } from "../terminal/Output.ts"
import * as OfferedLists from "./OfferedLists.ts"

export const prompts = OfferedLists.listVerb({
  kind: "prompts",
  about: "Show the prompts that the servers offer",
  ask: (servers, server) => servers.prompts(server),
  lines: ({ prompts }, paint, columns) => promptLines(prompts, paint, columns)
})

/** One line a prompt, written as a message calls it. */
const promptLines = (prompts: ReadonlyArray<McpPrompt>, paint: Paint, columns: number): ReadonlyArray<string> =>
  prompts.length === 0
    ? ["no prompts"]
    : OfferedLists.table(prompts.map((prompt) => [`/${prompt.server}:${prompt.name}`, summary(prompt)]), paint, columns)

const summary = ({ arguments: args, description, title }: McpPrompt): string => {
  const names = args.map(({ name, required }) => required ? name : `${name}?`).join(", ")
  return `${oneLine(description ?? title ?? "", 100)}${names === "" ? "" : ` (${oneLine(names)})`}`.trim()
}

export const prompt = Command.make(
  "prompt",
  {
    server: OfferedLists.server,
    name: Argument.String("NAME").pipe(Argument.withDescription("The prompt")),
    args: argsFlag,
    ...targetFlags
  },
  ({ args: given, name, server, ...target }) =>
    verb((options) =>
      Effect.gen(function*() {
        // Wrong arguments fail before any server is started.
        const args = yield* parsedArguments(name, given)
        const filled = Effect.flatMap(OfferedLists.settled(server), (servers) => servers.prompt(server, name, args))
        const result = yield* Effect.provide(
          served(options, target, filled, { chosen: server }),
          TerminalQuestions.requestsLayer
        )
        const output = yield* Output
        yield* options.json ? output.document(result) : output.text(`${result.text}\n`)
      })
    )
).pipe(Command.withDescription("Have a server fill in a prompt, and print its text"))

const parsedArguments = Effect.fnUntraced(function*(prompt: string, args: string | null) {
  const { ToolArguments } = yield* Effect.promise(() => import("@boocode/toolkit"))
  const text = args === "-" ? yield* Output.use((output) => output.input) : args
  return yield* Effect.fromResult(ToolArguments.parse(prompt, text)).pipe(
    Effect.mapError(({ message }) =>
      new Usage({ message, hint: "arguments of a prompt are one JSON object, for instance {\"topic\": \"rain\"}" })
    )
  )
})
