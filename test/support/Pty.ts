/** The real `boocode` command in a terminal: what a person sees there, and the keys they press. */
import { assert } from "@effect/vitest"
import { spawn } from "@lydell/node-pty"
import * as Effect from "effect/Effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { untilSeen } from "./CliFolder.ts"
import * as Command from "./Command.ts"

export interface Terminal {
  /** Waits until this is shown behind what was waited for before. */
  readonly shows: (text: string) => Effect.Effect<void>
  /** Types; `\r` is the key Enter, `\x03` is Ctrl-C. */
  readonly types: (keys: string) => Effect.Effect<void>
  /** All that was shown, without colours; a line ends with `\n`. */
  readonly screen: () => string
  /** The exit code, 20 seconds later at most. */
  readonly exitCode: Effect.Effect<number>
}

/** Starts it in a terminal of 200 columns, which is killed with all in it when the scope closes. */
export const start = (
  args: ReadonlyArray<string>,
  { cwd = tmpdir(), env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => launch(args, cwd, env)),
      ({ end }) => Effect.sync(end)
    ),
    ({ terminal }) => terminal
  )

const launch = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) => {
  let raw = ""
  let at = 0
  let code: number | null = null
  const child = spawn(process.execPath, [join(Command.CHECKOUT, Command.MAIN), ...args], {
    cwd,
    cols: 200,
    rows: 50,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, TERM: "xterm-256color", ...Command.COMPILED, ...env }
  })
  child.onData((data) => {
    raw += data
  })
  child.onExit(({ exitCode }) => {
    code = exitCode
  })
  const screen = () => stripVTControlCharacters(raw).replaceAll("\r\n", "\n")
  const terminal: Terminal = {
    shows: (text) =>
      untilSeen(() => screen().indexOf(text, at) >= 0 || code !== null).pipe(
        Effect.catch(() => Effect.void),
        Effect.map(() => {
          const found = screen().indexOf(text, at)
          assert.isAtLeast(found, 0, `${JSON.stringify(text)} is not shown in:\n${screen()}`)
          at = found + text.length
        })
      ),
    types: (keys) => Effect.sync(() => child.write(keys)),
    screen,
    exitCode: untilSeen(() => code !== null).pipe(Effect.orDie, Effect.map(() => code ?? -1))
  }
  return { terminal, end: () => code === null ? child.kill("SIGKILL") : undefined }
}
