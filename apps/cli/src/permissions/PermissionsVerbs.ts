/** `permissions list`, `explain` and `test`: which calls are made, asked about and refused, and why. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { atServer, runningServer } from "../backend/VerbContext.ts"
import { agent, optionalArgument, type Options, type Target, targetFlags, verb } from "../options/Options.ts"
import * as ToolInput from "../options/ToolInput.ts"
import { Ended, warned } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import type * as LocalRules from "./LocalRules.ts"
import * as RuleLines from "./RuleLines.ts"
import { RuleSource } from "./RuleSource.ts"

/** Runs with the rules of the running server, or with those of the files and the servers of some tools. */
const ruled = <A, E, R>(
  options: Options,
  target: Target,
  toolsOf: Parameters<typeof LocalRules.provided>[1],
  use: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const url = yield* runningServer(options, target)
    if (url !== null) {
      const rules = (yield* Effect.promise(() => import("./RemoteRules.ts"))).layer
      const servers = (yield* Effect.promise(() => import("../backend/RemoteServers.ts"))).layer
      return yield* atServer(url)(Effect.provide(use, Layer.provide(rules, servers)))
    }
    const { provided } = yield* Effect.promise(() => import("./LocalRules.ts"))
    return yield* provided(options, toolsOf, use)
  })

const list = Command.make(
  "list",
  targetFlags,
  (target) =>
    verb((options) =>
      ruled(
        options,
        target,
        (contents) => contents.some(({ rules }) => rules.length > 0) ? null : [],
        Effect.gen(function*() {
          const { columns, document, lines, paint } = yield* Output
          const found = yield* RuleSource.use((source) => source.list)
          yield* options.json ? document(found) : lines(RuleLines.listLines(found, paint, yield* columns))
          yield* warned(found.problems)
        })
      )
    )
).pipe(
  Command.withDescription("Show the rules, where each comes from, and those that are about no tool")
)

const explain = Command.make(
  "explain",
  {
    tool: Argument.String("TOOL").pipe(Argument.withDescription("The tool, as `mcp tools` names it")),
    args: optionalArgument(
      Argument.String("JSON").pipe(
        Argument.withDescription("The arguments as a JSON object, or - to read it from standard input")
      )
    ),
    agent: agent("The agent that calls; without it a person does"),
    ...targetFlags
  },
  ({ agent, args: given, tool, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      // Wrong arguments fail before any server is started.
      const asked = { tool, args: yield* ToolInput.parsed(tool, given), agent }
      const explained = Effect.gen(function*() {
        const { columns, document, lines, paint } = yield* Output
        const found = yield* RuleSource.use((source) => source.explain(asked))
        yield* options.json
          ? document(found)
          : lines(RuleLines.explainedLines(asked, found, paint, yield* columns))
      })
      yield* ruled(options, target, () => [tool], explained)
    }))
).pipe(
  Command.withDescription("Show what becomes of a call, and which rule decides"),
  Command.withExamples([{
    command: "boocode permissions explain files_write_file '{\"path\":\"notes/a.md\"}' --agent Writer",
    description: "Whether Writer may write this file"
  }])
)

const test = Command.make(
  "test",
  targetFlags,
  (target) =>
    verb((options) =>
      ruled(
        options,
        target,
        (contents) => contents.flatMap(({ examples }) => examples.map(({ tool }) => tool)),
        Effect.gen(function*() {
          const { columns, document, lines, paint } = yield* Output
          const report = yield* RuleSource.use((source) => source.test)
          yield* options.json ? document(report) : lines(RuleLines.testLines(report, paint, yield* columns))
          yield* warned(report.problems)
          if (report.failed.length + report.problems.length > 0) return yield* new Ended({ code: 1 })
        })
      )
    )
).pipe(
  Command.withDescription("Run the examples of the files; exit 1 when one fails or a file is wrong")
)

export const permissions = Command.make("permissions").pipe(
  Command.withDescription("Look at the rules about calls of tools, and try them"),
  Command.withSubcommands([list, explain, test])
)
