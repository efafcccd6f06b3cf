/** `mcp remove`, `mcp enable` and `mcp disable`: change an entry in its file. */
import { ConfigEditor } from "@boocode/mcp-config"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { type Options, scope, serverName, verb } from "../options/Options.ts"
import * as EditedServers from "./EditedServers.ts"
import * as FileChange from "./FileChange.ts"
import * as ServerFiles from "./ServerFiles.ts"

const flags = {
  name: serverName,
  scope: scope("Only a file of this scope; by default the file whose entry is in use")
}

interface Given {
  readonly name: string
  readonly scope: ServerFiles.Scope | null
}

const changed = (
  options: Options,
  { name, scope }: Given,
  change: FileChange.Change,
  reported: (isChanged: boolean) => Pick<EditedServers.Done, "changes" | "already">
) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const target = yield* ServerFiles.holding(files, name, scope)
      const edited = yield* FileChange.apply(target, change)
      yield* EditedServers.report(options, { files, target, edited, ...reported(edited.isChanged) })
    })
  )

export const remove = Command.make("remove", flags, (given) =>
  verb((options) =>
    changed(
      options,
      given,
      (text, told) => ConfigEditor.removeServer(text, given.name, told),
      () => ({ changes: [[given.name, "removed"]] })
    )
  )).pipe(Command.withDescription("Remove a server from its file"))

const switching = (word: string, isEnabled: boolean, description: string) =>
  Command.make(word, flags, (given) =>
    verb((options) => {
      const already = isEnabled ? "enabled" as const : "disabled" as const
      return changed(
        options,
        given,
        (text, told) => ConfigEditor.setEnabled(text, given.name, isEnabled, told),
        (isChanged) => ({ changes: [[given.name, isChanged ? already : "unchanged"]], already })
      )
    })).pipe(Command.withDescription(description))

export const enable = switching("enable", true, "Use a server that is disabled in its file")
export const disable = switching("disable", false, "Keep a server in its file without using it")
