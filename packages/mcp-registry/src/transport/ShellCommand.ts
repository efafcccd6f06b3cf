/**
 * A command that is run by the shell for what it prints: in a process group of its own, with a time limit, and nothing of
 * it left when it is over.
 */
import { Environment } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ProcessTree } from "../ProcessTree.ts"
import * as ProcessClose from "./ProcessClose.ts"
import * as ServerEnvironment from "./ServerEnvironment.ts"
import * as Tail from "./Tail.ts"

/** @category models */
export interface Options {
  /** May hold a secret, and shows in no failure. */
  readonly command: Redacted.Redacted<string>
  readonly cwd: string
  /** Besides the safe list (Decision 15). */
  readonly variables: Readonly<Record<string, string>>
  /** After this the command is taken down. */
  readonly limit: Duration.Duration
  /** Bytes of standard output. */
  readonly maxBytes: number
}

/** What became of a command. @category models */
export interface Outcome {
  /** Why it is of no use; null when the command exited with 0 in time. */
  readonly failure: string | null
  /** Null when a signal ended it, or we did. */
  readonly exitCode: number | null
  readonly stdout: string
  /** The last lines. */
  readonly stderr: string
}

/** What running a command asks for. @category services */
export type Requirements = ChildProcessSpawner.ChildProcessSpawner | ProcessTree | Environment | Path.Path

/** How long output may still arrive after the end: a helper of the command may hold the pipe open for ever. */
const LAST_OUTPUT = "250 millis"

/**
 * Runs it. What it started is gone when this is done, which may take 6 s longer than the limit. Never fails.
 *
 * @category constructors
 */
export const run = (options: Options): Effect.Effect<Outcome, never, Requirements> => {
  const printed = makePrinted(options.maxBytes)
  const seen = (failure: string | null, exitCode: number | null): Outcome => ({
    failure,
    exitCode,
    stdout: printed.stdout(),
    stderr: printed.stderr.text()
  })
  const work = Effect.gen(function*() {
    // From here on nothing may come between a process and the finalizer that takes it down.
    const { exited, handle } = yield* Effect.uninterruptible(start(options))
    return yield* waited(handle, exited, printed).pipe(
      Effect.map((exitCode) => seen(exitCode === 0 ? null : `exited with code ${exitCode}`, exitCode)),
      Effect.timeoutOrElse({
        duration: options.limit,
        orElse: () => Effect.fail(`was not done within ${Duration.toSeconds(options.limit)} s`)
      })
    )
  })
  return Effect.scoped(work).pipe(Effect.catch((failure) => Effect.sync(() => seen(failure, null))))
}

const start = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Started, string, Requirements | Scope.Scope> {
  const tree = yield* ProcessTree
  const marker = yield* tree.mark
  const { variables } = yield* environmentOf(options, marker)
  const command = ChildProcess.make(Redacted.value(options.command), [], {
    cwd: options.cwd,
    env: variables,
    shell: true,
    detached: true,
    stdin: "ignore",
    // Only for what is left when our own finalizer is done.
    forceKillAfter: "100 millis"
  })
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const handle = yield* Effect.mapError(
    spawner.spawn(command),
    // Its own words hold the command.
    ({ reason }) => `could not be started in ${options.cwd} (${reason._tag})`
  )
  const target = { pid: handle.pid, marker }
  yield* tree.watch(target)
  const exited = yield* Deferred.make<number, string>()
  const status = Effect.mapError(handle.exitCode, () => "was ended by a signal")
  yield* Effect.forkScoped(Deferred.into(status, exited))
  yield* Effect.addFinalizer(() =>
    ProcessClose.close({ tree, target, exited: Effect.exit(Deferred.await(exited)), endInput: Effect.void }).pipe(
      Effect.andThen(Effect.ignore(handle.unref))
    )
  )
  return { handle, exited: Deferred.await(exited) }
})

interface Started {
  readonly handle: ChildProcessSpawner.ChildProcessHandle
  readonly exited: Effect.Effect<number, string>
}

const environmentOf = Effect.fnUntraced(function*({ cwd, variables }: Options, marker: string) {
  const { variables: host } = yield* Environment
  const { sep } = yield* Path.Path
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, Redacted.make(value)]))
  return ServerEnvironment.make({
    stdio: { _tag: "stdio", command: "", args: [], env, cwd, inheritEnv: [] },
    host,
    marker,
    searchAfterPath: [],
    delimiter: sep === "\\" ? ";" : ":"
  })
})

/** Reads both outputs until the command has ended, and gives its exit code. */
const waited = Effect.fnUntraced(function*(
  handle: Started["handle"],
  exited: Started["exited"],
  printed: Printed
): Effect.fn.Return<number, string, Scope.Scope> {
  const isTooMuch = yield* Deferred.make<never, string>()
  const isRead = yield* Deferred.make<void>()
  const stdout = Stream.runForEach(
    handle.stdout,
    (chunk) => printed.add(chunk) ? Effect.void : Deferred.fail(isTooMuch, "printed more than headers can be")
  )
  const stderr = Stream.runForEach(
    Stream.decodeText(handle.stderr),
    (text) => Effect.sync(() => printed.stderr.append(text))
  )
  // A broken pipe adds nothing to the exit status.
  const reading = Effect.all([Effect.ignore(stdout), Effect.ignore(stderr)], { concurrency: 2, discard: true })
  yield* Effect.forkScoped(Effect.andThen(reading, Deferred.succeed(isRead, undefined)))
  const exitCode = yield* Effect.raceFirst(exited, Deferred.await(isTooMuch))
  yield* Effect.timeoutOption(Deferred.await(isRead), LAST_OUTPUT)
  return exitCode
})

interface Printed {
  /** Keeps a piece of standard output; false when that is more than may come. */
  readonly add: (chunk: Uint8Array) => boolean
  readonly stdout: () => string
  readonly stderr: Tail.Tail
}

const makePrinted = (maxBytes: number): Printed => {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  return {
    add: (chunk) => {
      bytes += chunk.length
      if (bytes <= maxBytes) text += decoder.decode(chunk, { stream: true })
      return bytes <= maxBytes
    },
    stdout: () => text,
    stderr: Tail.make()
  }
}
