/** The line at the bottom of a terminal: a person types into it, and all that is printed comes above it. */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline"
import type { ReadStream, WriteStream } from "node:tty"
import type { Typing } from "./Keyboard.ts"
import { cut, padded, widest } from "./Layout.ts"

export interface Terminal {
  readonly input: ReadStream
  /** Standard error: shows what is typed, and the rows above it. */
  readonly output: WriteStream
  readonly stdout: WriteStream
  /** Runs on Ctrl-C. */
  readonly interrupt: () => void
}

type Taken = (text: string | null) => void

const PASTE_ON = "\u001B[?2004h"
const PASTE_OFF = "\u001B[?2004l"
const PROMPT = "> "
const MOST_CANDIDATES = 24

/** The lines at the bottom: the status, the messages that wait, the text pasted so far, and the line with its prompt. */
export class TypedLine {
  private readonly terminal: Terminal
  private line: Interface | null = null
  private status: ReadonlyArray<string> = []
  private candidates: ReadonlyArray<string> = []
  private pasted: ReadonlyArray<string> = []
  private waiting: ReadonlyArray<string> = []
  private question: { readonly text: string; readonly taken: Taken; readonly draft: string } | null = null
  private taker: Taken | null = null
  private waits: (message: string) => void = () => {}
  private isPasting = false
  /** A person ended the input: nothing is asked any more, also when that was while nobody waited. */
  private isEnded = false
  /** Rows of a status that stands there without a line. */
  private drawn = 0

  constructor(terminal: Terminal) {
    this.terminal = terminal
  }

  get isOpen(): boolean {
    return this.line !== null
  }

  get columns(): number {
    return this.terminal.output.columns ?? this.terminal.stdout.columns ?? 80
  }

  /** Lets a person type. Input that comes while nobody takes it waits. */
  open({ complete, history, waits = () => {} }: Typing): void {
    if (this.isEnded) return
    this.waits = waits
    const { input, interrupt, output } = this.terminal
    this.hide()
    const line = createInterface({
      input,
      output,
      terminal: true,
      history: [...history],
      historySize: 1000,
      removeHistoryDuplicates: true,
      tabSize: 2,
      completer: (text: string) => [this.completed(text, complete(text)), text]
    })
    this.line = line
    // Before readline, which takes the end of a pasted line for the end of the message.
    input.prependListener("keypress", this.onKey)
    line.on("line", (text) => this.onLine(text))
    line.on("history", (all) => {
      // Answers are no messages, and several lines cannot be edited as one.
      if (this.question !== null || this.pasted.length > 0 || this.isPasting) all.shift()
    })
    line.on("SIGINT", () => {
      const isDraft = this.taker !== null && this.question === null && line.line !== ""
      if (isDraft) this.replace("")
      else interrupt()
    })
    line.on("close", () => this.onClose())
    output.write(PASTE_ON)
    this.draw()
  }

  close(): void {
    const { line } = this
    if (line === null) return
    this.hide()
    this.line = null
    this.question = null
    this.pasted = []
    this.waiting = []
    this.end(line)
  }

  /** The next message, also one that was typed before; null at the end of the input. */
  take(taken: Taken): void {
    const [first, ...rest] = this.waiting
    if (first === undefined && this.line !== null) {
      this.taker = taken
      return
    }
    this.waiting = rest
    if (first !== undefined) this.echo(PROMPT, first)
    taken(first ?? null)
  }

  /** Nobody waits for a message any more. */
  leave(): void {
    this.taker = null
  }

  /** Puts a question in the place of the prompt. The text typed so far comes back behind it. */
  ask(text: string, taken: Taken): void {
    this.question = { text, taken, draft: this.line?.line ?? "" }
    this.replace("")
  }

  /** Takes a question back that needs no answer any more. */
  unask(taken: Taken): void {
    if (this.question?.taken !== taken) return
    const { draft } = this.question
    this.question = null
    this.replace(draft)
  }

  show(status: ReadonlyArray<string>): void {
    if (this.line === null) this.hide()
    this.status = status
    if (this.line === null) this.draw()
    else this.refresh()
  }

  /** Writes whole lines above; false where nothing stands below. */
  above(stream: "stdout" | "stderr", text: string): boolean {
    if (this.line === null && this.drawn === 0) return false
    const rows = this.hide()
    const target = stream === "stdout" ? this.terminal.stdout : this.terminal.output
    target.write(text.endsWith("\n") ? text : `${text}\n`)
    this.draw(rows)
    return true
  }

  private readonly onKey = (_: string | undefined, key: { readonly name?: string } | undefined) => {
    if (key?.name === "paste-start") this.isPasting = true
    if (key?.name === "paste-end") this.isPasting = false
    if (this.candidates.length > 0 && key?.name !== "tab") {
      this.candidates = []
      this.refresh()
    }
    // The prompt is drawn to its end, so that the rows above it are known when the line is done.
    if (key?.name === "return" || key?.name === "enter") this.line?.write(null, { ctrl: true, name: "e" })
  }

  /** readline has begun a new row below: what stood here is taken away, and printed above when it is taken. */
  private onLine(text: string): void {
    const { output } = this.terminal
    moveCursor(output, 0, -this.rowsOf(text) - 1)
    cursorTo(output, 0)
    clearScreenDown(output)
    const { question } = this
    if (question !== null) {
      this.question = null
      output.write(`${question.text}${text}\n`)
      this.draw()
      this.replace(question.draft)
      return question.taken(text)
    }
    const isMore = this.isPasting || text.endsWith("\\")
    this.pasted = [...this.pasted, isMore && !this.isPasting ? text.slice(0, -1) : text]
    if (isMore) return this.draw()
    const message = this.pasted.join("\n")
    this.pasted = []
    this.taken(message)
  }

  private taken(message: string): void {
    const { taker } = this
    if (taker === null) {
      if (message.trim() !== "") {
        this.waiting = [...this.waiting, message]
        this.waits(message)
      }
      return this.draw()
    }
    this.taker = null
    this.terminal.output.write(shown(PROMPT, message))
    this.draw()
    taker(message)
  }

  private onClose(): void {
    const { line, question, taker } = this
    if (line === null) return
    this.line = null
    this.isEnded = true
    this.end(line)
    this.terminal.output.write("\n")
    this.question = null
    this.taker = null
    question?.taken(null)
    taker?.(null)
  }

  private end(line: Interface): void {
    const { input, output } = this.terminal
    input.off("keypress", this.onKey)
    output.write(PASTE_OFF)
    line.close()
    // Nothing is read before the next question, and nothing keeps the process alive.
    input.pause()
  }

  private echo(prompt: string, text: string): void {
    this.above("stderr", shown(prompt, text))
  }

  /** Other text in the line. */
  private replace(text: string): void {
    const { line } = this
    if (line === null) return
    line.write(null, { ctrl: true, name: "e" })
    line.write(null, { ctrl: true, name: "u" })
    this.refresh()
    if (text !== "") line.write(text)
  }

  private completed(text: string, found: ReadonlyArray<string>): Array<string> {
    if (found.length === 1) return [`${found[0] ?? ""} `]
    const common = found.reduce((one, other) => sharedStart(one, other), found[0] ?? "")
    if (common.length > text.length) return [common]
    this.candidates = found
    this.refresh()
    return []
  }

  private get prompt(): string {
    const wide = this.columns - 1
    const rows = [
      ...this.candidateRows(wide),
      ...this.status.map((row) => row),
      ...this.waiting.map((text) => `  waits: ${cut(text, wide - 9)}`)
    ]
    if (this.question !== null) return [...rows, this.question.text].join("\n")
    return [
      ...rows,
      ...this.pasted.map((row, at) => `${at === 0 ? PROMPT : "  "}${row}`),
      this.pasted.length > 0 ? "  " : PROMPT
    ]
      .join("\n")
  }

  private candidateRows(wide: number): ReadonlyArray<string> {
    const some = this.candidates.slice(0, MOST_CANDIDATES)
    const column = widest(some) + 2
    const each = Math.max(1, Math.floor(wide / column))
    const rows = Array.from(
      { length: Math.ceil(some.length / each) },
      (_, row) => cut(some.slice(row * each, (row + 1) * each).map((one) => padded(one, column)).join(""), wide)
    )
    const more = this.candidates.length - some.length
    return more === 0 ? rows : [...rows, `  … ${more} more`]
  }

  /** The rows that the prompt and a text take, but for one. */
  private rowsOf(text: string): number {
    return `${this.line?.getPrompt() ?? ""}${text}`.split("\n")
      .reduce((rows, row) => rows + Math.max(1, Math.ceil(widest([row]) / this.columns)), 0) - 1
  }

  /** Takes away what stands below; gives the rows that readline believes to be above its cursor. */
  private hide(): number {
    const { output } = this.terminal
    const rows = this.line === null ? Math.max(0, this.drawn - 1) : this.line.getCursorPos().rows
    if (this.line === null && this.drawn === 0) return 0
    moveCursor(output, 0, -rows)
    cursorTo(output, 0)
    clearScreenDown(output)
    this.drawn = 0
    return rows
  }

  /** Draws it again, on a new row. */
  private draw(rows = 0): void {
    const { output } = this.terminal
    if (this.line !== null) {
      // readline first goes up as many rows as it drew before.
      if (rows > 0) output.write("\n".repeat(rows))
      return this.refresh()
    }
    if (this.status.length === 0) return
    output.write(this.status.join("\n"))
    this.drawn = this.status.length
  }

  private refresh(): void {
    this.line?.setPrompt(this.prompt)
    this.line?.prompt(true)
  }
}

const shown = (prompt: string, text: string): string =>
  text.split("\n").map((row, at) => `${at === 0 ? prompt : " ".repeat(prompt.length)}${row}\n`).join("")

const sharedStart = (one: string, other: string): string => {
  const end = [...one].findIndex((character, at) => character !== other[at])
  return end < 0 ? one : one.slice(0, end)
}
