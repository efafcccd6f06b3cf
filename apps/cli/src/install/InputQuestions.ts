/** The values that a published server needs: from `--set`, and at a terminal from the person. */
import { type Candidate, CandidateEntry, type PublishedInput } from "@boocode/mcp-config/Published"
import * as Effect from "effect/Effect"
import { Ended, Usage } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { indented, oneLine, Output, type Paint } from "../terminal/Output.ts"

type Values = Record<string, ReadonlyArray<string>>

/** The flags that installing and upgrading share. */
export interface Given {
  /** As the person typed it. */
  readonly name: string
  readonly version: string | null
  readonly set: ReadonlyArray<string>
  readonly isDryRun: boolean
  readonly isSure: boolean
  readonly isUntested: boolean
  /** The command that was given, for hints: `boocode mcp install NAME`. */
  readonly command: string
}

/** The values of `--set KEY=VALUE`; a key that has an `=` in it is none. Fails for a text without a key. */
export const given = Effect.fnUntraced(function*({ command, set }: Given) {
  const values: Values = {}
  for (const text of set) {
    const at = text.indexOf("=")
    if (at < 1) {
      return yield* new Usage({
        message: "--set needs KEY=VALUE",
        hint: `write it in quotes: ${command} --set 'API_KEY=…'`
      })
    }
    const key = text.slice(0, at)
    values[key] = [...values[key] ?? [], text.slice(at + 1)]
  }
  return values
})

/**
 * Asks for the values that are still missing, those that are needed first; `kept` are those that an entry has. Without a
 * terminal, or with `--yes` for the others, nothing is asked. Fails with what is missing then, and at the end of the input.
 */
export const completed = Effect.fnUntraced(function*(
  candidate: Candidate.Candidate,
  values: CandidateEntry.InputValues,
  { command, isSure, kept = {} }: Pick<Given, "command" | "isSure"> & { readonly kept?: CandidateEntry.InputValues }
) {
  const { inputIsTerminal } = yield* Output
  const open = candidate.inputs.filter(({ key }) => values[key] === undefined && kept[key] === undefined)
  const needed = open.filter((input) => input.isRequired && input.default === null)
  if (!inputIsTerminal) {
    if (needed.length === 0) return values
    return yield* new Usage({
      message: `values are missing: ${needed.map(({ key }) => oneLine(key)).join(", ")}`,
      hint: `give them: ${command} ${
        needed.map(({ key }) => `--set '${oneLine(key)}=…'`).join(" ")
      }; '\${NAME}' takes a variable`
    })
  }
  const rest = open.filter((input) => !needed.includes(input))
  const answers: Values = {}
  for (const input of isSure ? needed : [...needed, ...rest]) {
    const answer = yield* ask(input)
    if (answer.length > 0) answers[input.key] = answer
  }
  return { ...values, ...answers }
})

/** Asks until the value fits. A value that is needed and has no default is never taken by Enter alone. */
const ask = Effect.fnUntraced(function*(input: PublishedInput) {
  const { notePaint, notes } = yield* Output
  yield* notes(aboutLines(input, notePaint))
  const values: Array<string> = []
  for (;;) {
    const line = yield* Keyboard.use((keyboard) =>
      (input.isSecret ? keyboard.secret : keyboard.line)(promptOf(input, values.length, notePaint))
    )
    if (line === null) return yield* new Ended({ code: 1 })
    const value = chosen(input, line)
    const isDone = value === "" && (values.length > 0 || !input.isRequired || input.default !== null)
    if (isDone) return values
    const why = value === "" ? "a value is needed" : CandidateEntry.fault(input, value)
    if (why !== null) yield* notes([`  ${notePaint.bad("✗")} ${oneLine(why, 400)}`])
    else if (!input.isRepeated) return [value]
    else values.push(value)
  }
})

const aboutLines = ({ choices, description, key, placeholder }: PublishedInput, paint: Paint) => [
  paint.bold(oneLine(key)),
  ...(description === null ? [] : indented(description, "  ").map(paint.dim)),
  ...(placeholder === null ? [] : [paint.dim(`  for instance ${oneLine(placeholder)}`)]),
  ...(choices ?? []).map((choice, at) => `  ${paint.dim(`${at + 1}.`)} ${oneLine(choice)}`)
]

const promptOf = (
  { choices, default: standard, isRepeated, isRequired, isSecret }: PublishedInput,
  at: number,
  paint: Paint
) => {
  const words = [
    ...(choices === null ? [] : ["a number or the word"]),
    ...(isSecret ? ["not shown"] : []),
    ...(isRepeated && at > 0 ? ["one more, or Enter"] : isRequired || standard !== null ? [] : ["Enter for none"])
  ]
  const about = words.length === 0 ? "" : ` (${words.join("; ")})`
  return `  ${paint.bold("value")}${about}${standard === null ? "" : ` [${oneLine(standard)}]`}: `
}

/** The number of a choice stands for it. A secret may end with a space. */
const chosen = ({ choices, isSecret }: PublishedInput, line: string): string => {
  const text = isSecret ? line.replace(/[\r\n]+$/, "") : line.trim()
  const numbered = /^\d+$/.test(text) && choices?.includes(text) !== true ? choices?.[Number(text) - 1] : undefined
  return numbered ?? text
}

/** Yes or no; Enter alone is no. The end of the input is no. */
export const confirmed = Effect.fnUntraced(function*(question: string) {
  for (;;) {
    const line = yield* Keyboard.use((keyboard) => keyboard.line(`${question} [y]es, [n]o: `))
    const word = line?.trim().toLowerCase() ?? ""
    if (["", "n", "no"].includes(word)) return false
    if (["y", "yes"].includes(word)) return true
  }
})

/** One of several by its number; Enter alone chooses none. Fails at the end of the input. */
export const numbered = Effect.fnUntraced(function*<A>(question: string, all: ReadonlyArray<A>) {
  const { notePaint, notes } = yield* Output
  for (;;) {
    const line = yield* Keyboard.use((keyboard) => keyboard.line(`${question} (1 to ${all.length}): `))
    if (line === null) return yield* new Ended({ code: 1 })
    const found = /^\d+$/.test(line.trim()) ? all[Number(line.trim()) - 1] : undefined
    if (found !== undefined) return found
    yield* notes([notePaint.careful(`a number from 1 to ${all.length}`)])
  }
})
