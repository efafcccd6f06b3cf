/** `run`: a program of a person over the tools of the servers, without a model. */
import type { ProgramError, ProgramOutcome } from "@boocode/toolkit/code"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { Backend } from "../backend/Backend.ts"
import { Servers } from "../backend/Servers.ts"
import { served } from "../backend/VerbContext.ts"
import { currentFolder } from "../options/DataLocation.ts"
import { optionalArgument, type Options, switchFlag, targetFlags, textFlag, verb } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { Ended, Usage } from "../terminal/Failure.ts"
import { counted, oneLine, Output, plain } from "../terminal/Output.ts"

export const run = Command.make(
  "run",
  {
    file: optionalArgument(
      Argument.String("FILE").pipe(
        Argument.withDescription("The program, in TypeScript or JavaScript; - reads it from standard input")
      )
    ),
    hasTypes: switchFlag("types", "Print declarations of all functions for an editor, and run nothing"),
    allow: Flag.atLeast(
      textFlag("allow", "PATTERN", "Call tools that write without asking you, where the patterns allow it"),
      0
    ),
    ...targetFlags
  },
  ({ allow, file, hasTypes, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      if (hasTypes) return yield* file === null ? served(options, target, declared(options)) : BOTH
      if (file === null) return yield* NOTHING
      const source = yield* sourceOf(file)
      const program = yield* own
      const { sandbox } = yield* Backend
      const { onLine, print } = yield* printer(options, file)
      const ran = Effect.gen(function*() {
        // Printed before the servers are stopped.
        yield* print(yield* program.run({ source, allow, onConsole: onLine }))
      })
      yield* served(options, target, ran, { chosen: program.chosen(source) }).pipe(
        Effect.provide([sandbox, TerminalQuestions.requestsLayer])
      )
    }))
).pipe(
  Command.withDescription("Run a program in which the tools of the servers are functions, without a model"),
  Command.withExamples([
    { command: "boocode run notes.ts", description: "Inside: const all = await files.list_directory({ path: \".\" })" },
    { command: "boocode run - < notes.ts", description: "The program from standard input" },
    { command: "boocode run --types > tools.d.ts", description: "What an editor needs to complete the calls" }
  ])
)

const own = Effect.promise(() => import("./OwnProgram.ts"))

const BOTH = new Usage({ message: "--types runs nothing, and a program is named", hint: "give one of them" })

const NOTHING = new Usage({
  message: "there is no program",
  hint: "name a file, or give - to read it from standard input; --types prints what it may call"
})

const sourceOf = Effect.fnUntraced(function*(file: string) {
  if (file === "-") return yield* Output.use(({ input }) => input)
  const fs = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).resolve(yield* currentFolder, file)
  return yield* Effect.mapError(
    fs.readFileString(path),
    ({ message }) => new Usage({ message: `${file} cannot be read: ${oneLine(message, 400)}`, hint: "check the path" })
  )
})

/** Waits for all servers, and prints what can be called. */
const declared = Effect.fnUntraced(function*(options: Options) {
  const { asDescribed } = yield* own
  const { Signatures } = yield* Effect.promise(() => import("@boocode/toolkit/code"))
  const servers = yield* Servers
  yield* servers.settled(null)
  const types = Signatures.declarations((yield* servers.callable).map(asDescribed))
  yield* Output.use((output) => options.json ? output.document({ types }) : output.text(types))
})

/** Prints the console of a program and how it ended. With `--json` that is one document at the end. */
const printer = Effect.fnUntraced(function*(options: Options, file: string) {
  const output = yield* Output
  const asText = Effect.fnUntraced(function*({ calls, error, value }: ProgramOutcome) {
    if (value !== undefined) {
      yield* output.text(`${typeof value === "string" ? value : JSON.stringify(value, null, 2)}\n`)
    }
    if (error === null) return
    yield* output.notes(errorLines(error, file, output.notePaint))
    yield* output.notes(calls.length === 0 ? [] : [output.notePaint.dim(`       ${madeCalls(calls)}`)])
  })
  return {
    onLine: (line: string) => options.json ? Effect.void : output.text(`${line}\n`),
    print: Effect.fnUntraced(function*(outcome: ProgramOutcome) {
      yield* options.json ? output.document(documentOf(outcome)) : asText(outcome)
      if (outcome.error !== null) return yield* new Ended({ code: 1 })
    })
  }
})

const documentOf = ({ calls, console, error, value }: ProgramOutcome) => ({
  value: value ?? null,
  console,
  calls: calls.map(({ millis, name, outcome }) => ({ tool: name, isError: outcome !== "done", outcome, millis })),
  error: error === null ? null : { ...error }
})

/** The event, and the line where it happened. */
const errorLines = ({ line, message, text }: ProgramError, file: string, paint: Output["Service"]["notePaint"]) => [
  `${paint.bad("error")}  ${plain(message)}`,
  ...line === null
    ? []
    : [`       in ${plain(file === "-" ? "standard input" : file)}, line ${line}: ${oneLine(text ?? "", 200)}`]
]

/** So that nobody repeats a write that was made. */
const madeCalls = (calls: ProgramOutcome["calls"]): string => {
  const outcomes = [...Map.groupBy(calls, ({ outcome }) => outcome)]
  return `${counted(calls.length, "call")}: ${
    outcomes.map(([outcome, some]) => `${some.length} ${outcome}`).join(", ")
  }`
}
