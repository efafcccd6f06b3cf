/** The verbs of `mcp` and their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { agent, verb } from "./Root.ts"

const list = Command.make(
  "list",
  {},
  () => verb(() => import("./McpList.ts"), (module, options) => module.list(options))
).pipe(
  Command.withDescription("Connect to every server and show its state")
)

const tools = Command.make(
  "tools",
  {
    server: Argument.String("SERVER").pipe(
      Argument.withDescription("Only the tools of this server"),
      Argument.optional
    ),
    agent: agent("Only what this agent may use"),
    match: Flag.String("match").pipe(
      Flag.withMetavar("PATTERN"),
      Flag.withDescription(
        "Only tools that the patterns allow: * is any run of characters, ! denies, the last match decides"
      ),
      Flag.atLeast(0)
    )
  },
  ({ agent, match, server }) =>
    verb(
      () => import("./McpTools.ts"),
      (module, options) =>
        module.tools(options, { server: Option.getOrNull(server), agent: Option.getOrNull(agent), match })
    )
).pipe(Command.withDescription("Show the tools that the servers offer"))

const duration = (text: string): Option.Option<Duration.Duration> =>
  Option.filter(
    /^\d+$/.test(text) ? Option.some(Duration.millis(Number(text))) : readDuration(text),
    (value) => Duration.isGreaterThan(value, Duration.zero)
  )
const isDurationInput = (text: string): text is Duration.Input & string => /^\d+(\.\d+)? [a-z]+$/.test(text)
const readDuration = (text: string) => isDurationInput(text) ? Duration.fromInput(text) : Option.none()

const call = Command.make(
  "call",
  {
    tool: Argument.String("TOOL").pipe(Argument.withDescription("The tool, as `mcp tools` names it")),
    args: Flag.String("args").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("The arguments as a JSON object, or - to read it from standard input"),
      Flag.optional
    ),
    timeout: Flag.String("timeout").pipe(
      Flag.withMetavar("DURATION"),
      Flag.withDescription("How long the tool may be silent: milliseconds, or text such as \"30 seconds\""),
      Flag.filterMap(
        (text) => duration(text),
        () => "milliseconds, or text such as \"30 seconds\""
      ),
      Flag.optional
    )
  },
  ({ args, timeout, tool }) =>
    verb(
      () => import("./McpCall.ts"),
      (module, options) =>
        module.call(options, { tool, args: Option.getOrNull(args), timeout: Option.getOrNull(timeout) })
    )
).pipe(Command.withDescription("Call one tool and print its answer"))

const get = Command.make(
  "get",
  { name: Argument.String("NAME").pipe(Argument.withDescription("The server")) },
  ({ name }) => verb(() => import("./McpGet.ts"), (module, options) => module.get(options, name))
).pipe(Command.withDescription("Show one server's entry as it was understood, and which file it comes from"))

export const mcp = Command.make("mcp").pipe(
  Command.withDescription("Look at MCP servers and use their tools"),
  Command.withSubcommands([list, tools, call, get])
)
