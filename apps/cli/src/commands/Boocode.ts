/** The whole command line. Each verb has a file of its own: command, flags, action and what it prints. */
import { VERSION } from "@boocode/mcp-client/Version"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import { chats } from "../chat/ChatsVerbs.ts"
import { chat } from "../chat/ChatVerb.ts"
import { connect, disconnect } from "../connect/ConnectVerbs.ts"
import { backup, restore } from "../edit/BackupVerbs.ts"
import { init } from "../edit/Init.ts"
import { fleet } from "../fleet/FleetVerbs.ts"
import { models } from "../models/ModelsVerb.ts"
import { setup } from "../models/SetupVerb.ts"
import { root } from "../options/Options.ts"
import { audit } from "../people/AuditVerb.ts"
import { login, logout } from "../people/LoginVerbs.ts"
import { usage } from "../people/UsageVerb.ts"
import { users } from "../people/UsersVerbs.ts"
import { permissions } from "../permissions/PermissionsVerbs.ts"
import { undo } from "../permissions/UndoVerb.ts"
import { run as running } from "../programs/RunVerb.ts"
import { Ended } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import * as CompletionCommand from "./CompletionCommand.ts"
import * as HelpText from "./HelpText.ts"
import { mcp } from "./McpCommands.ts"
import { serve } from "./ServeCommand.ts"

const completion = CompletionCommand.completion((): Parameters<typeof CompletionCommand.script>[1] => boocode)

const VERBS = [
  serve,
  chat,
  chats,
  models,
  setup,
  mcp,
  running,
  connect,
  disconnect,
  users,
  usage,
  audit,
  fleet,
  login,
  logout,
  permissions,
  undo,
  init,
  backup,
  restore,
  completion
] as const

const boocode = root.pipe(Command.withSubcommands(VERBS))

/** Without a verb the command serves, also with flags of `serve`. */
const isBare = (args: ReadonlyArray<string>): boolean =>
  (args[0] ?? "-").startsWith("-") &&
  !args.some((arg) => ABOUT_ITSELF.test(arg) || VERBS.some(({ name }) => name === arg))

const ABOUT_ITSELF = /^(-h|--help|-v|--version|--completions)(=|$)/

/** Runs a command line. Help that was asked for goes to standard output; after a wrong command line it is exit 2. */
export const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const output = yield* Output
  yield* Command.runWith(boocode, { version: VERSION })(isBare(args) ? ["serve", ...args] : args).pipe(
    Effect.catchTag("ShowHelp", () => Effect.fail(new Ended({ code: 2 }))),
    Effect.provideService(CliOutput.Presenter, presenter(output)),
    Effect.provideService(CliConfig.CliConfig, { builtIns })
  )
})

/** The help shows all verbs, so a wizard that asks for flags one by one adds nothing. */
const builtIns = GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.Wizard)

const presenter = (output: typeof Output.Service): CliOutput.Presenter => ({
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return output.lines([`boocode ${event.version}`])
      case "Help":
        return Effect.flatMap(output.columns, (columns) =>
          event.reason === "Requested"
            ? output.lines(HelpText.lines(event.helpDoc, output.paint, columns))
            : output.notes(HelpText.lines(event.helpDoc, output.notePaint, columns)))
      case "InvalidInvocation":
        return output.notes(HelpText.mistakes(event.errors, event.commandPath, output.notePaint))
    }
  }
})
