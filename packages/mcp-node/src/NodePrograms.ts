/**
 * Programs by `node:child_process` itself: what a pipe brings goes to its listener in the callback that brought it.
 */
import {
  type OutputPipe,
  type Program,
  type ProgramCommand,
  type ProgramListener,
  Programs
} from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import process from "node:process"
import type { Readable } from "node:stream"

/**
 * Gives `Programs` without what `ChildProcessSpawner` costs a process and a chunk. The order of signals, and who else is to
 * end, is the starter's affair.
 *
 * @category layers
 */
export const layer: Layer.Layer<never> = Layer.succeed(Programs, {
  start: (command) => Effect.map(Effect.acquireRelease(spawned(command), release), program)
})

const spawned = (command: ProgramCommand) =>
  Effect.callback<ChildProcessWithoutNullStreams, PlatformError.PlatformError>((resume) => {
    const nul = nulIn(command)
    if (nul !== null) return resume(Effect.fail(badArgument(nul)))
    const child = spawn(command.file, command.args.map(Redacted.value), {
      cwd: command.cwd,
      env: Object.fromEntries(Object.entries(command.env).map(([name, value]) => [name, plain(value)])),
      shell: command.isLine,
      detached: true,
      stdio: "pipe"
    })
    // Later ones, such as of a signal that could not be sent, show in what the process does.
    child.on("error", (error) => resume(Effect.fail(refusal(command, error))))
    // A process that could not be started has no id, and says why in a moment.
    if (child.pid !== undefined) resume(Effect.succeed(child))
  })

/** A process that escaped may hold the other end of a pipe for ever; that must not keep this one. */
const release = (child: ChildProcessWithoutNullStreams): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    child.unref()
  })

const program = (child: ChildProcessWithoutNullStreams): Program => {
  const { stderr: errors, stdin, stdout: output } = child
  const pipes: Readonly<Record<OutputPipe, Readable>> = { output, errors }
  // Writing to a pipe that broke is told by the end of what it led to.
  stdin.on("error", ignore)
  return {
    pid: child.pid ?? 0,
    listen: (listener) => Effect.sync(() => listen(child, pipes, listener)),
    write: (text) => stdin.writable && stdin.write(text.length > LONG ? Buffer.from(text) : text),
    end: () => void stdin.end(),
    pause: (pipe) => void pipes[pipe].pause(),
    resume: (pipe) => void pipes[pipe].resume(),
    soon: process.nextTick
  }
}

/** Node takes three times its length for a text that it encodes while it writes it. */
const LONG = 16 * 1024

const listen = (
  child: ChildProcessWithoutNullStreams,
  pipes: Readonly<Record<OutputPipe, Readable>>,
  listener: ProgramListener
) => {
  for (const name of ["output", "errors"] as const) {
    const pipe = pipes[name]
    pipe.on("data", (bytes: Uint8Array) => listener.wrote(name, bytes))
    // The end of the process is told by its exit status; a broken pipe adds nothing to it.
    pipe.on("error", ignore)
    pipe.once("close", () => listener.ended(name))
  }
  child.stdin.on("drain", listener.drained)
  child.stdin.once("error", listener.deaf)
  const exited = (exitCode: number | null, signal: string | null) => listener.exited({ exitCode, signal })
  if (child.exitCode === null && child.signalCode === null) child.once("exit", exited)
  else exited(child.exitCode, child.signalCode)
}

const ignore = () => {}

const plain = (value: string | Redacted.Redacted<string>): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value

/** Node refuses it as well, and shows the value. */
const nulIn = ({ args, env, file }: ProgramCommand): string | null => {
  if (file.includes("\0")) return "the command contains a NUL character"
  const argument = args.findIndex((arg) => plain(arg).includes("\0"))
  if (argument !== -1) return `argument ${argument + 1} contains a NUL character`
  const variable = Object.entries(env).find(([, value]) => plain(value).includes("\0"))
  return variable === undefined ? null : `the environment variable ${variable[0]} contains a NUL character`
}

const badArgument = (description: string) =>
  PlatformError.badArgument({ module: "ChildProcess", method: "spawn", description })

const TAGS: Readonly<Record<string, PlatformError.SystemErrorTag>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  EISDIR: "BadResource",
  ENOTDIR: "BadResource",
  ELOOP: "BadResource"
}

const refusal = ({ file, isLine }: ProgramCommand, error: NodeJS.ErrnoException): PlatformError.PlatformError => {
  // Node notes the arguments on it, which may be secrets.
  Object.assign(error, { spawnargs: [] })
  return PlatformError.systemError({
    _tag: TAGS[error.code ?? ""] ?? "Unknown",
    module: "ChildProcess",
    method: "spawn",
    ...isLine ? {} : { pathOrDescriptor: file },
    cause: error
  })
}
