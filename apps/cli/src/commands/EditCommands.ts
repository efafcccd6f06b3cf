/** The verbs of `mcp` that edit a file with servers, and their flags. */
import { SHAPES } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { scope, scopeToWrite, switched } from "../options/Options.ts"
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
    verb(() => import("../edit/McpEdit.ts"), (module, options) =>
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
    verb(() => import("../edit/McpEdit.ts"), (module, options) => module.remove(options, name, Option.getOrNull(scope)))
).pipe(Command.withDescription("Remove a server from its file"))

const switching = (word: string, isEnabled: boolean, description: string) =>
  Command.make(
    word,
    { name, scope: where },
    ({ name, scope }) =>
      verb(
        () => import("../edit/McpEdit.ts"),
        (module, options) => module.setEnabled(options, name, isEnabled, Option.getOrNull(scope))
      )
  ).pipe(Command.withDescription(description))

export const edits = [
  add,
  remove,
  switching("enable", true, "Use a server that is disabled in its file"),
  switching("disable", false, "Keep a server in its file without using it")
] as const

// The verbs of `mcp` that read and write other applications' files, and their flags.

const dryRun = switched("dry-run", "Show what would be written, and write nothing")

const importing = Command.make(
  "import",
  {
    source: Argument.String("SOURCE").pipe(
      Argument.withDescription(
        "An application, such as claude-code, cursor or vscode, for your own files of it, or one file; without it, what this machine has is shown"
      ),
      Argument.optional
    ),
    shape: Flag.Literals("shape", SHAPES).pipe(
      Flag.withDescription("Whose words the file is written in; told by the file unless given"),
      Flag.optional
    ),
    scope: scopeToWrite,
    force: switched("force", "Replace servers that are there and say something else"),
    dryRun
  },
  ({ dryRun, force, scope, shape, source }) =>
    verb(() => import("../edit/McpImport.ts"), (module, options) =>
      module.bring(options, {
        source: Option.getOrNull(source),
        shape: Option.getOrNull(shape),
        scope: Option.getOrNull(scope),
        isForced: force,
        isDryRun: dryRun
      }))
).pipe(
  Command.withDescription("Bring in the servers of another application"),
  Command.withExamples([
    { command: "boocode mcp import", description: "What there is on this machine, and what would come in" },
    { command: "boocode mcp import cursor --dry-run", description: "What one application's files would add" },
    { command: "boocode mcp import .vscode/mcp.json", description: "One file; a project's comes in switched off" }
  ])
)

const exporting = Command.make(
  "export",
  {
    shape: Argument.Literals("SHAPE", SHAPES).pipe(Argument.withDescription("Whose words to write in")),
    into: Flag.String("into").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription(
        "Add the servers to this file, and keep its comments, in place of printing a file of their own"
      ),
      Flag.optional
    ),
    force: switched("force", "Replace servers that are in the file and say something else"),
    dryRun
  },
  ({ dryRun, force, into, shape }) =>
    verb(
      () => import("../edit/McpExport.ts"),
      (module, options) =>
        module.send(options, { shape, into: Option.getOrNull(into), isForced: force, isDryRun: dryRun })
    )
).pipe(
  Command.withDescription("Write the servers in the words of another application"),
  Command.withExamples([
    { command: "boocode mcp export vscode > .vscode/mcp.json", description: "A file of its own" },
    { command: "boocode mcp export codex --into ~/.codex/config.toml", description: "Into a file that is there" }
  ])
)

export const exchanges = [importing, exporting] as const

// The verb `init` and its arguments.

export const initCommand = Command.make(
  "init",
  {
    folder: Argument.String("DIR").pipe(
      Argument.withDescription("Where; ./data unless given"),
      Argument.optional
    )
  },
  ({ folder }) =>
    verb(() => import("../edit/Init.ts"), (module, options) => module.init(options, Option.getOrNull(folder)))
).pipe(Command.withDescription("Write a data folder to begin with; files that are there stay as they are"))
