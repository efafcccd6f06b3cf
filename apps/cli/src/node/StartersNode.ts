/** The package managers that started this command, such as npx: when one is killed, nobody else ends the command. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"

export interface Starter {
  readonly pid: number
  readonly ppid: number
  /** Its command line, or the title it gave itself. */
  readonly words: ReadonlyArray<string>
  /** The start time in a unit of the system; "" where it is unknown. Together with the id it is unique. */
  readonly started: string
}

export type Self = Pick<NodeJS.Process, "platform" | "ppid" | "kill">

/**
 * Waits until a package manager above this process ends, or a shell between the two. Looks once a second. Never ends on
 * Windows.
 */
export const ended = Effect.fnUntraced(function*(self: Self) {
  const watched = managersAbove(self.ppid, yield* looker(self))
  if (watched.length === 0) return yield* Effect.never
  while (true) {
    yield* Effect.sleep("1 second")
    const gone = watched.find((starter) => !isThere(self, starter))
    if (gone !== undefined) return gone
  }
})

/** The processes to watch, the nearest first. The shell of a person is not among them. */
export const managersAbove = (from: number, look: (pid: number) => Starter | null): ReadonlyArray<Starter> => {
  const near: Array<Starter> = []
  for (let next = look(from); next !== null && (isManager(next) || isOneCommand(next)); next = look(next.ppid)) {
    near.push(next)
  }
  return near.slice(0, near.findLastIndex(isManager) + 1)
}

/** `npm`, `/usr/local/bin/npx`, `npm-cli.js`, `pnpm.cjs`. */
const MANAGER = /(?:^|[/\\])p?np[mx](?:-cli)?(?:\.[cm]?js|\.exe)?$/
/** npm titles itself `npm exec pnpm@12 start`. */
const TITLE = /^np[mx] /
const NODE = /(?:^|\/)node$/
const SHELL = /(?:^|\/)(?:ba|da|z|k|a)?sh$/

const isManager = ({ words: [program = "", file = ""] }: Starter): boolean =>
  MANAGER.test(program) || TITLE.test(program) || NODE.test(program) && MANAGER.test(file)

/** A shell that runs one command and ends with it, as package managers start it. */
const isOneCommand = ({ words: [program = "", flag] }: Starter): boolean => SHELL.test(program) && flag === "-c"

const looker = ({ platform }: Self) => {
  if (platform === "win32") return Effect.succeed(() => null)
  return platform === "linux" ? Effect.succeed(fromProc) : fromPs
}

const isThere = ({ kill, platform }: Self, { pid, started }: Starter): boolean =>
  platform === "linux"
    ? fromProc(pid)?.started === started
    : Result.match(Result.try(() => kill(pid, 0)), {
      onSuccess: () => true,
      // The process belongs to another user.
      onFailure: (error) => error instanceof Error && "code" in error && error.code === "EPERM"
    })

/** Null when it has ended, or cannot be read. */
const fromProc = (pid: number): Starter | null => {
  const stat = read(`/proc/${pid}/stat`)
  // The command's name stands in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, ppid] = fields
  return stat === "" || state === "Z" || state === "X" ? null : {
    pid,
    ppid: Number(ppid),
    words: read(`/proc/${pid}/cmdline`).split("\0"),
    started: fields[19] ?? ""
  }
}

const read = (file: string): string => Result.getOrElse(Result.try(() => readFileSync(file, "latin1")), () => "")

/** For systems without `/proc`. On BSD and macOS each column needs an option of its own. */
const fromPs = Effect.map(Effect.promise(() => import("node:child_process")), ({ spawnSync }) => (pid: number) => {
  const columns = ["-o", "ppid=", "-o", "args="]
  const { stdout } = spawnSync("ps", ["-ww", ...columns, "-p", String(pid)], { encoding: "utf8", timeout: 2000 })
  return ofPs(pid, stdout ?? "")
})

/** The output of `ps` about one process; null when that is nothing. */
export const ofPs = (pid: number, output: string): Starter | null => {
  const [ppid, ...words] = output.trim().split(/\s+/)
  return ppid === undefined || ppid === "" || pid === 0 ? null : { pid, ppid: Number(ppid), words, started: "" }
}
