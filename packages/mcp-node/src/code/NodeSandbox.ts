/** Programs of models in threads of Node. */
import {
  type ProgramThread,
  ProgramThreads,
  type Sandbox,
  type ThreadListener,
  type ThreadLost,
  ThreadSandbox
} from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Worker } from "node:worker_threads"
import type { ThreadNews } from "./SandboxThread.ts"

/**
 * Where the files are that a thread needs.
 *
 * @category code
 */
export interface ThreadFiles {
  /** The program of the thread: `new URL(import.meta.resolve("@boocode/mcp-node/SandboxThread"))`. */
  readonly program: URL
  /** QuickJS: `new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm"))`. */
  readonly engine: URL
}

/**
 * A `Sandbox`. The first program starts the first thread, in a tenth of a second. A thread without a program does not keep
 * the process from ending, and is ended after some minutes, or with the scope.
 *
 * @category code
 */
export const layer = (files: ThreadFiles): Layer.Layer<Sandbox> =>
  ThreadSandbox.layer.pipe(Layer.provide(Layer.succeed(ProgramThreads, { start: start(files) })))

const START = "30 seconds"

/** The limits of the thread itself. The memory of its program comes on top. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** Its output is for nobody, and it has no variables. */
const spawn = (files: ThreadFiles): Worker =>
  new Worker(files.program, {
    workerData: files.engine.href,
    name: "boocode-program",
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: RESOURCES
  })

const start = (files: ThreadFiles) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(files)),
    (worker) => Effect.promise(() => worker.terminate())
  ).pipe(
    Effect.flatMap(ready),
    Effect.timeoutOrElse({
      duration: START,
      orElse: () => Effect.fail<ThreadLost>({ isMemory: false, detail: `it did not start within ${START}` })
    })
  )

/** The thread, once it has said that it is ready. */
const ready = (worker: Worker): Effect.Effect<ProgramThread, ThreadLost> =>
  Effect.callback((resume) => {
    let listener: ThreadListener | null = null
    let isAlive = true
    const lost = (why: ThreadLost): void => {
      if (!isAlive) return
      isAlive = false
      resume(Effect.fail(why))
      listener?.lost(why)
    }
    worker.on("message", (news: ThreadNews) => {
      if (news.type === "ready") resume(Effect.succeed(thread(news.build)))
      else if (news.type === "failed") lost({ isMemory: false, detail: news.detail })
      else listener?.heard(news)
    })
    worker.on("messageerror", (error) => lost({ isMemory: false, detail: error.message }))
    worker.on("error", (error) => lost({ isMemory: isOutOfMemory(error), detail: String(error) }))
    worker.on("exit", (code) => lost({ isMemory: false, detail: `it ended with ${code}` }))
    const thread = (build: string): ProgramThread => {
      worker.unref()
      return {
        build,
        isAlive: () => isAlive,
        listen: (to) => {
          listener = to
          if (to === null) worker.unref()
          else worker.ref()
        },
        post: (message) => worker.postMessage(message)
      }
    }
  })

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
