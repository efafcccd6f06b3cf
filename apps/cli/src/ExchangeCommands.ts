/** The verbs of `mcp` that read and write other applications' files, and their flags. */
import { SHAPES } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { scopeToWrite, switched } from "./Flags.ts"
import { verb } from "./Root.ts"

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
    verb(() => import("./McpImport.ts"), (module, options) =>
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
      () => import("./McpExport.ts"),
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
