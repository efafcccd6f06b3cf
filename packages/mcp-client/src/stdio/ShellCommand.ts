/**
 * A command that is run for what it prints, by the shell or as it is: in a process group of its own, with a time limit, and nothing of
 * it left when it is over.
 */
import { Environment } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as ServerEnvironment from "../base/ServerEnvironment.ts"
import * as TextTail from "../base/TextTail.ts"
import { ProcessTree } from "../host/ProcessTree.ts"
import { type OutputPipe, Programs } from "../host/Programs.ts"
import * as ProcessClose from "./ProcessClose.ts"

export interface Options {
  /** May hold a secret, and shows in no failure. */
  readonly command: Redacted.Redacted<string>
  /** The arguments of `command`, which then is a program. Left out, it is a line for the shell. */
  readonly args?: ReadonlyArray<string>
  /** The text for standard input; nothing unless given. */
  readonly input?: string
  readonly cwd: string
  /** Besides the safe list (Decision 15). */
  readonly variables: Readonly<Record<string, string>>
  /** After this the command is taken down. */
  readonly limit: Duration.Duration
  /** Bytes of standard output. */
  readonly maxBytes: number
}

export interface Outcome {
  /** Why it is of no use; null when the command exited with 0 in time. */
  readonly failure: string | null
  /** Null when a signal ended it, or we did. */
  readonly exitCode: number | null
  readonly stdout: string
  /** The last lines; withheld when more was printed than may come, for they may repeat what was not kept of it. */
  readonly stderr: string
}

export type Requirements = Programs | ProcessTree | Environment | Path.Path

/** How long output may still arrive after the end: a helper of the command may hold the pipe open for ever. */
const LAST_OUTPUT = "250 millis"
const TOO_MUCH = "printed more than headers can be"
const WITHHELD = "(withheld, because it may repeat what was printed)"

/** Runs a command, and ends everything it started. May take 6 s longer than the limit. Never fails. */
export const run = (options: Options): Effect.Effect<Outcome, never, Requirements> => {
  const printed = makePrinted(options.maxBytes)
  const seen = (failure: string | null, exitCode: number | null): Outcome => ({
    failure: failure ?? (printed.isTooMuch() ? TOO_MUCH : null),
    exitCode,
    stdout: printed.stdout(),
    stderr: printed.stderr()
  })
  const work = Effect.gen(function*() {
    // From here on nothing may come between a process and the finalizer that takes it down.
    const started = yield* Effect.uninterruptible(start(options, printed))
    return yield* waited(started).pipe(
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
  options: Options,
  printed: Printed
): Effect.fn.Return<Started, string, Requirements | Scope.Scope> {
  const tree = yield* ProcessTree
  const programs = yield* Programs
  const marker = yield* tree.mark
  const { variables } = yield* environmentOf(options, marker)
  const program = yield* Effect.mapError(
    programs.start({
      file: Redacted.value(options.command),
      args: (options.args ?? []).map((arg) => Redacted.make(arg)),
      isLine: options.args === undefined,
      cwd: options.cwd,
      env: variables
    }),
    // Its own words hold the command.
    ({ reason }) => `could not be started in ${options.cwd} (${reason._tag})`
  )
  const target = { pid: program.pid, marker }
  yield* tree.watch(target)
  const exited = Deferred.makeUnsafe<number, string>()
  const isTooMuch = Deferred.makeUnsafe<never, string>()
  const isRead = Deferred.makeUnsafe<void>()
  let open = 2
  yield* program.listen({
    wrote: (pipe, bytes) => {
      if (!printed.add(pipe, bytes)) Deferred.doneUnsafe(isTooMuch, Effect.fail(TOO_MUCH))
    },
    ended: () => {
      if (--open === 0) Deferred.doneUnsafe(isRead, Effect.void)
    },
    drained: ignore,
    deaf: ignore,
    exited: ({ exitCode }) => {
      Deferred.doneUnsafe(exited, exitCode === null ? Effect.fail("was ended by a signal") : Effect.succeed(exitCode))
    }
  })
  if (options.input !== undefined) program.write(options.input)
  program.end()
  yield* Effect.addFinalizer(() =>
    ProcessClose.close({ tree, target, exited: Effect.exit(Deferred.await(exited)), endInput: Effect.void })
  )
  return {
    over: Effect.raceFirst(Deferred.await(exited), Deferred.await(isTooMuch)),
    isRead: Deferred.await(isRead)
  }
})

const ignore = () => {}

interface Started {
  /** Its exit code, or why nothing will come of it. */
  readonly over: Effect.Effect<number, string>
  /** Both its outputs have come to their end. */
  readonly isRead: Effect.Effect<void>
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

const waited = ({ isRead, over }: Started) =>
  // A broken pipe adds nothing to the exit status.
  Effect.tap(over, () => Effect.timeoutOption(isRead, LAST_OUTPUT))

interface Printed {
  /** Keeps what was printed; false when that is more than may come. */
  readonly add: (pipe: OutputPipe, chunk: Uint8Array) => boolean
  readonly isTooMuch: () => boolean
  readonly stdout: () => string
  readonly stderr: () => string
}

const makePrinted = (maxBytes: number): Printed => {
  const decoders = { output: new TextDecoder(), errors: new TextDecoder() }
  const errors = TextTail.make()
  const isTooMuch = () => bytes > maxBytes
  let bytes = 0
  let stdout = ""
  return {
    add: (pipe, chunk) => {
      if (pipe === "output") bytes += chunk.length
      if (isTooMuch()) return false
      const text = decoders[pipe].decode(chunk, { stream: true })
      if (pipe === "output") stdout += text
      else errors.append(text)
      return true
    },
    isTooMuch,
    stdout: () => stdout,
    stderr: () => isTooMuch() && errors.text() !== "" ? WITHHELD : errors.text()
  }
}
