/** The real `boocode` command in a terminal: what a person sees there, and the keys they press. */
import { assert } from "@effect/vitest"
import { spawn } from "@lydell/node-pty"
import xterm from "@xterm/headless"
import * as Effect from "effect/Effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { untilSeen } from "./CliFolder.ts"
import * as Command from "./Command.ts"

export interface Terminal {
  /** Waits until this is shown behind what was waited for before. */
  readonly shows: (text: string) => Effect.Effect<void>
  /** Types; `\r` is the key Enter, `\x03` is Ctrl-C. */
  readonly types: (keys: string) => Effect.Effect<void>
  /** Waits until a person can type and nothing goes on. */
  readonly prompts: Effect.Effect<void>
  /** What a person sees now, and what was scrolled out of it, without spaces at the ends of lines. */
  readonly screen: () => string
  /** All that was written, with all that a terminal obeys. */
  readonly raw: () => string
  /** The exit code, 20 seconds later at most. */
  readonly exitCode: Effect.Effect<number>
}

/** Starts it in a terminal, of 200 columns unless told, which is killed with all in it when the scope closes. */
export const start = (
  args: ReadonlyArray<string>,
  { columns = 200, cwd = tmpdir(), env = {}, rows = 50 }: {
    readonly columns?: number
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly rows?: number
  } = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => launch(args, cwd, env, columns, rows)),
      ({ end }) => Effect.sync(end)
    ),
    ({ terminal }) => terminal
  )

const launch = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>,
  columns: number,
  rows: number
) => {
  const shown = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  let raw = ""
  let at = 0
  let code: number | null = null
  const child = spawn(process.execPath, [join(Command.CHECKOUT, Command.MAIN), ...args], {
    cwd,
    cols: columns,
    rows,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, TERM: "xterm-256color", ...Command.COMPILED, ...env }
  })
  child.onData((data) => {
    raw += data
    shown.write(data)
  })
  child.onExit(({ exitCode }) => {
    code = exitCode
  })
  const screen = () => {
    const { active } = shown.buffer
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "")
    return lines.join("\n").trimEnd()
  }
  const isWaiting = () => screen().endsWith("\n>") && !SPINNER.test(screen()) || screen() === ">"
  const terminal: Terminal = {
    shows: (words) => {
      const text = words.trimEnd()
      return untilSeen(() => screen().indexOf(text, at) >= 0 || code !== null).pipe(
        Effect.catch(() => Effect.void),
        Effect.map(() => {
          const found = screen().indexOf(text, at)
          assert.isAtLeast(found, 0, `${JSON.stringify(text)} is not shown in:\n${screen()}`)
          // What stands below everything else goes again, so that what comes next may begin where this began.
          at = found + 1
        })
      )
    },
    prompts: Effect.catch(
      untilSeen(isWaiting),
      () => Effect.sync(() => assert.fail(`nothing can be typed in:\n${screen()}`))
    ),
    types: (keys) => Effect.sync(() => child.write(keys)),
    screen,
    raw: () => raw,
    exitCode: untilSeen(() => code !== null).pipe(Effect.orDie, Effect.map(() => code ?? -1))
  }
  return { terminal, end: () => code === null ? child.kill("SIGKILL") : undefined }
}

/** The row that says what goes on, with its seconds. */
const SPINNER = /^ {2}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .* \d+ s$/m
