/** The problem documents of requests that bring an entry. */
import type { McpError } from "@boocode/mcp-registry"
import * as Match from "effect/Match"
import * as Problems from "../api/Problems.ts"
import type { InstallFailure } from "../published/RegistryFailure.ts"
import type { FileConflict } from "./AddServer.ts"
import type { InvalidEntry, NotOverHttp, UnknownHost } from "./EntryRules.ts"
import type { EntryNotChanged } from "./EntrySwitch.ts"

/** The failures of an entry. */
export type EntryFailure = McpError | NotOverHttp | UnknownHost | InvalidEntry | FileConflict | EntryNotChanged

const ENTRY = {
  McpError: Problems.fromMcp,
  NotOverHttp: Problems.forbiddenEntry,
  InvalidEntry: Problems.badEntry,
  UnknownHost: Problems.badRequest,
  FileConflict: (error: FileConflict) => Problems.conflict(error.state, error),
  EntryNotChanged: Problems.notChanged
}

export const entryProblem = Match.typeTags<EntryFailure>()(ENTRY)

/** The problem documents of requests about published servers. */
export const installProblem = Match.typeTags<EntryFailure | InstallFailure>()({
  ...ENTRY,
  RegistryUnreachable: Problems.badGateway,
  UnknownPublished: Problems.notFound,
  NotInstallable: (error) => Problems.conflict("refused", error),
  WrongInputs: Problems.unusableAnswer
})
