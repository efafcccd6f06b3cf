/** The problem documents of requests that bring an entry. */
import type { McpError } from "@boocode/mcp-registry"
import * as Problems from "../api/Problems.ts"
import type { FileConflict } from "./AddServer.ts"
import type { InvalidEntry, NotOverHttp, UnknownHost } from "./EntryRules.ts"
import type { EntryNotChanged } from "./EntrySwitch.ts"

/** What may go wrong with an entry. */
export type EntryFailure = McpError | NotOverHttp | UnknownHost | InvalidEntry | FileConflict | EntryNotChanged

export const entryProblem = (error: EntryFailure) => {
  switch (error._tag) {
    case "McpError":
      return Problems.fromMcp(error)
    case "NotOverHttp":
      return Problems.forbiddenEntry(error)
    case "InvalidEntry":
      return Problems.badEntry(error)
    case "UnknownHost":
      return Problems.badRequest(error)
    case "FileConflict":
      return Problems.conflict(error.state, error)
    case "EntryNotChanged":
      return Problems.notChanged(error)
  }
}
