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
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CommandNotFound, ConnectionLost, Exited, SpawnFailed } from "../McpError.ts"
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
  const stderr = Tail.make()
  const inbox = Inbox.make()
  const decoder = Framing.make(config.maxMessageBytes)
  const outbox = yield* Outbox.make(config.maxMessageBytes * 2)
  const exited = yield* Deferred.make<ExitStatus>()
  const ended = yield* Deferred.make<Exited | ConnectionLost>()
  const output = yield* Deferred.make<void>()

  yield* Effect.forkScoped(
    Effect.catch(
      Stream.run(outbox.stream, handle.stdin),
      () => Effect.andThen(outbox.close(CLOSED_INPUT), brokenOff(outbox, exited, ended, CLOSED_INPUT))
    )
  )
  yield* Effect.forkScoped(
    Effect.ensuring(
      Effect.all([
        readOutput(config, handle, decoder, inbox, scrub).pipe(
          Effect.andThen(Effect.forkScoped(brokenOff(outbox, exited, ended, CLOSED_OUTPUT)))
        ),
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
      target,
      exited: Deferred.await(exited),
      endInput: outbox.end
      // All is gone by now; the spawner would still wait a second for a zombie that nobody reaps.
    }).pipe(Effect.andThen(Effect.ignore(handle.unref)))
  )
  return {
    pid: handle.pid,
    send: outbox.send,
    listen: inbox.listen,
    stderr: () => scrub(stderr.text()),
    diagnostics: () => [...inbox.diagnostics().map(scrub), ...endless(decoder.unfinished())],
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
  const status = yield* Effect.timeoutOption(Deferred.await(exited), LAST_OUTPUT)
  if (Option.isSome(status)) return
  yield* outbox.close(detail)
  yield* Deferred.succeed(ended, new ConnectionLost({ detail }))
})

/** A line that goes on and on is worth a word once it is longer than any sensible message begins. */
const endless = (bytes: number): ReadonlyArray<string> =>
  bytes < 1_000_000 ? [] : [`it wrote ${Math.round(bytes / 1_000_000)} MB to standard output without a line end`]

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
  return yield* spawner.spawn(command).pipe(
    Effect.mapError((error) => spawnError(stdio, environment, error)),
    // Arguments that are too long, for instance, make Node throw instead of telling.
    Effect.catchDefect((defect) => Effect.fail(new SpawnFailed({ command: stdio.command, detail: wordsOf(defect) })))
  )
})

const spawnError = (
  stdio: Stdio,
  environment: ServerEnvironment.ServerEnvironment,
  error: PlatformError.PlatformError
): CommandNotFound | SpawnFailed =>
  error.reason._tag === "NotFound"
    ? new CommandNotFound({ command: stdio.command, searched: stdio.command.includes("/") ? [] : environment.searched })
    : new SpawnFailed({ command: stdio.command, detail: WORDS[error.reason._tag] ?? error.message, cause: error })

/** What the system's refusals mean to a person. */
const WORDS: Readonly<Record<string, string>> = {
  PermissionDenied: "permission denied (make it executable with chmod +x, or name its interpreter as the command)",
  BadResource: "it is no program that this system can run"
}

const readOutput = (
  config: ServerConfig,
  handle: ChildProcessSpawner.ChildProcessHandle,
  decoder: Framing.Decoder,
  inbox: Inbox.Inbox,
  scrub: (text: string) => string
) =>
  handle.stdout.pipe(
    Stream.runForEach((chunk) => {
      const skipped = decoder.push(chunk).flatMap((frame) => inbox.receive(frame) ?? [])
      return Effect.forEach(skipped, (line) => Effect.logDebug(`${config.name}: not a message: ${scrub(line)}`), {
        discard: true
      })
    }),
    // The end of the process is told by its exit status; a broken pipe adds nothing to it.
    Effect.ignore
  )

const wordsOf = (defect: unknown): string => defect instanceof Error ? defect.message : String(defect)

const readErrors = (
  config: ServerConfig,
  handle: ChildProcessSpawner.ChildProcessHandle,
  stderr: Tail.Tail,
  scrub: (text: string) => string
) =>
  Stream.decodeText(handle.stderr).pipe(
    Stream.tap((text) => Effect.sync(() => stderr.append(text))),
    // By lines, because a secret that came in two pieces is found in neither.
    Stream.mapAccum(() => "", (rest, text) => Tail.lines(rest + text)),
    Stream.runForEach((line) => Effect.logDebug(`${config.name}: ${scrub(line)}`)),
    // As above: what ends standard error shows in the exit status.
    Effect.ignore
  )

const exitStatus = (exit: Exit.Exit<number, PlatformError.PlatformError>): ExitStatus =>
  Exit.match(exit, {
    onSuccess: (exitCode) => ({ exitCode, signal: null }),
    onFailure: (cause) => ({ exitCode: null, signal: /signal: '(SIG[A-Z0-9]+)'/.exec(String(cause))?.[1] ?? null })
  })
