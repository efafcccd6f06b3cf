/**
 * The `boocode` command in the process of the test, which has its modules already: to start one of its own takes a third of a
 * second of a processor. It does all that the process does but for signals, a terminal and the end of the process.
 */
import { Environment } from "@boocode/mcp-config"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { format } from "node:util"
import * as Boocode from "../../apps/cli/src/commands/Boocode.ts"
import * as BackendNode from "../../apps/cli/src/node/BackendNode.ts"
import * as Browser from "../../apps/cli/src/terminal/Browser.ts"
import { Interrupts, Keyboard } from "../../apps/cli/src/terminal/Keyboard.ts"
import { Output } from "../../apps/cli/src/terminal/Output.ts"
import { Screen } from "../../apps/cli/src/terminal/Screen.ts"
import { TypedCommand } from "../../apps/cli/src/terminal/TypedCommand.ts"
import { CHECKOUT, type Ended, MAIN, STATE } from "./Command.ts"

export interface Options {
  /** Where the person stands. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The whole of it. Default: empty. */
  readonly stdin?: string
}

/** Nobody presses Ctrl-C. */
const interrupts = Layer.succeed(Interrupts, {
  first: () => Effect.void,
  second: Effect.never,
  abandoned: Effect.never
})

/** Runs it to its end, as `Command.run` does. */
export const run = (args: ReadonlyArray<string>, { cwd = tmpdir(), env = {}, stdin = "" }: Options = {}) =>
  Effect.gen(function*() {
    const seen = { stdout: "", stderr: "" }
    const sink = (stream: keyof typeof seen) => () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => {
          seen[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
        })
      )
    const variables = {
      PATH: process.env["PATH"],
      HOME: cwd,
      INIT_CWD: cwd,
      BOOCODE_STATE_DIR: STATE,
      ...env
    }
    const services = Layer.mergeAll(
      Layer.provideMerge(Keyboard.layerLines, Layer.provide(Output.layer, Screen.layerPlain())),
      BackendNode.layer({
        user: process.getuid?.() ?? null,
        program: [process.execPath, join(CHECKOUT, MAIN)],
        input: new PassThrough().end(),
        output: new PassThrough().resume()
      }),
      Browser.layer(process.platform, variables)
    ).pipe(
      Layer.provideMerge(interrupts),
      Layer.provideMerge(TypedCommand.layer),
      Layer.provideMerge(Environment.layer(variables)),
      Layer.provideMerge(Stdio.layerTest({
        stdout: sink("stdout"),
        stderr: sink("stderr"),
        stdin: Stream.make(Buffer.from(stdin))
      })),
      Layer.provideMerge(NodeServices.layer),
      Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true)),
      Layer.provideMerge(Layer.succeed(Console.Console, {
        ...console,
        error: (...words) => {
          seen.stderr += `${format(...words)}\n`
        }
      }))
    )
    const exit = yield* Effect.exit(Effect.provide(Boocode.run(args), services))
    let code: number | null = null
    Runtime.defaultTeardown(exit, (given) => {
      code = given
    })
    const ended: Ended = { ...seen, code, signal: null }
    return ended
  })
