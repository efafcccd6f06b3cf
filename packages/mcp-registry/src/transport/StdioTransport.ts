/**
 * Servers that are programs: started in a process group of their own, spoken to over pipes, gone when the scope closes.
 */
import { Environment, type ServerConfig, type Stdio } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CommandNotFound, Exited, SpawnFailed } from "../McpError.ts"
import { ProcessTree } from "../ProcessTree.ts"
import * as Redaction from "../Redaction.ts"
import * as Framing from "./Framing.ts"
import * as Inbox from "./Inbox.ts"
import * as Outbox from "./Outbox.ts"
import * as ProcessClose from "./ProcessClose.ts"
import * as ServerEnvironment from "./ServerEnvironment.ts"
import * as Tail from "./Tail.ts"
import type { Wire } from "./Wire.ts"

/** How long output may still arrive after the process ended; a helper may hold the pipe open for ever. */
const LAST_OUTPUT = "250 millis"

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
    const tree = yield* ProcessTree
    const marker = yield* newMarker
    const environment = yield* environmentOf(stdio, marker, searchAfterPath)
    yield* requireFolder(stdio)
    const handle = yield* spawn(stdio, environment)
    const scrub = Redaction.scrubber(config)
    const stderr = Tail.make()
    const inbox = Inbox.make()
    const outbox = yield* Outbox.make
    const exited = yield* Deferred.make<ExitStatus>()
    const ended = yield* Deferred.make<Exited>()

    const output = yield* Deferred.make<void>()
    yield* Effect.forkScoped(write(outbox, handle))
    yield* Effect.forkScoped(
      Effect.ensuring(
        Effect.all([
          readOutput(config, handle, inbox, scrub),
          readErrors(config, handle, stderr, scrub)
        ], { concurrency: 2, discard: true }),
        Deferred.succeed(output, undefined)
      )
    )
    yield* Effect.forkScoped(
      Effect.flatMap(Effect.exit(handle.exitCode), (exit) => Deferred.succeed(exited, exitStatus(exit)))
    )
    yield* Effect.forkScoped(Effect.gen(function*() {
      const status = yield* Deferred.await(exited)
      // What was written just before the end is delivered before pending calls fail.
      yield* Effect.timeoutOption(Deferred.await(output), LAST_OUTPUT)
      yield* outbox.close("the process has ended")
      yield* Deferred.succeed(ended, new Exited({ ...status, during: "its work", stderr: scrub(stderr.text()) }))
    }))
    yield* Effect.addFinalizer(() =>
      ProcessClose.close({
        tree,
        target: { pid: handle.pid, marker },
        exited: Deferred.await(exited),
        endInput: outbox.end
      })
    )
    return {
      pid: handle.pid,
      send: outbox.send,
      listen: inbox.listen,
      stderr: () => scrub(stderr.text()),
      diagnostics: () => inbox.diagnostics().map(scrub),
      closed: Deferred.await(ended)
    }
  },
  Effect.uninterruptible
)

interface ExitStatus {
  readonly exitCode: number | null
  readonly signal: string | null
}

const newMarker = Effect.map(
  Effect.all([Random.nextInt, Random.nextInt]),
  (parts) => parts.map((part) => Math.abs(part).toString(36)).join("")
)

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
  return yield* new SpawnFailed({ command: stdio.command, detail: `its folder ${stdio.cwd} is not there` })
})

const spawn = Effect.fnUntraced(function*(stdio: Stdio, environment: ServerEnvironment.ServerEnvironment) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const command = ChildProcess.make(stdio.command, stdio.args, {
    cwd: stdio.cwd,
    env: environment.variables,
    detached: true,
    // Only for what is left when our own finalizer is done; without it the spawner would wait for ever.
    forceKillAfter: "100 millis"
  })
  return yield* Effect.mapError(spawner.spawn(command), (error) => spawnError(stdio, environment, error))
})

const spawnError = (
  stdio: Stdio,
  environment: ServerEnvironment.ServerEnvironment,
  error: PlatformError.PlatformError
): CommandNotFound | SpawnFailed =>
  error.reason._tag === "NotFound"
    ? new CommandNotFound({ command: stdio.command, searched: stdio.command.includes("/") ? [] : environment.searched })
    : new SpawnFailed({ command: stdio.command, detail: error.reason._tag, cause: error })

const write = (outbox: Outbox.Outbox, handle: ChildProcessSpawner.ChildProcessHandle) =>
  Effect.catch(
    Stream.run(outbox.stream, handle.stdin),
    () => outbox.close("its standard input is closed")
  )

const readOutput = (
  config: ServerConfig,
  handle: ChildProcessSpawner.ChildProcessHandle,
  inbox: Inbox.Inbox,
  scrub: (text: string) => string
) => {
  const decoder = Framing.make(config.maxMessageBytes)
  return handle.stdout.pipe(
    Stream.runForEach((chunk) => {
      const skipped = decoder.push(chunk).flatMap((frame) => inbox.receive(frame) ?? [])
      return Effect.forEach(skipped, (line) => Effect.logDebug(`${config.name}: not a message: ${scrub(line)}`), {
        discard: true
      })
    }),
    // The end of the process is told by its exit status; a broken pipe adds nothing to it.
    Effect.ignore
  )
}

const readErrors = (
  config: ServerConfig,
  handle: ChildProcessSpawner.ChildProcessHandle,
  stderr: Tail.Tail,
  scrub: (text: string) => string
) =>
  Stream.decodeText(handle.stderr).pipe(
    Stream.runForEach((text) => {
      stderr.append(text)
      return Effect.logDebug(`${config.name}: ${scrub(text)}`)
    }),
    // As above: what ends standard error shows in the exit status.
    Effect.ignore
  )

const exitStatus = (exit: Exit.Exit<number, PlatformError.PlatformError>): ExitStatus =>
  Exit.match(exit, {
    onSuccess: (exitCode) => ({ exitCode, signal: null }),
    onFailure: (cause) => ({ exitCode: null, signal: /SIG[A-Z0-9]+/.exec(String(cause))?.[0] ?? null })
  })
