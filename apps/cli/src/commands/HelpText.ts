/** The text of `--help`, and the answer to a wrong command line. */
import type * as CliError from "effect/cli/CliError"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { beside, type Row, wrapped } from "../terminal/Layout.ts"
import { oneLine, type Paint } from "../terminal/Output.ts"

/** Lines are no longer than this on a wide terminal, and where none is. */
const WIDEST = 80

export const lines = (doc: HelpDoc, paint: Paint, terminal: number): ReadonlyArray<string> => {
  const columns = Math.min(terminal, WIDEST)
  const section = (title: string, rows: ReadonlyArray<Row>) =>
    rows.length === 0 ? [] : ["", paint.bold(title), ...beside(rows, columns, { colour: paint.good })]
  const verbs = (doc.subcommands ?? []).flatMap(({ commands }) => commands)
  return [
    ...(doc.description === "" ? [] : [...wrapped(doc.description, columns), ""]),
    paint.bold("USAGE"),
    ...wrapped(doc.usage, columns, "  ", "      "),
    ...section("ARGUMENTS", (doc.args ?? []).map(argument)),
    ...section(
      "VERBS",
      verbs.map(({ description, name, shortDescription }) => ({
        name,
        about: shortDescription ?? description
      }))
    ),
    ...section("FLAGS", doc.flags.map(flag)),
    ...section("FLAGS OF EVERY VERB", (doc.inheritedFlags ?? []).map(flag)),
    ...section("OTHER FLAGS", (doc.globalFlags ?? []).map(flag))
  ]
}

const argument = ({ description, name, required, variadic }: NonNullable<HelpDoc["args"]>[number]): Row => ({
  name: `${name}${variadic ? "..." : ""}`,
  about: [Option.getOrElse(description, () => ""), required ? "" : "(optional)"].filter((words) => words !== "").join(
    " "
  )
})

const flag = ({ aliases, description, name, type }: FlagDoc): Row => ({
  name: `${[`--${name}`, ...aliases].join(", ")}${type === "boolean" ? "" : ` ${type}`}`,
  about: Option.getOrElse(description, () => "")
})

/** One line a mistake, and one that says where the help is. */
export const mistakes = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  path: ReadonlyArray<string>,
  paint: Paint
): ReadonlyArray<string> => {
  const told = [...new Set(errors.map((error) => words(error)))]
  const isMistyped = errors.every(({ _tag }) => _tag === "UnknownSubcommand" || _tag === "UnrecognizedOption")
  const [only] = told
  if (isMistyped && told.length === 1 && only !== undefined) {
    return [`${paint.bad("error")}  ${only}${only.endsWith("?") ? "" : `; see ${path.join(" ")} --help`}`]
  }
  return [...told.map((line) => `${paint.bad("error")}  ${line}`), paint.dim(`       see ${path.join(" ")} --help`)]
}

const words = (error: CliError.NonShowHelpErrors): string => {
  if (error._tag === "UnknownSubcommand") {
    const [near] = error.suggestions
    const of = error.parent === undefined || error.parent.length === 0 ? "" : ` in ${error.parent.join(" ")}`
    return `there is no verb ${oneLine(error.subcommand)}${of}${near === undefined ? "" : `; did you mean ${near}?`}`
  }
  if (error._tag === "UnrecognizedOption") {
    const [near] = error.suggestions
    return `there is no flag ${oneLine(error.option)}${near === undefined ? "" : `; did you mean ${near}?`}`
  }
  const line = oneLine(error.message, 400)
  return `${line.slice(0, 1).toLowerCase()}${line.slice(1)}`
}
