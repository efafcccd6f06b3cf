/** A program without a process: what it writes is told in a later turn, in order, as a real one's output is. */
import * as Effect from "effect/Effect"
import type { ExitStatus, OutputPipe, Program, ProgramListener } from "../../../mcp-client/src/host/Programs.ts"

/** What a program does with its standard input. */
export interface Input {
  readonly received: (text: string) => void
  /** Nothing more will come. */
  readonly ended: () => void
}

/** The other side of the pipes of a `Program`. */
export interface Scripted {
  readonly program: Program
  readonly write: (pipe: OutputPipe, text: string) => void
  /** Closes its standard input and lives on. */
  readonly closeInput: () => void
  /** Ends both outputs, after what was written. */
  readonly closeOutputs: () => void
  /** Its process ends, perhaps before its outputs do. Once. */
  readonly exit: (status: ExitStatus) => void
}

const encoder = new TextEncoder()

export const make = (pid: number, input: Input): Scripted => {
  const pipes = { output: new Pipe(), errors: new Pipe() }
  let listener: ProgramListener | null = null
  let status: ExitStatus | null = null
  let isInputOpen = true
  let isDeaf = false
  let isExitTold = false

  const tell = () => {
    if (listener === null) return
    for (const pipe of ["output", "errors"] as const) pipes[pipe].tell(pipe, listener)
    if (status === null || isExitTold) return
    isExitTold = true
    listener.exited(status)
  }
  const soon = (work: () => void) => queueMicrotask(work)
  const change = (doing: () => void) => {
    doing()
    soon(tell)
  }
  return {
    program: {
      pid,
      listen: (given) => Effect.sync(() => change(() => void (listener = given))),
      write: (text) => {
        if (!isInputOpen || status !== null) return false
        soon(() => isDeaf ? listener?.deaf() : input.received(text))
        return true
      },
      isWritable: () => isInputOpen,
      end: () => {
        if (isInputOpen && !isDeaf) soon(input.ended)
        isInputOpen = false
      },
      pause: (pipe) => void (pipes[pipe].isPaused = true),
      resume: (pipe) => change(() => void (pipes[pipe].isPaused = false)),
      soon
    },
    write: (pipe, text) =>
      change(() => {
        if (!pipes[pipe].isEnding) pipes[pipe].waiting.push(encoder.encode(text))
      }),
    closeInput: () => void (isDeaf = true),
    closeOutputs: () => change(() => void (pipes.output.isEnding = pipes.errors.isEnding = true)),
    exit: (how) => change(() => void (status ??= how))
  }
}

class Pipe {
  readonly waiting: Array<Uint8Array> = []
  isPaused = false
  isEnding = false
  isOver = false

  tell(name: OutputPipe, listener: ProgramListener): void {
    while (!this.isPaused) {
      const bytes = this.waiting.shift()
      if (bytes === undefined) break
      listener.wrote(name, bytes)
    }
    if (this.isPaused || !this.isEnding || this.isOver) return
    this.isOver = true
    listener.ended(name)
  }
}
