/** `mcp remove`: an entry leaves its file. */
import { ConfigEditor } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import { report } from "./EditReport.ts"
import * as FileEdit from "./FileEdit.ts"
import type { Options } from "./Options.ts"
import * as ServerFiles from "./ServerFiles.ts"

export const remove = (options: Options, name: string, scope: ServerFiles.Scope | null) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const target = yield* ServerFiles.holding(files, name, scope)
      const edited = yield* FileEdit.apply(target, (text, told) => ConfigEditor.removeServer(text, name, told))
      yield* report(options, { files, target, edited, changes: [[name, "removed"]] })
    })
  )
