/** `mcp add`: writes new entries into a file, after the reader of such files has checked them. */
import { ConfigEditor, ConfigFile, ServerName } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { currentFolder } from "../options/DataLocation.ts"
import {
  optional,
  optionalArgument,
  type Options,
  scopeToWrite,
  switchFlag,
  textFlag,
  verb
} from "../options/Options.ts"
import { timeFlag } from "../options/TimeFlag.ts"
import { Failed } from "../terminal/Failure.ts"
import * as EditedServers from "./EditedServers.ts"
import * as FileChange from "./FileChange.ts"
import * as NewEntry from "./NewEntry.ts"
import * as ServerFiles from "./ServerFiles.ts"

export const add = Command.make(
  "add",
  {
    name: optionalArgument(
      Argument.String("NAME").pipe(Argument.withDescription("The name of the server; JSON with names needs none"))
    ),
    command: Argument.String("COMMAND").pipe(
      Argument.withDescription("After --: the program to start, and its arguments"),
      Argument.variadic()
    ),
    url: optional(textFlag("url", "URL", "The address of a remote server")),
    type: Flag.Literals("type", ["stdio", "http", "streamableHttp", "sse"]).pipe(
      Flag.withDescription("The transport; by default the command or the address decides"),
      optional
    ),
    env: Flag.atLeast(
      textFlag("env", "NAME=VALUE", "A variable for the program; '${NAME}' in the value is filled in at each start"),
      0
    ),
    headers: Flag.atLeast(
      textFlag("header", "\"NAME: VALUE\"", "A header for the address; '${NAME}' in it is filled in at each start"),
      0
    ),
    cwd: optional(textFlag("cwd", "DIR", "The folder the program runs in; by default the folder of the file")),
    timeout: optional(timeFlag("timeout", "How long a call may be silent")),
    startupTimeout: optional(timeFlag("startup-timeout", "How long the start may take")),
    isDisabled: switchFlag("disabled", "Add it without using it"),
    json: optional(textFlag(
      "from-json",
      "JSON",
      "What the README of a server shows: { \"mcpServers\": … }, servers by name, or one entry; - reads standard input"
    )),
    scope: scopeToWrite,
    isForced: switchFlag("force", "Replace an existing entry")
  },
  ({ isForced, scope, ...given }) =>
    verb(Effect.fnUntraced(function*(options) {
      yield* NewEntry.check(given)
      yield* ServerFiles.withFiles(options, (files) => added(options, files, given, scope, isForced))
    }))
).pipe(
  Command.withDescription("Add a server to a file: NAME -- COMMAND ARGS..., NAME --url URL, or --from-json JSON"),
  Command.withExamples([
    { command: "boocode mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", description: "A program" },
    { command: "boocode mcp add docs --url https://docs.example/mcp", description: "An address" },
    { command: "boocode mcp add --from-json - < snippet.json", description: "What a README shows" }
  ])
)

/** Loaded late, because it brings the readers of other applications' files. */
const exchange = Effect.promise(() => import("@boocode/mcp-config/Exchange"))

const added = Effect.fnUntraced(function*(
  options: Options,
  files: ServerFiles.Files,
  given: NewEntry.Given,
  scope: ServerFiles.Scope | null,
  isForced: boolean
) {
  const target = yield* ServerFiles.forNew(files, scope)
  const { entries, notes } = yield* NewEntry.read(given, yield* currentFolder, target.file.path)
  const set = isForced ? ConfigEditor.setServer : ConfigEditor.addServer
  const change: FileChange.Change = (text, told) =>
    entries.reduce<ReturnType<FileChange.Change>>(
      (changed, [name, entry]) => Result.flatMap(changed, (before) => set(before, name, entry, told)),
      Result.succeed(text)
    )
  const outlook = yield* FileChange.preview(target, change)
  yield* checked(target, outlook.after, entries)
  const edited = yield* FileChange.apply(target, change)
  const old = ServerFiles.namesIn(target, edited.before ?? "")
  const changes = entries.map(([name]) => {
    if (!edited.isChanged) return [name, "unchanged"] as const
    return [name, old.includes(name) ? "replaced" : "added"] as const
  })
  const { SecretHints } = yield* exchange
  const hints = entries.flatMap(([name, entry]) => SecretHints.of(name, entry, target.file))
  yield* EditedServers.report(options, { files, target, edited, changes, notes, hints })
})

/** Refuses an entry that can never work. A missing variable or environment file may come later, and is no reason. */
const checked = Effect.fnUntraced(function*(
  { file }: ServerFiles.ServerFile,
  text: string,
  entries: NewEntry.Entries
) {
  const { servers } = yield* ConfigFile.fromText(file, text)
  for (const [name] of entries) {
    const config = servers.find((server) => server.name === ServerName.shown(name))?.config
    if (config === undefined || Result.isSuccess(config) || config.failure._tag !== "InvalidEntry") continue
    const { detail, hint, key } = config.failure
    if (key.endsWith(".envFile")) continue
    return yield* new Failed({
      tag: "InvalidEntry",
      message: `${key}: ${detail}`,
      hint: `${hint}; nothing was written`
    })
  }
})
