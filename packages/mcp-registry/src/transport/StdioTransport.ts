/**
 * Servers that are programs: started in a process group of their own, spoken to over pipes, gone when the scope closes.
 */
import { Environment, type ServerConfig, type Stdio } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { CommandNotFound, ConnectionLost, Exited, SpawnFailed } from "../McpError.ts"
import { type ProcessTarget, ProcessTree } from "../ProcessTree.ts"
import { type ExitStatus, type OutputPipe, type Program, Programs } from "../Programs.ts"
import * as Redaction from "../Redaction.ts"
import type { Channel } from "../rpc/Channel.ts"
import * as Outbox from "./Outbox.ts"
import * as ProcessClose from "./ProcessClose.ts"
import * as ServerEnvironment from "./ServerEnvironment.ts"
import * as ServerOutput from "./ServerOutput.ts"
import * as WindowsCommand from "./WindowsCommand.ts"

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
) => Effect.Effect<Channel, CommandNotFound | SpawnFailed, Requirements | Scope.Scope> = Effect.fnUntraced(
  function*(config, stdio, searchAfterPath) {
    const marker = yield* ProcessTree.use(({ mark }) => mark)
    const environment = yield* environmentOf(stdio, marker, searchAfterPath)
    // From here on nothing may come between a process and the finalizer that takes it down.
    return yield* Effect.uninterruptible(start(config, stdio, environment, marker))
  }
)

const start = Effect.fnUntraced(function*(
  config: ServerConfig,
  stdio: Stdio,
  environment: ServerEnvironment.ServerEnvironment,
  marker: string
): Effect.fn.Return<Channel, CommandNotFound | SpawnFailed, Requirements | Scope.Scope> {
  const tree = yield* ProcessTree
  const program = yield* spawn(stdio, environment)
  const target = { pid: program.pid, marker }
  yield* tree.watch(target)
  const scrub = scrubber(config, environment.declared)
  const life: Life = {
    program,
    output: ServerOutput.make(config, yield* Clock.Clock, scrub),
    outbox: Outbox.make(program, config.maxMessageBytes * 2),
    run: yield* FiberSet.makeRuntime<never>(),
    exited: Deferred.makeUnsafe(),
    isRead: Deferred.makeUnsafe(),
    ended: Deferred.makeUnsafe()
  }
  yield* listen(life)
  yield* Effect.addFinalizer(() => close(tree, target, life))
  return channel(life, scrub)
})

const close = (tree: ProcessTree["Service"], target: ProcessTarget, { exited, outbox }: Life) =>
  ProcessClose.close({ tree, target, exited: Deferred.await(exited), endInput: Effect.sync(outbox.end) })

/** A program that is spoken to, and what is known of its end. */
interface Life {
  readonly program: Program
  readonly output: ServerOutput.ServerOutput
  readonly outbox: Outbox.Outbox
  /** For what takes time; in a fiber that ends with the scope. */
  readonly run: (work: Effect.Effect<void>) => unknown
  readonly exited: Deferred.Deferred<ExitStatus>
  /** Both its outputs have come to their end. */
  readonly isRead: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<Exited | ConnectionLost>
}

const channel = ({ ended, outbox, output, program }: Life, scrub: (text: string) => string): Channel => ({
  pid: program.pid,
  send: (message, sending) => {
    if (!outbox.send(message, sending?.onFailed)) return
    output.sent(message)
    sending?.onAccepted?.()
  },
  abandon: tellsNothing,
  agreed: needsNothing,
  listen: output.listen,
  stderr: output.stderr,
  scrub,
  diagnostics: output.diagnostics,
  closed: Deferred.await(ended)
})

/** What left cannot be taken back, and nothing but a message tells the server. */
const tellsNothing = () => false

const needsNothing = () => {}

const listen = (life: Life) => {
  const { exited, isRead, outbox, output, program, run } = life
  let open = 2
  /** Reads on when this is done. */
  const before = (pipe: OutputPipe, work: Effect.Effect<void, ConnectionLost>) => {
    program.pause(pipe)
    run(work.pipe(
      Effect.andThen(Effect.sync(() => program.resume(pipe))),
      Effect.catch((endless) => brokeOff(life, endless))
    ))
  }
  const ended = (pipe: OutputPipe) =>
    Effect.andThen(pipe === "errors" ? output.endErrors : Effect.void, () => {
      open--
      return Effect.andThen(
        open === 0 ? Deferred.succeed(isRead, undefined) : Effect.void,
        pipe === "output" ? deafOrMute(life, CLOSED_OUTPUT) : Effect.void
      )
    })
  return program.listen({
    wrote: (pipe, bytes) => {
      const work = pipe === "output" ? output.read(bytes) : output.readErrors(bytes)
      if (work !== null) before(pipe, work)
    },
    ended: (pipe) => run(ended(pipe)),
    drained: outbox.drained,
    deaf: () => {
      outbox.close(CLOSED_INPUT)
      run(deafOrMute(life, CLOSED_INPUT))
    },
    exited: (status) => {
      Deferred.doneUnsafe(exited, Effect.succeed(status))
      run(tellEnd(life))
    }
  })
}

/** What was written just before the end is delivered before pending calls fail. */
const tellEnd = Effect.fnUntraced(function*({ ended, exited, isRead, outbox, output }: Life) {
  const status = yield* Deferred.await(exited)
  yield* Effect.timeoutOption(Deferred.await(isRead), LAST_OUTPUT)
  outbox.close("the process has ended")
  yield* Deferred.succeed(ended, new Exited({ ...status, during: "its work", stderr: output.stderr() }))
})

/**
 * A server that closed its input or output can never be talked to again; one that ended as well has more to say by its
 * exit status.
 */
const deafOrMute = Effect.fnUntraced(function*(life: Life, detail: string) {
  const status = yield* Effect.timeoutOption(Deferred.await(life.exited), LAST_STATUS)
  if (Option.isNone(status)) yield* brokeOff(life, new ConnectionLost({ detail }))
})

const brokeOff = ({ ended, outbox }: Life, why: ConnectionLost) =>
  Effect.suspend(() => {
    outbox.close(why.detail)
    return Effect.asVoid(Deferred.succeed(ended, why))
  })

const CLOSED_OUTPUT = "the server closed its standard output"
const CLOSED_INPUT = "the server closed its standard input"

/** Looking for secrets in an entry takes as long as many calls, and mostly nothing is to be hidden. */
const scrubber = (config: ServerConfig, declared: ReadonlyArray<string>) => {
  let hide: ((text: string) => string) | null = null
  return (text: string) => (hide ??= Redaction.scrubber(config, declared))(text)
}

const environmentOf = Effect.fnUntraced(
  function*(stdio: Stdio, marker: string, searchAfterPath: ReadonlyArray<string>) {
    const { variables } = yield* Environment
    const { sep } = yield* Path.Path
    const delimiter = sep === "\\" ? ";" : ":"
    return ServerEnvironment.make({ stdio, host: variables, marker, searchAfterPath, delimiter })
  }
)

const spawn = Effect.fnUntraced(function*(stdio: Stdio, environment: ServerEnvironment.ServerEnvironment) {
  const { start } = yield* Programs
  const found = yield* onWindows(stdio, environment)
  const isLine = found._tag === "Batch"
  return yield* start({
    file: isLine ? found.line : found.file,
    args: isLine ? [] : stdio.args,
    isLine,
    cwd: stdio.cwd,
    env: environment.variables
  }).pipe(
    Effect.catch((error) => Effect.flatMap(spawnError(stdio, environment, error), Effect.fail)),
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

/** The system says of a missing folder what it says of a missing program. */
const spawnError = Effect.fnUntraced(function*(
  stdio: Stdio,
  environment: ServerEnvironment.ServerEnvironment,
  error: PlatformError.PlatformError
) {
  const { command, cwd } = stdio
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(cwd), () => false))) return noFolder(stdio)
  if (error.reason._tag !== "NotFound") return refused(stdio, error)
  if (!command.includes("/")) return new CommandNotFound({ command, searched: environment.searched })
  return new CommandNotFound({ command, searched: command.startsWith("/") ? [] : [cwd] })
})

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

/** What the system's refusals mean to a person, and what to try. */
const WORDS: Readonly<Record<string, readonly [words: string, advice: string]>> = {
  PermissionDenied: ["permission denied", `make it executable with chmod +x, or ${SCRIPT}`],
  BadResource: ["it is no program that this system can run", `for a script, ${SCRIPT}`]
}

const wordsOf = (defect: unknown): string => defect instanceof Error ? defect.message : String(defect)
