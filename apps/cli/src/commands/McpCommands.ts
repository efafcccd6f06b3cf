/** The verbs of `mcp` and their flags. */
import type { SchemaDialect } from "@boocode/toolkit"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { duration } from "../options/DurationFlag.ts"
import * as Options from "../options/Options.ts"
import { switched } from "../options/Options.ts"
import { controls, decisions, logins } from "./ControlCommands.ts"
import { edits, exchanges } from "./EditCommands.ts"
import { agent, verb } from "./Root.ts"

// The verbs about prompts and resources, and their flags.

const load = () => import("../mcp/McpOfferings.ts")

const onlyOf = (what: string) =>
  Argument.String("SERVER").pipe(
    Argument.withDescription(`Only the ${what} of this server, which is waited for`),
    Argument.optional
  )
const server = Argument.String("SERVER").pipe(Argument.withDescription("The server"))

const prompts = Command.make(
  "prompts",
  { server: onlyOf("prompts"), ...Options.targetFlags },
  ({ server, ...given }) =>
    verb(load, (module, options) => module.prompts(options, Options.target(given), Option.getOrNull(server)))
).pipe(Command.withDescription("Show the prompts that the servers offer"))

const prompt = Command.make(
  "prompt",
  {
    server,
    name: Argument.String("NAME").pipe(Argument.withDescription("The prompt")),
    args: Flag.String("args").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("The arguments as a JSON object, or - to read it from standard input"),
      Flag.optional
    ),
    ...Options.targetFlags
  },
  ({ args, name, server, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.prompt(options, Options.target(given), { server, prompt: name, args: Option.getOrNull(args) })
    )
).pipe(Command.withDescription("Have a server fill in a prompt and print its text"))

const resources = Command.make(
  "resources",
  { server: onlyOf("resources"), ...Options.targetFlags },
  ({ server, ...given }) =>
    verb(load, (module, options) => module.resources(options, Options.target(given), Option.getOrNull(server)))
).pipe(Command.withDescription("Show the resources that the servers offer, and the templates of their URIs"))

const read = Command.make(
  "read",
  {
    server,
    uri: Argument.String("URI").pipe(Argument.withDescription("The resource")),
    watch: Flag.Boolean("watch").pipe(
      Flag.withAlias("w"),
      Flag.withDescription("Print it again each time that it changes, until Ctrl-C"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    ...Options.targetFlags
  },
  ({ server, uri, watch, ...given }) =>
    watch
      ? verb(
        () => import("../mcp/McpOfferings.ts"),
        (module, options) => module.watch(options, Options.target(given), server, uri)
      )
      : verb(load, (module, options) => module.read(options, Options.target(given), server, uri))
).pipe(Command.withDescription("Read a resource and print its text"))

export const offerings = [prompts, prompt, resources, read] as const

const list = Command.make(
  "list",
  Options.targetFlags,
  (given) => verb(() => import("../mcp/McpList.ts"), (module, options) => module.list(options, Options.target(given)))
).pipe(
  Command.withDescription("Show every server and its state; without a running server, connect to them first")
)

// Written out, because a verb's modules are loaded when it runs.
const DIALECTS = ["raw", "openai", "openai-strict", "anthropic", "gemini"] as const satisfies typeof SchemaDialect.names

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
    ),
    schema: Flag.Literals("schema", DIALECTS).pipe(
      Flag.withDescription("Show each schema as models of this provider get it, and what it could not say"),
      Flag.optional
    ),
    ...Options.targetFlags
  },
  ({ agent, match, schema, server, ...given }) =>
    verb(
      () => import("../mcp/McpList.ts"),
      (module, options) =>
        module.tools(options, Options.target(given), {
          server: Option.getOrNull(server),
          agent: Option.getOrNull(agent),
          match,
          schema: Option.getOrNull(schema)
        })
    )
).pipe(Command.withDescription("Show the tools that the servers offer"))

const FOUND = 10
const MOST_FOUND = 100

const search = Command.make(
  "search",
  {
    query: Argument.String("QUERY").pipe(
      Argument.withDescription("What a tool should do, in a few words, or its name"),
      Argument.filter((words) => words.trim() !== "", () => "a few words, or the name of a tool")
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription(`How many tools at most, from 1 to ${MOST_FOUND}; ${FOUND} unless given`),
      Flag.filter(
        (count) => count >= 1 && count <= MOST_FOUND,
        () => `a number from 1 to ${MOST_FOUND}`
      ),
      Flag.withDefault(FOUND)
    ),
    agent: agent("Only what this agent may use"),
    ...Options.targetFlags
  },
  ({ agent, limit, query, ...given }) =>
    verb(
      () => import("../mcp/McpList.ts"),
      (module, options) =>
        module.search(options, Options.target(given), { query, limit, agent: Option.getOrNull(agent) })
    )
).pipe(
  Command.withDescription("Find tools by what they do, the best first"),
  Command.withExamples([
    { command: "boocode mcp search \"weather forecast\" --limit 3", description: "What fits best" }
  ])
)

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
      Flag.withDescription("How long the tool may be silent, with its unit: 2s, 500ms, \"2 minutes\""),
      duration,
      Flag.optional
    ),
    ...Options.targetFlags
  },
  ({ args, timeout, tool, ...given }) =>
    verb(
      () => import("../mcp/McpCall.ts"),
      (module, options) =>
        module.call(options, Options.target(given), {
          tool,
          args: Option.getOrNull(args),
          timeout: Option.getOrNull(timeout)
        })
    )
).pipe(Command.withDescription("Call one tool and print its answer"))

const get = Command.make(
  "get",
  { name: Argument.String("NAME").pipe(Argument.withDescription("The server")) },
  ({ name }) => verb(() => import("../mcp/McpGet.ts"), (module, options) => module.get(options, name))
).pipe(Command.withDescription("Show one server's entry as it was understood, and which file it comes from"))

const doctor = Command.make(
  "doctor",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("Only this server"), Argument.optional),
    isVerbose: switched("verbose", "Show every step of servers with which nothing is wrong, too"),
    ...Options.targetFlags
  },
  ({ isVerbose, name, ...given }) =>
    verb(
      () => import("../mcp/McpDoctor.ts"),
      (module, options) => module.doctor(options, Options.target(given), { name: Option.getOrNull(name), isVerbose })
    )
).pipe(
  Command.withDescription("Go through every server step by step and say what to do; exit 1 when one has a problem")
)

export const mcp = Command.make("mcp").pipe(
  Command.withDescription("Look at MCP servers, change which there are, and use their tools"),
  Command.withSubcommands([
    list,
    tools,
    search,
    call,
    ...offerings,
    get,
    doctor,
    ...edits,
    ...exchanges,
    ...controls,
    ...logins,
    ...decisions
  ])
)
