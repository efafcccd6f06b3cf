/**
 * Servers that are programs: started in a process group of their own, spoken to over pipes, told of when they die, gone when
 * the scope closes.
 */
import { Environment, type ServerConfig, type Stdio } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Message } from "../base/JsonRpc.ts"
import * as Redaction from "../base/Redaction.ts"
import * as ServerEnvironment from "../base/ServerEnvironment.ts"
import type { Channel, Receiver, Sending } from "../contract/Channel.ts"
import { type CommandNotFound, ConnectionLost, Exited, SpawnFailed } from "../errors/McpError.ts"
import { type ProcessTarget, ProcessTree } from "../host/ProcessTree.ts"
import { type ExitStatus, type OutputPipe, type Program, type ProgramListener, Programs } from "../host/Programs.ts"
import { MOST, Outbox } from "./Outbox.ts"
import * as ProcessClose from "./ProcessClose.ts"
import { ServerOutput } from "./ServerOutput.ts"
import * as SpawnFailure from "./SpawnFailure.ts"
import * as WindowsCommand from "./WindowsCommand.ts"

/** How long output may still arrive after the process ended; a helper may hold the pipe open for ever. */
const LAST_OUTPUT = "250 millis"
/** How long the status of a process may take whose output ended; on a busy machine it comes late. */
const LAST_STATUS = "750 millis"

export type Requirements =
  | Programs
  | ProcessTree
  | Environment
  | FileSystem.FileSystem
  | Path.Path

/**
 * Starts the program of an entry. The scope's close ends its input, waits 500 ms, sends SIGTERM, waits 5 s and sends
 * SIGKILL, to everything the program started (Decision 6).
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
  const server = new Server(program, scrub, {
    output: new ServerOutput(config, yield* Clock.Clock, scrub),
    outbox: new Outbox(program, MOST),
    run: yield* FiberSet.makeRuntime<never, void>()
  })
  yield* program.listen(server)
  yield* Scope.addFinalizerExit(yield* Effect.scope, () => server.close(tree, target))
  return server
})

interface Parts {
  readonly output: ServerOutput
  readonly outbox: Outbox
  /** Runs what takes time, until the scope closes. */
  readonly run: (work: Effect.Effect<void>) => Fiber.Fiber<void>
}

class Server implements Channel, ProgramListener {
  readonly pid: number
  readonly scrub: (text: string) => string
  private readonly program: Program
  private readonly output: ServerOutput
  private readonly outbox: Outbox
  private readonly run: Parts["run"]
  private readonly hasExited = Deferred.makeUnsafe<ExitStatus>()
  /** Both its outputs have come to their end. */
  private readonly isRead = Deferred.makeUnsafe<void>()
  private openOutputs = 2
  private lastId = 0
  private end: Exited | ConnectionLost | null = null
  private listeners: ReadonlyArray<(why: Exited | ConnectionLost) => void> = NOBODY

  constructor(program: Program, scrub: (text: string) => string, { outbox, output, run }: Parts) {
    this.pid = program.pid
    this.scrub = scrub
    this.program = program
    this.output = output
    this.outbox = outbox
    this.run = run
  }

  nextId(): number {
    return this.lastId += 1
  }
  send(message: Message, sending?: Sending): void {
    if (!this.outbox.send(message, sending)) return
    this.output.sent(message)
    sending?.onAccepted?.()
  }
  /** A written request cannot be taken back, and only a message tells the server. */
  abandon(): boolean {
    return false
  }
  /** Pipes are the same in every revision. */
  agreed(): void {}
  listen(receiver: Receiver): void {
    this.output.listen(receiver)
  }
  stderr(): string {
    return this.output.stderr()
  }
  diagnostics(): ReadonlyArray<string> {
    return this.output.diagnostics()
  }
  onClosed(listener: (why: Exited | ConnectionLost) => void): () => void {
    if (this.end !== null) listener(this.end)
    else this.listeners = this.listeners.concat(listener)
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener)
    }
  }

  wrote(pipe: OutputPipe, bytes: Uint8Array): void {
    const work = pipe === "output" ? this.output.read(bytes) : this.output.readErrors(bytes)
    if (work !== null) this.before(pipe, work)
  }
  ended(pipe: OutputPipe): void {
    const rest = pipe === "errors" ? this.output.endErrors : Effect.void
    this.run(Effect.andThen(rest, () => {
      this.openOutputs--
      if (this.openOutputs === 0) Deferred.doneUnsafe(this.isRead, Effect.void)
      return pipe === "output" ? this.deafOrMute(CLOSED_OUTPUT) : Effect.void
    }))
  }
  drained(): void {
    this.outbox.drained()
  }
  deaf(): void {
    this.outbox.close(CLOSED_INPUT)
    this.run(this.deafOrMute(CLOSED_INPUT))
  }
  exited(status: ExitStatus): void {
    Deferred.doneUnsafe(this.hasExited, Effect.succeed(status))
    this.run(this.tellEnd(status))
  }

  close(tree: ProcessTree["Service"], target: ProcessTarget): Effect.Effect<void> {
    const exited = Deferred.await(this.hasExited)
    const endInput = Effect.sync(() => this.outbox.end())
    return ProcessClose.close({ tree, target, exited, endInput })
  }

  /** Reads on when this is done. */
  private before(pipe: OutputPipe, work: Effect.Effect<void, ConnectionLost>): void {
    this.program.pause(pipe)
    this.run(work.pipe(
      Effect.andThen(Effect.sync(() => this.program.resume(pipe))),
      Effect.catch((endless) => Effect.sync(() => this.brokeOff(endless)))
    ))
  }
  /** Delivers the last output before pending calls fail. */
  private tellEnd(status: ExitStatus): Effect.Effect<void> {
    return Effect.map(Effect.timeoutOption(Deferred.await(this.isRead), LAST_OUTPUT), () => {
      this.outbox.close("the process has ended")
      this.tell(new Exited({ ...status, during: "its work", stderr: this.output.stderr() }))
    })
  }
  /**
   * A server that closed its input or output can never be talked to again; one that ended as well has more to say by its
   * exit status.
   */
  private deafOrMute(detail: string): Effect.Effect<void> {
    return Effect.map(Effect.timeoutOption(Deferred.await(this.hasExited), LAST_STATUS), (status) => {
      if (Option.isNone(status)) this.brokeOff(new ConnectionLost({ detail }))
    })
  }
  private brokeOff(why: ConnectionLost): void {
    this.outbox.close(why.detail)
    this.tell(why)
  }
  /** The first reason stays. */
  private tell(why: Exited | ConnectionLost): void {
    if (this.end !== null) return
    this.end = why
    const { listeners } = this
    this.listeners = NOBODY
    for (const listener of listeners) listener(why)
  }
}

const NOBODY: ReadonlyArray<(why: Exited | ConnectionLost) => void> = []

const CLOSED_OUTPUT = "the server closed its standard output"
const CLOSED_INPUT = "the server closed its standard input"

/** Collects the secrets of the entry at the first use: that takes as long as many calls, and most servers never need it. */
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
    Effect.catch((error) => Effect.flatMap(SpawnFailure.ofSystem(stdio, environment, error), Effect.fail)),
    // Arguments that are too long, for instance, make Node throw instead of telling.
    Effect.catchDefect((defect) => Effect.fail(SpawnFailure.ofDefect(stdio, defect)))
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
