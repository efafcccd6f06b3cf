/** The problem documents of requests that bring an entry. */
import type { McpError } from "@boocode/mcp-registry"
import * as Match from "effect/Match"
import * as Problems from "../api/Problems.ts"
import type { FileConflict } from "./AddServer.ts"
import type { InvalidEntry, NotOverHttp, UnknownHost } from "./EntryRules.ts"
import type { EntryNotChanged } from "./EntrySwitch.ts"

/** What may go wrong with an entry. */
export type EntryFailure = McpError | NotOverHttp | UnknownHost | InvalidEntry | FileConflict | EntryNotChanged

export const entryProblem = Match.typeTags<EntryFailure>()({
  McpError: Problems.fromMcp,
  NotOverHttp: Problems.forbiddenEntry,
  InvalidEntry: Problems.badEntry,
  UnknownHost: Problems.badRequest,
  FileConflict: (error) => Problems.conflict(error.state, error),
  EntryNotChanged: Problems.notChanged
})
