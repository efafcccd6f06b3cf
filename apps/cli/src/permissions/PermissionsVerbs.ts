/** `permissions list`, `explain` and `test`: which calls are made, asked about and refused, and why. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { ChatBackend } from "../backend/ChatBackend.ts"
import { atServer, runningServer } from "../backend/VerbContext.ts"
import * as ChatIds from "../lines/ChatIds.ts"
import {
  agent,
  optional,
  optionalArgument,
  type Options,
  type Target,
  targetFlags,
  textFlag,
  verb
} from "../options/Options.ts"
import * as ToolInput from "../options/ToolInput.ts"
import { Ended, warned } from "../terminal/Failure.ts"
import { Output, type Paint } from "../terminal/Output.ts"
import type * as LocalRules from "./LocalRules.ts"
import * as RuleLines from "./RuleLines.ts"
import { RuleSource } from "./RuleSource.ts"

type ToolsOf = Parameters<typeof LocalRules.provided>[1]

/** Runs with the rules and chats of the running server, or with those of the files and the servers of some tools. */
const ruled = <A, E, R>(options: Options, target: Target, toolsOf: ToolsOf, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const url = yield* runningServer(options, target)
    if (url !== null) {
      const rules = (yield* Effect.promise(() => import("./RemoteRules.ts"))).layer
      const servers = (yield* Effect.promise(() => import("../backend/RemoteServers.ts"))).layer
      const chats = (yield* Effect.promise(() => import("../backend/RemoteChats.ts"))).layer
      return yield* atServer(url)(Effect.provide(use, Layer.merge(chats, Layer.provide(rules, servers))))
    }
    const { provided } = yield* Effect.promise(() => import("./LocalRules.ts"))
    return yield* provided(options, toolsOf, use)
  })

/** Prints what is found as one document, or as lines for people. */
const printed = <A extends Schema.JsonObject, E, R>(
  { json }: Options,
  find: Effect.Effect<A, E, R>,
  linesOf: (found: A, paint: Paint, columns: number) => ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const { columns, document, lines, paint } = yield* Output
    const found = yield* find
    yield* json ? document(found) : lines(linesOf(found, paint, yield* columns))
    return found
  })

const list = Command.make(
  "list",
  targetFlags,
  (target) =>
    verb(Effect.fnUntraced(function*(options) {
      const toolsOf: ToolsOf = (contents) => contents.some(({ rules }) => rules.length > 0) ? null : []
      const found = printed(options, RuleSource.use((source) => source.list), RuleLines.listLines)
      yield* warned((yield* ruled(options, target, toolsOf, found)).problems)
    }))
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
    agent: agent("The agent that calls; by default that of the chat, or one that no rule names"),
    chat: optional(textFlag("chat", "ID", "The chat it is called in, with its write mode and what was allowed there")),
    ...targetFlags
  },
  ({ agent, args: given, chat, tool, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      // Wrong arguments fail before any server is started.
      const args = yield* ToolInput.parsed(tool, given)
      const explained = Effect.gen(function*() {
        const { list } = yield* ChatBackend
        const id = chat === null ? null : yield* ChatIds.whole(list, chat)
        return yield* RuleSource.use((source) => source.explain({ tool, args, agent, chat: id }))
      })
      const lines = printed(
        options,
        explained,
        (found, paint, columns) => RuleLines.explainedLines({ args, tool }, found, paint, columns)
      )
      yield* ruled(options, target, () => [tool], lines)
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
    verb(Effect.fnUntraced(function*(options) {
      const toolsOf: ToolsOf = (contents) => contents.flatMap(({ examples }) => examples.map(({ tool }) => tool))
      const tested = printed(options, RuleSource.use((source) => source.test), RuleLines.testLines)
      const { failed, problems } = yield* ruled(options, target, toolsOf, tested)
      yield* warned(problems)
      if (failed.length + problems.length > 0) return yield* new Ended({ code: 1 })
    }))
).pipe(
  Command.withDescription("Run the examples of the files; exit 1 when one fails or a file is wrong")
)

export const permissions = Command.make("permissions").pipe(
  Command.withDescription("Look at the rules about calls of tools, and try them"),
  Command.withSubcommands([list, explain, test])
)
