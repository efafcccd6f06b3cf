/**
 * Servers that are programs: started in a process group of their own, spoken to over pipes, gone when the scope closes.
 */
import { Environment, type ServerConfig, type Stdio } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CommandNotFound, ConnectionLost, Exited, SpawnFailed } from "../McpError.ts"
import { ProcessTree } from "../ProcessTree.ts"
import * as Redaction from "../Redaction.ts"
import type { Message } from "./JsonRpc.ts"
import * as Outbox from "./Outbox.ts"
import * as ProcessClose from "./ProcessClose.ts"
import * as ServerEnvironment from "./ServerEnvironment.ts"
import * as ServerOutput from "./ServerOutput.ts"
import * as WindowsCommand from "./WindowsCommand.ts"
import type { Wire } from "./Wire.ts"

/** How long output may still arrive after the process ended; a helper may hold the pipe open for ever. */
const LAST_OUTPUT = "250 millis"
/** How long the status of a process may take whose output ended; on a busy machine it comes late. */
const LAST_STATUS = "750 millis"

/** What starting a server program asks for. @category services */
export type Requirements =
  | ChildProcessSpawner.ChildProcessSpawner
  | ProcessTree
  | Environment
  | FileSystem.FileSystem
  | Path.Path

/**
 * Starts the program of an entry. The scope's close ends its input, waits 500 ms, sends SIGTERM, waits 5 s and sends
 * SIGKILL, to everything the program started (Decision 6).
 *
 * @category constructors
 */
export const open: (
  config: ServerConfig,
  stdio: Stdio,
  searchAfterPath: ReadonlyArray<string>
) => Effect.Effect<Wire, CommandNotFound | SpawnFailed, Requirements | Scope.Scope> = Effect.fnUntraced(
  function*(config, stdio, searchAfterPath) {
    const marker = yield* ProcessTree.use(({ mark }) => mark)
    const environment = yield* environmentOf(stdio, marker, searchAfterPath)
    yield* requireFolder(stdio)
    // From here on nothing may come between a process and the finalizer that takes it down.
    return yield* Effect.uninterruptible(start(config, stdio, environment, marker))
  }
)

const start = Effect.fnUntraced(function*(
  config: ServerConfig,
  stdio: Stdio,
  environment: ServerEnvironment.ServerEnvironment,
  marker: string
) {
  const tree = yield* ProcessTree
  const handle = yield* spawn(stdio, environment)
  const target = { pid: handle.pid, marker }
  yield* tree.watch(target)
  const scrub = Redaction.scrubber(config, environment.declared)
  const output = ServerOutput.make(config, handle, scrub)
  const outbox = yield* Outbox.make(config.maxMessageBytes * 2)
  const exited = yield* Deferred.make<ExitStatus>()
  const ended = yield* Deferred.make<Exited | ConnectionLost>()
  const isRead = yield* Deferred.make<void>()

  yield* Effect.forkScoped(
    Effect.catch(
      Stream.run(outbox.stream, handle.stdin),
      () => Effect.andThen(outbox.close(CLOSED_INPUT), brokenOff(outbox, exited, ended, CLOSED_INPUT))
    )
  )
  yield* Effect.forkScoped(
    Effect.ensuring(
      Effect.all([
        output.read.pipe(
          Effect.andThen(Effect.forkScoped(brokenOff(outbox, exited, ended, CLOSED_OUTPUT))),
          Effect.catch((endless) => Effect.andThen(outbox.close(endless.detail), Deferred.succeed(ended, endless)))
        ),
        output.readErrors
      ], { concurrency: 2, discard: true }),
      Deferred.succeed(isRead, undefined)
    )
  )
  yield* Effect.forkScoped(
    Effect.flatMap(Effect.exit(handle.exitCode), (exit) => Deferred.succeed(exited, exitStatus(exit)))
  )
  yield* Effect.forkScoped(Effect.gen(function*() {
    const status = yield* Deferred.await(exited)
    // What was written just before the end is delivered before pending calls fail.
    yield* Effect.timeoutOption(Deferred.await(isRead), LAST_OUTPUT)
    yield* outbox.close("the process has ended")
    yield* Deferred.succeed(ended, new Exited({ ...status, during: "its work", stderr: output.stderr() }))
  }))
  yield* Effect.addFinalizer(() =>
    ProcessClose.close({
      tree,
      target,
      exited: Deferred.await(exited),
      endInput: outbox.end
      // All is gone by now; the spawner would still wait a second for a zombie that nobody reaps.
    }).pipe(Effect.andThen(Effect.ignore(handle.unref)))
  )
  return {
    pid: handle.pid,
    send: (message: Message) =>
      Effect.suspend(() => {
        output.sent(message)
        return outbox.send(message)
      }),
    listen: output.listen,
    stderr: output.stderr,
    scrub,
    diagnostics: output.diagnostics,
    closed: Deferred.await(ended)
  }
})

/**
 * A server that closed its input or output can never be talked to again; one that ended as well has more to say by its
 * exit status.
 */
const brokenOff = Effect.fnUntraced(function*(
  outbox: Outbox.Outbox,
  exited: Deferred.Deferred<ExitStatus>,
  ended: Deferred.Deferred<Exited | ConnectionLost>,
  detail: string
) {
  const status = yield* Effect.timeoutOption(Deferred.await(exited), LAST_STATUS)
  if (Option.isSome(status)) return
  yield* outbox.close(detail)
  yield* Deferred.succeed(ended, new ConnectionLost({ detail }))
})

const CLOSED_OUTPUT = "the server closed its standard output"
const CLOSED_INPUT = "the server closed its standard input"

interface ExitStatus {
  readonly exitCode: number | null
  readonly signal: string | null
}

const environmentOf = Effect.fnUntraced(
  function*(stdio: Stdio, marker: string, searchAfterPath: ReadonlyArray<string>) {
    const { variables } = yield* Environment
    const { sep } = yield* Path.Path
    const delimiter = sep === "\\" ? ";" : ":"
    return ServerEnvironment.make({ stdio, host: variables, marker, searchAfterPath, delimiter })
  }
)

const requireFolder = Effect.fnUntraced(function*(stdio: Stdio) {
  const fs = yield* FileSystem.FileSystem
  const isThere = yield* Effect.orElseSucceed(fs.exists(stdio.cwd), () => false)
  if (isThere) return
  return yield* new SpawnFailed({
    command: stdio.command,
    detail: `its folder ${stdio.cwd} is not there`,
    try: `create the folder, or correct "cwd" of the entry`
  })
})

const spawn = Effect.fnUntraced(function*(stdio: Stdio, environment: ServerEnvironment.ServerEnvironment) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const options: ChildProcess.CommandOptions = {
    cwd: stdio.cwd,
    env: environment.variables,
    detached: true,
    // Only for what is left when our own finalizer is done; without it the spawner would wait for ever.
    forceKillAfter: "100 millis"
  }
  const found = yield* onWindows(stdio, environment)
  const command = found._tag === "Batch"
    ? ChildProcess.make(found.line, [], { ...options, shell: true })
    : ChildProcess.make(found.file, stdio.args, options)
  return yield* spawner.spawn(command).pipe(
    Effect.mapError((error) => spawnError(stdio, environment, error)),
    // Arguments that are too long, for instance, make Node throw instead of telling.
    Effect.catchDefect((defect) => Effect.fail(new SpawnFailed({ command: stdio.command, detail: wordsOf(defect) })))
  )
})

/** Elsewhere the system finds the program itself. */
const onWindows = Effect.fnUntraced(function*(stdio: Stdio, environment: ServerEnvironment.ServerEnvironment) {
  const { sep } = yield* Path.Path
  if (sep !== "\\") return { _tag: "Program" as const, file: stdio.command }
  const { PATHEXT } = environment.variables
  const lookup = WindowsCommand.resolve({
    ...stdio,
    args: stdio.args.map(Redacted.value),
    searched: environment.searched,
    extensions: typeof PATHEXT === "string" ? PATHEXT : undefined
  })
  return yield* Effect.mapError(lookup, (detail) => new SpawnFailed({ command: stdio.command, detail }))
})

const spawnError = (
  stdio: Stdio,
  environment: ServerEnvironment.ServerEnvironment,
  error: PlatformError.PlatformError
): CommandNotFound | SpawnFailed => {
  const { command, cwd } = stdio
  if (error.reason._tag !== "NotFound") return refused(stdio, error)
  if (!command.includes("/")) return new CommandNotFound({ command, searched: environment.searched })
  return new CommandNotFound({ command, searched: command.startsWith("/") ? [] : [cwd] })
}

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

/** What the system's refusals mean to a person, and what to try. */
const WORDS: Readonly<Record<string, readonly [words: string, advice: string]>> = {
  PermissionDenied: ["permission denied", `make it executable with chmod +x, or ${SCRIPT}`],
  BadResource: ["it is no program that this system can run", `for a script, ${SCRIPT}`]
}

const wordsOf = (defect: unknown): string => defect instanceof Error ? defect.message : String(defect)

const exitStatus = (exit: Exit.Exit<number, PlatformError.PlatformError>): ExitStatus =>
  Exit.match(exit, {
    onSuccess: (exitCode) => ({ exitCode, signal: null }),
    onFailure: (cause) => ({ exitCode: null, signal: /signal: '(SIG[A-Z0-9]+)'/.exec(String(cause))?.[1] ?? null })
  })
