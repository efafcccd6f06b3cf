/** Why a server program could not be started, in words for a person, and what to try. */
import type { Stdio } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import type { ServerEnvironment } from "../base/ServerEnvironment.ts"
import { CommandNotFound, SpawnFailed } from "../errors/McpError.ts"

/** The system says of a missing folder what it says of a missing program. */
export const ofSystem = Effect.fnUntraced(function*(
  stdio: Stdio,
  environment: Pick<ServerEnvironment, "searched">,
  error: PlatformError.PlatformError
): Effect.fn.Return<CommandNotFound | SpawnFailed, never, FileSystem.FileSystem> {
  const { command, cwd } = stdio
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(cwd), () => false))) return noFolder(stdio)
  if (error.reason._tag !== "NotFound") return refused(stdio, error)
  if (!command.includes("/")) return new CommandNotFound({ command, searched: environment.searched })
  return new CommandNotFound({ command, searched: command.startsWith("/") ? [] : [cwd] })
})

/** The command was wrong before the system was asked. */
export const ofDefect = ({ command }: Stdio, defect: unknown): SpawnFailed =>
  new SpawnFailed({ command, detail: defect instanceof Error ? defect.message : String(defect) })

const noFolder = ({ command, cwd }: Stdio) =>
  new SpawnFailed({
    command,
    detail: `its folder ${cwd} is not there`,
    try: `create the folder, or correct "cwd" of the entry`
  })

const refused = ({ command, cwd }: Stdio, error: PlatformError.PlatformError): SpawnFailed => {
  const [words, advice] = WORDS[error.reason._tag] ?? [error.message]
  const where = command.includes("/") && !command.startsWith("/") ? ` (in ${cwd})` : ""
  return new SpawnFailed({
    command,
    detail: `${words}${where}`,
    cause: error,
    ...advice === undefined ? {} : { try: advice }
  })
}

const SCRIPT = `name its interpreter as "command" and the file in "args"`

const WORDS: Readonly<Record<string, readonly [words: string, advice: string]>> = {
  PermissionDenied: ["permission denied", `make it executable with chmod +x, or ${SCRIPT}`],
  BadResource: ["it is no program that this system can run", `for a script, ${SCRIPT}`]
}
