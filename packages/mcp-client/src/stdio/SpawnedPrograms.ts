/**
 * Programs that a `ChildProcessSpawner` starts: its streams are run for whoever listens by calls.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  type ExitStatus,
  type OutputPipe,
  type Program,
  type ProgramCommand,
  type ProgramListener,
  Programs
} from "../host/Programs.ts"

/**
 * Gives `Programs` where there is nothing but a `ChildProcessSpawner`.
 *
 * @category layers
 */
export const layer: Layer.Layer<Programs, never, ChildProcessSpawner.ChildProcessSpawner> = Layer.effect(
  Programs,
  Effect.map(
    ChildProcessSpawner.ChildProcessSpawner,
    (spawner) => Programs.of({ start: (command) => start(spawner, command) })
  )
)

const start = Effect.fnUntraced(function*(
  spawner: ChildProcessSpawner.ChildProcessSpawner["Service"],
  command: ProgramCommand
): Effect.fn.Return<Program, PlatformError.PlatformError, Scope.Scope> {
  const handle = yield* spawner.spawn(
    ChildProcess.make(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      ...command.isLine ? { shell: true } : {},
      // Only for what is left when its starter has ended it; without it the spawner would wait for ever.
      forceKillAfter: "100 millis"
    })
  )
  // All is gone by the end of the scope; the spawner would still wait a second for a zombie that nobody reaps.
  yield* Effect.addFinalizer(() => Effect.ignore(handle.unref))
  const input = yield* Queue.unbounded<Input, Cause.Done>()
  const gates = { output: Latch.makeUnsafe(true), errors: Latch.makeUnsafe(true) }
  const encoder = new TextEncoder()
  let isOpen = true
  return {
    pid: handle.pid,
    listen: (listener) =>
      Effect.all([
        Effect.forkScoped(Effect.map(written(input, handle, listener), () => {
          isOpen = false
        })),
        Effect.forkScoped(read("output", handle.stdout, gates.output, listener)),
        Effect.forkScoped(read("errors", handle.stderr, gates.errors, listener)),
        Effect.forkScoped(
          Effect.map(Effect.exit(handle.exitCode), (exit) => listener.exited(statusOf(exit)))
        )
      ], { discard: true }),
    write: (text) => {
      Queue.offerUnsafe(input, encoder.encode(text))
      return false
    },
    isWritable: () => isOpen,
    end: () => void Queue.endUnsafe(input),
    pause: (pipe) => void gates[pipe].closeUnsafe(),
    resume: (pipe) => void gates[pipe].openUnsafe(),
    soon: (work) => void Queue.offerUnsafe(input, work)
  }
})

/** What is to be written, or to be done as soon as what was asked for before is done. */
type Input = Uint8Array | (() => void)

/** Each time the sink asks for more, what it had before is behind it. */
const written = (
  input: Queue.Dequeue<Input, Cause.Done>,
  handle: ChildProcessSpawner.ChildProcessHandle,
  listener: ProgramListener
) => {
  const next: Effect.Effect<readonly [Uint8Array], Cause.Done> = Effect.flatMap(Queue.take(input), (item) => {
    if (typeof item !== "function") return Effect.succeed([item] as const)
    item()
    return next
  })
  const pull = Effect.suspend(() => {
    listener.drained()
    return next
  })
  return Effect.catch(
    Stream.run(Stream.fromPull(Effect.succeed(pull)), handle.stdin),
    () => Effect.sync(() => listener.deaf())
  )
}

/** The end of the process is told by its exit status; a broken pipe adds nothing to it. */
const read = (
  pipe: OutputPipe,
  stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>,
  gate: Latch.Latch,
  listener: ProgramListener
) =>
  Stream.runForEach(stream, (bytes) => Effect.andThen(gate.await, Effect.sync(() => listener.wrote(pipe, bytes)))).pipe(
    Effect.ignore,
    Effect.andThen(gate.await),
    Effect.andThen(Effect.sync(() => listener.ended(pipe)))
  )

/** The signal stands only in the words of the spawner. */
const statusOf = (exit: Exit.Exit<number, PlatformError.PlatformError>): ExitStatus =>
  Exit.match(exit, {
    onSuccess: (exitCode) => ({ exitCode, signal: null }),
    onFailure: (cause) => ({ exitCode: null, signal: /signal: '(SIG[A-Z0-9]+)'/.exec(String(cause))?.[1] ?? null })
  })
