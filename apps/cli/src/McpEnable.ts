/** `mcp enable` and `mcp disable`: the entry says so, and says it once. */
import { ConfigEditor } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import { report } from "./EditReport.ts"
import * as FileEdit from "./FileEdit.ts"
import type { Options } from "./Options.ts"
import * as ServerFiles from "./ServerFiles.ts"

export const setEnabled = (options: Options, name: string, isEnabled: boolean, scope: ServerFiles.Scope | null) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const target = yield* ServerFiles.holding(files, name, scope)
      const edited = yield* FileEdit.apply(target, (text, told) => ConfigEditor.setEnabled(text, name, isEnabled, told))
      const already = isEnabled ? "enabled" as const : "disabled" as const
      const change = edited.isChanged ? already : "unchanged" as const
      yield* report(options, { files, target, edited, changes: [[name, change]], already })
    })
  )
