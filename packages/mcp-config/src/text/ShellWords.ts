/** A command line split as a shell splits it: quotes, escapes, comments and continued lines. Nothing is run or filled in. */
import * as Result from "effect/Result"
import { type Fault, places } from "./JsonNode.ts"

/** The words of one command, the first of them the program. */
export type Words = readonly [string, ...ReadonlyArray<string>]

/**
 * Gives the words of each command of a text, a command a line; lines without words are left out. `$NAME` becomes
 * `${NAME}` where a shell would fill it in. `<placeholder>` of a README stays a word, and a backslash after a drive letter
 * stays a backslash. Fails at what only a shell can do: pipes, redirections, `&&`, `;` and commands inside of commands.
 */
export const split = (text: string): Result.Result<ReadonlyArray<Words>, Fault> => {
  const splitter = new Splitter(/(?:^|[\s"'=])[A-Za-z]:\\/.test(text))
  for (const match of text.matchAll(TOKEN)) {
    const detail = splitter.take(match)
    if (detail !== null) return Result.fail({ ...places(text)(match.index), detail })
  }
  splitter.endLine()
  return Result.succeed(splitter.lines)
}

const TOKEN = new RegExp(
  [
    "(?<gap>[\\\\^]\\r?\\n|[ \\t]+)",
    "(?<line>[\\r\\n]+)",
    "'(?<single>[^']*)'",
    "\"(?<double>(?:\\\\[^]|[^\"\\\\])*)\"",
    "(?<quote>['\"])",
    "\\\\(?<escaped>[^])",
    "(?<placeholder><[A-Za-z][^<>\\r\\n]*>)",
    "(?<operator>&&|\\|\\||>>|[|&;<>()`]|\\$\\()",
    "(?<comment>#[^\\r\\n]*)",
    "(?<plain>[^])"
  ].join("|"),
  "g"
)

class Splitter {
  readonly lines: Array<Words> = []
  private words: Array<string> = []
  private word: string | null = null
  private readonly isWindows: boolean

  constructor(isWindows: boolean) {
    this.isWindows = isWindows
  }

  /** Takes one token; gives what is wrong with it. */
  take({ groups = {}, 0: whole }: RegExpMatchArray): string | null {
    const { comment, double, escaped, gap, line, operator, quote, single } = groups
    if (gap !== undefined) this.endWord()
    else if (line !== undefined) this.endLine()
    else if (quote !== undefined) return "a quote is not closed"
    else if (single !== undefined) this.add(single.replaceAll("$", DOLLAR))
    else if (double !== undefined) return this.addDouble(double)
    else if (escaped !== undefined) this.add(this.isWindows && !/[\s"']/.test(escaped) ? whole : plain(escaped))
    else if (operator !== undefined) return this.addOperator(operator)
    else if (comment === undefined) this.add(whole)
    // Only where a word could begin is it a comment.
    else if (this.word !== null) this.add(comment)
    return null
  }

  endLine(): void {
    this.endWord()
    const [first, ...rest] = this.words
    if (first !== undefined) this.lines.push([first, ...rest])
    this.words = []
  }

  private add(text: string): void {
    this.word = (this.word ?? "") + text
  }

  private endWord(): void {
    if (this.word !== null) this.words.push(this.word.replace(SHORT, "${$1}").replaceAll(DOLLAR, "$"))
    this.word = null
  }

  private addDouble(text: string): string | null {
    if (/(?<!\\)(?:`|\$\()/.test(text)) return "a command inside of a command needs a shell"
    this.add(text.replace(/\\(?:(["\\$`])|\r?\n)/g, (_, char: string | undefined) => plain(char ?? "")))
    return null
  }

  private addOperator(operator: string): string | null {
    // In an address that nobody put into quotes.
    if (operator === "&" && this.word?.includes("://") === true) {
      this.add(operator)
      return null
    }
    return operator === "`" || operator === "$("
      ? "a command inside of a command needs a shell"
      : `${operator} is an operator of a shell`
  }
}

/** Stands for a dollar sign that a shell would leave alone. */
const DOLLAR = "\uE000"

const plain = (char: string): string => char === "$" ? DOLLAR : char

const SHORT = /\$([A-Za-z_]\w*)/g
