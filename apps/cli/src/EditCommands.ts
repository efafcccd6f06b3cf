/** The verbs of `mcp` that edit a file with servers, and their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { scope, scopeToWrite, switched } from "./Flags.ts"
import { verb } from "./Root.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The server"))

const text = (flag: string, metavar: string, description: string) =>
  Flag.String(flag).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const texts = (flag: string, metavar: string, description: string) =>
  Flag.String(flag).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.atLeast(0))

const add = Command.make(
  "add",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("How the server is called; JSON with names needs none"),
      Argument.optional
    ),
    command: Argument.String("COMMAND").pipe(
      Argument.withDescription("After --: the program to start, and its arguments"),
      Argument.variadic()
    ),
    url: text("url", "URL", "The address of a server that runs elsewhere"),
    type: Flag.Literals("type", ["stdio", "http", "streamableHttp", "sse"]).pipe(
      Flag.withDescription("How to talk to it; told by the command or the address unless given"),
      Flag.optional
    ),
    env: texts("env", "NAME=VALUE", "A variable for the program; '${NAME}' in the value is filled in at each start"),
    header: texts("header", "\"NAME: VALUE\"", "A header to send to the address; '${NAME}' is filled in"),
    cwd: text("cwd", "DIR", "The folder the program runs in; the folder of the file unless given"),
    timeout: text("timeout", "DURATION", "How long a call may be silent: milliseconds, or text such as \"30 seconds\""),
    startupTimeout: text("startup-timeout", "DURATION", "How long the start may take"),
    disabled: switched("disabled", "Add it without using it"),
    fromJson: text(
      "from-json",
      "JSON",
      "What a server's README shows: { \"mcpServers\": … }, servers by name, or one entry; - reads standard input"
    ),
    scope: scopeToWrite,
    force: switched("force", "Replace an entry that is there")
  },
  ({ command, cwd, disabled, env, force, fromJson, header, name, scope, startupTimeout, timeout, type, url }) =>
    verb(() => import("./McpAdd.ts"), (module, options) =>
      module.add(options, {
        name: Option.getOrNull(name),
        command,
        url: Option.getOrNull(url),
        type: Option.getOrNull(type),
        env,
        headers: header,
        cwd: Option.getOrNull(cwd),
        timeout: Option.getOrNull(timeout),
        startupTimeout: Option.getOrNull(startupTimeout),
        isDisabled: disabled,
        json: Option.getOrNull(fromJson),
        scope: Option.getOrNull(scope),
        isForced: force
      }))
).pipe(
  Command.withDescription("Add a server to a file: NAME -- COMMAND ARGS..., NAME --url URL, or --from-json JSON"),
  Command.withExamples([
    { command: "boocode mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", description: "A program" },
    { command: "boocode mcp add docs --url https://docs.example/mcp", description: "An address" },
    { command: "boocode mcp add --from-json - < snippet.json", description: "What a README shows" }
  ])
)

const where = scope("Only a file of this scope; the one that counts unless given")

const remove = Command.make(
  "remove",
  { name, scope: where },
  ({ name, scope }) =>
    verb(() => import("./McpRemove.ts"), (module, options) => module.remove(options, name, Option.getOrNull(scope)))
).pipe(Command.withDescription("Remove a server from its file"))

const switching = (word: string, isEnabled: boolean, description: string) =>
  Command.make(
    word,
    { name, scope: where },
    ({ name, scope }) =>
      verb(
        () => import("./McpEnable.ts"),
        (module, options) => module.setEnabled(options, name, isEnabled, Option.getOrNull(scope))
      )
  ).pipe(Command.withDescription(description))

export const edits = [
  add,
  remove,
  switching("enable", true, "Use a server that is disabled in its file"),
  switching("disable", false, "Keep a server in its file without using it")
] as const
