/** The three streams of the command: answers on standard output, everything else on standard error. */
import { Environment } from "@boocode/mcp-config"
import { CleanText } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { folded } from "./Layout.ts"
import { Screen } from "./Screen.ts"
import { TypedCommand } from "./TypedCommand.ts"

export class Output extends Context.Service<Output, {
  /** Text to standard output as it is; control characters are removed when a terminal would obey them. */
  readonly text: (text: string) => Effect.Effect<void>
  /**
   * Lines to standard output, those too wide for the terminal on several lines. They may hold colours, so the caller cleans
   * text from outside with `plain` or `oneLine`.
   */
  readonly lines: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** One JSON document to standard output: on one line for programs, spread out for people. */
  readonly document: (value: Schema.Json) => Effect.Effect<void>
  /** One JSON document on one line. */
  readonly documentLine: (value: Schema.Json) => Effect.Effect<void>
  /** Lines to standard error, wrapped as well. */
  readonly notes: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Text to standard error, without a newline. */
  readonly prompt: (text: string) => Effect.Effect<void>
  /** The columns of the terminal; without one there is no limit. */
  readonly columns: Effect.Effect<number>
  /** Shows these rows below everything that is printed, in the place of those before. */
  readonly status: (rows: ReadonlyArray<string>) => Effect.Effect<void>
  readonly colours: boolean
  readonly noteColours: boolean
  /** Whether standard error is a terminal, so that a line of it can be written over. */
  readonly notesAreTerminal: boolean
  readonly paint: Paint
  readonly notePaint: Paint
  readonly isTerminal: boolean
  /** Whether a person types into standard input. */
  readonly inputIsTerminal: boolean
  /** The whole of standard input. */
  readonly input: Effect.Effect<string>
  readonly inputText: Stream.Stream<string>
  readonly inputLines: Stream.Stream<string>
}>()("cli/Output") {
  static readonly layer: Layer.Layer<Output, never, Stdio.Stdio | Environment | Screen> = Layer.effect(
    Output,
    Effect.gen(function*() {
      const stdio = yield* Stdio.Stdio
      const { variables } = yield* Environment
      const isTerminal = yield* stdio.stdoutIsTerminal
      const colours = hasColours(variables, isTerminal)
      const notesAreTerminal = yield* stdio.stderrIsTerminal
      const noteColours = hasColours(variables, notesAreTerminal)
      const screen = yield* Screen
      const command = yield* TypedCommand
      const typed = (text: string) => text.replace(VERBS, `${command} `)
      const to = (stream: "stdout" | "stderr", isShown: boolean) => (text: string) => {
        const direct = Effect.suspend(() => written(Stream.make(text).pipe(Stream.run(stdio[stream]()))))
        return isShown
          ? Effect.flatMap(screen.above(stream, text), (isDone) => isDone ? Effect.void : direct)
          : direct
      }
      const out = to("stdout", isTerminal)
      const err = to("stderr", notesAreTerminal)
      const rows = (write: (text: string) => Effect.Effect<void>, isShown: boolean) => (lines: ReadonlyArray<string>) =>
        lines.length === 0
          ? Effect.void
          : Effect.flatMap(
            isShown ? screen.columns : Effect.succeed(Infinity),
            (columns) =>
              write(`${lines.flatMap((line) => line.split("\n").flatMap((one) => folded(one, columns))).join("\n")}\n`)
          )
      const inputText = stdio.stdin.pipe(Stream.decodeText(), Stream.orDie)
      return Output.of({
        text: (text) => out(isTerminal ? plain(text) : text),
        lines: rows(out, isTerminal),
        document: (value) => out(`${JSON.stringify(value, null, isTerminal ? 2 : 0)}\n`),
        documentLine: (value) => out(`${JSON.stringify(value)}\n`),
        notes: rows(err, notesAreTerminal),
        prompt: err,
        columns: screen.columns,
        status: screen.status,
        colours,
        noteColours,
        notesAreTerminal,
        paint: { ...colours ? COLOURS : NONE, typed },
        notePaint: { ...noteColours ? COLOURS : NONE, typed },
        isTerminal,
        inputIsTerminal: yield* stdio.stdinIsTerminal,
        input: Stream.mkString(inputText),
        inputText,
        inputLines: inputText.pipe(Stream.splitLines)
      })
    })
  )
}

const VERBS =
  /\bboocode (?=(?:mcp|chats?|serve|models|setup|permissions|undo|connect|disconnect|init|backup|restore)(?![\w-]))/g

/** Whether a stream gets colours: `FORCE_COLOR` decides, then `NO_COLOR`; else a terminal gets them, unless it is `dumb`. */
export const hasColours = (
  variables: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean
): boolean => {
  const forced = variables["FORCE_COLOR"]
  if (forced !== undefined && forced !== "") return !/^(0|false)$/.test(forced)
  return isTerminal && (variables["NO_COLOR"] ?? "") === "" && variables["TERM"] !== "dumb"
}

/** A reader that went away (`| head`) is no failure of the command, which still has to close what it started. */
const written = <E>(write: Effect.Effect<void, E>): Effect.Effect<void> => Effect.ignore(write)

/** A time in the time zone of this machine. */
export const local = (time: string | number, timeStyle: "short" | "medium" = "medium"): string =>
  DateTime.formatLocal(DateTime.makeUnsafe(time), { locale: "sv-SE", dateStyle: "short", timeStyle })

export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly italic: (text: string) => string
  /** The colour of living things, and of code. */
  readonly accent: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly careful: (text: string) => string
  /** Words of ours with the commands in them as they are typed on this machine. */
  readonly typed: (text: string) => string
}

const same = (text: string): string => text
const code = (open: number, close: number) => (text: string): string => `\u001B[${open}m${text}\u001B[${close}m`

export const NONE: Paint = {
  bold: same,
  dim: same,
  italic: same,
  accent: same,
  good: same,
  bad: same,
  careful: same,
  typed: same
}

export const COLOURS: Paint = {
  bold: code(1, 22),
  dim: code(2, 22),
  italic: code(3, 23),
  accent: code(35, 39),
  good: code(32, 39),
  bad: code(31, 39),
  careful: code(33, 39),
  typed: same
}

/** Text from outside, without what a terminal would obey. Several lines stay several lines. */
export const plain = CleanText.clean

/** The text on one line, at most `limit` characters long. */
export const oneLine = (text: string, limit = 160): string => {
  const line = plain(text).replace(/\s+/g, " ").trim()
  const characters = [...line]
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join("")}…`
}

export const indented = (text: string, lead: string): ReadonlyArray<string> =>
  plain(text).trimEnd().split("\n").map((line) => `${lead}${line}`)

/** How many columns a text takes on a terminal, near enough for aligning names. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - [...text].length))

/** `1 tool`, `2 tools`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`

export const atMost = (lines: ReadonlyArray<string>, most: number, paint: Paint): ReadonlyArray<string> =>
  lines.length <= most
    ? lines
    : [...lines.slice(0, most), paint.dim(`  … ${counted(lines.length - most, "more line")}`)]
