/** Programs by `node:child_process` itself: what a pipe brings goes to its listener in the callback that brought it. */
import { type OutputPipe, type Program, type ProgramCommand, type ProgramListener, Programs } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import process from "node:process"
import type { Readable } from "node:stream"
import { setImmediate } from "node:timers"

/**
 * Provides `Programs` without what `ChildProcessSpawner` costs a process and a chunk. Sends no signals: the starter does.
 */
export const layer: Layer.Layer<Programs> = Layer.succeed(Programs, {
  start: (command) => Effect.uninterruptible(Effect.flatMap(spawned(command), kept))
})

const spawned = (command: ProgramCommand) =>
  Effect.callback<ChildProcessWithoutNullStreams, PlatformError.PlatformError>((resume) => {
    const nul = nulIn(command)
    if (nul !== null) return resume(Effect.fail(badArgument(nul)))
    const child = spawn(command.file, command.args.map(Redacted.value), {
      ...standing(process.platform),
      ...placed(command)
    })
    // Later ones, such as of a signal that could not be sent, show in what the process does.
    child.on("error", ignore)
    if (child.pid !== undefined) return resume(Effect.succeed(child))
    // A process that could not be started says why in a moment.
    child.once("error", (error) => resume(Effect.fail(refusal(command, error))))
  })

const placed = ({ cwd, env, isLine }: ProgramCommand) => ({
  cwd,
  env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, plain(value)])),
  shell: isLine
})

/**
 * How a program stands to this one. On Windows a detached program would show a window of its own, and outlive this one;
 * a program with a hidden console gets no Ctrl-C of ours.
 */
export const standing = (platform: NodeJS.Platform) =>
  ({ detached: platform !== "win32", windowsHide: true, stdio: "pipe" }) as const

/** Lets go of it at the end of the scope. */
const kept = (child: ChildProcessWithoutNullStreams): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.scope,
    (scope) => Effect.as(Scope.addFinalizerExit(scope, () => release(child)), new Running(child))
  )

/** A process that escaped may hold the other end of a pipe for ever; that must not keep this one. */
const release = (child: ChildProcessWithoutNullStreams): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    child.unref()
  })

class Running implements Program {
  readonly pid: number
  readonly soon = setImmediate
  private readonly child: ChildProcessWithoutNullStreams

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child
    this.pid = child.pid ?? 0
    // Writing to a pipe that broke is told by the end of what it led to.
    child.stdin.on("error", ignore)
  }

  listen(listener: ProgramListener): Effect.Effect<void> {
    return Effect.sync(() => listen(this.child, listener))
  }
  write(text: string): boolean {
    return this.isWritable() && this.child.stdin.write(text.length > LONG ? Buffer.from(text) : text)
  }
  isWritable(): boolean {
    return this.child.stdin.writable
  }
  end(): void {
    this.child.stdin.end()
  }
  pause(pipe: OutputPipe): void {
    this.output(pipe).pause()
  }
  resume(pipe: OutputPipe): void {
    this.output(pipe).resume()
  }
  private output(pipe: OutputPipe): Readable {
    return pipe === "output" ? this.child.stdout : this.child.stderr
  }
}

/** Node takes three times its length for a text that it encodes while it writes it. */
const LONG = 16 * 1024

const listen = (child: ChildProcessWithoutNullStreams, listener: ProgramListener) => {
  const { stderr, stdin, stdout } = child
  hear(stdout, "output", listener)
  hear(stderr, "errors", listener)
  stdin.on("drain", () => listener.drained())
  stdin.on("error", () => listener.deaf())
  const exited = (exitCode: number | null, signal: string | null) => listener.exited({ exitCode, signal })
  if (child.exitCode === null && child.signalCode === null) child.on("exit", exited)
  else exited(child.exitCode, child.signalCode)
}

/** Node tells each of these once; `once` would take an object of its own for it. */
const hear = (pipe: Readable, name: OutputPipe, listener: ProgramListener) => {
  pipe.on("data", (bytes: Uint8Array) => listener.wrote(name, bytes))
  // The end of the process is told by its exit status; a broken pipe adds nothing to it.
  pipe.on("error", ignore)
  pipe.on("close", () => listener.ended(name))
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
