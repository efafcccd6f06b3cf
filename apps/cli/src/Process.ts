/** The `boocode` command as a process: its streams, its signals, its exit code. */
import { Environment } from "@boocode/mcp-config"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import { format } from "node:util"
import * as Boocode from "./commands/Boocode.ts"
import * as BackendNode from "./node/BackendNode.ts"
import * as StartersNode from "./node/StartersNode.ts"
import * as Browser from "./terminal/Browser.ts"
import { Interrupts } from "./terminal/Keyboard.ts"
import * as KeyboardNode from "./terminal/KeyboardNode.ts"
import { TypedCommand } from "./terminal/TypedCommand.ts"
import { TypedLine } from "./terminal/TypedLine.ts"

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Runs on the next Ctrl-C instead of the end of the command. A signal handler can reach it only here. */
let firstInterrupt: (() => void) | null = null

const second = Deferred.makeUnsafe<void>()
const abandoned = Deferred.makeUnsafe<void>()

const interrupts = Layer.succeed(Interrupts, {
  second: Deferred.await(second),
  abandoned: Deferred.await(abandoned),
  first: Effect.fnUntraced(function*(stop) {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        firstInterrupt = () => run(stop)
      }),
      () =>
        Effect.sync(() => {
          firstInterrupt = null
        })
    )
  })
})

/** Ends the process after all output is written: open handles of a library must not keep it alive. */
const leave = (code: number) => process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))

const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let received: number | null = null
  let count = 0
  const on = (name: keyof typeof SIGNALS) => () => {
    const first = name === "SIGINT" ? firstInterrupt : null
    firstInterrupt = null
    if (first !== null) return first()
    count += 1
    // No signal exits at once: servers that are not closed yet would stay.
    if (count > 1) return Deferred.doneUnsafe(second, Effect.void)
    received = SIGNALS[name]
    fiber.interruptUnsafe(fiber.id)
  }
  process.on("SIGINT", on("SIGINT"))
  const onTerm = on("SIGTERM")
  process.on("SIGTERM", onTerm)
  process.on("SIGHUP", on("SIGHUP"))
  endWithStarters(() => {
    // A second signal would skip the wait for servers; `serve` handles signals itself, and knows already.
    if (count === 0 && process.listeners("SIGTERM").includes(onTerm)) onTerm()
  })
  fiber.addObserver((exit) => teardown(exit, (code) => leave(received !== null && isStopped(exit) ? received : code)))
})

/** Package managers pass on only some signals, and none when they are killed. */
const endWithStarters = (end: () => void) =>
  Effect.runFork(Effect.map(StartersNode.ended(process), ({ pid }) => {
    process.stderr.write(`boocode ends because the package manager that started it (process ${pid}) has ended\n`)
    Deferred.doneUnsafe(abandoned, Effect.void)
    end()
  }))

const isStopped = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

// When a reader goes away (`| head`), a turn stops, as nobody would see the rest; servers still close in order.
process.stdout.on("error", () => firstInterrupt?.())
process.stderr.on("error", () => {})

const streams: KeyboardNode.Streams = {
  input: process.stdin,
  output: process.stderr,
  stdout: process.stdout,
  columns: process.env["COLUMNS"],
  interrupt: () => process.kill(process.pid, "SIGINT")
}

const line = new TypedLine(streams)

/** The log comes above the line that a person types into. */
const log: Console.Console = {
  ...console,
  error: (...words) => {
    const text = `${format(...words)}\n`
    if (!line.above("stderr", text)) process.stderr.write(text)
  }
}

const services = Layer.mergeAll(
  KeyboardNode.layer(streams, line),
  BackendNode.layer({
    user: process.getuid?.() ?? null,
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
    input: process.stdin,
    output: process.stdout
  }),
  Browser.layer(process.platform, process.env)
).pipe(
  Layer.provideMerge(interrupts),
  Layer.provideMerge(TypedCommand.layer),
  Layer.provideMerge(Environment.layer(process.env)),
  Layer.provideMerge(NodeServices.layer),
  Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true)),
  Layer.provideMerge(Layer.succeed(Console.Console, log))
)

/** Runs the command line of this process. */
export const start = () => runMain(Boocode.run(process.argv.slice(2)).pipe(Effect.provide(services)))
