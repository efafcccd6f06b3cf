/** The parts of turns on a terminal: Markdown as such, calls as lines that fold, and below them what goes on. */
import type { Part } from "@boocode/chat"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as ProgramLines from "../lines/ProgramLines.ts"
import { cut } from "../terminal/Layout.ts"
import { counted, oneLine, Output } from "../terminal/Output.ts"
import * as CallRun from "./CallRun.ts"
import * as ChatLines from "./ChatLines.ts"

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
const FRAME = "120 millis"
/** How much of a block that is still written is shown below. */
const MOST_ROWS = 8
const MOST_CALLS = 4

/** Loaded with the first turn: every command would take longer to start. */
const markdown = Effect.promise(() => import("./MarkdownText.ts"))

/** A warning about a server that a turn has to do without; `boocode mcp list` says more. */
const ABOUT_SERVER = /^MCP server (\S+) (?:failed|needs|is )/

export interface Known {
  /** The human titles of tools, by name. */
  readonly titles: ReadonlyMap<string, string>
  /** Servers whose trouble was told before. */
  readonly told: ReadonlySet<string>
}

/** Shows the parts of one turn until the scope closes. */
export const make = Effect.fnUntraced(function*(
  isCommandMode: boolean,
  { titles, told }: Known
): Effect.fn.Return<ChatLines.Show, never, Output | Scope.Scope> {
  const output = yield* Output
  const MarkdownText = yield* markdown
  const { columns, notePaint, notes, paint, status } = output
  const begin = yield* Clock.currentTimeMillis
  let text = ""
  /** Servers that are missing, and have not been told. */
  let missing: ReadonlyArray<string> = []
  let progress = ""
  let isAsking = false
  let isOver = false
  /** How many writes can be undone. */
  let undoable = 0
  /** The calls since the last text, by their ids. */
  let run = new Map<string, CallRun.Call>()
  /** Programs that run. */
  const programs = new Map<string, CallRun.Call>()
  /** The calls of questions, and the calls that a person refused. */
  const callOf = new Map<string, string>()
  const refused = new Set<string>()

  /** A free line between paragraphs, calls and notes. */
  const spaced = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.length === 0 ? lines : ["", ...lines]
  const printText = Effect.fnUntraced(function*(said: string) {
    if (said.trim() === "") return
    yield* output.lines(spaced(MarkdownText.rendered(said, yield* columns, paint)))
  })
  const endText = Effect.suspend(() => {
    const rest = text
    text = ""
    return printText(rest)
  })
  const endRun = Effect.gen(function*() {
    const done = [...run].filter(([, { outcome }]) => outcome !== null)
    run = new Map([...run].filter(([, { outcome }]) => outcome === null))
    const lines = CallRun.lines(done.map(([, call]) => call), yield* columns, notePaint)
    // The calls of a program stand below its lines.
    yield* notes(done.every(([, { isMade }]) => isMade) ? lines : spaced(lines))
  })
  const beginProgram = Effect.fnUntraced(function*(part: Extract<Part, { readonly type: "tool-call" }>) {
    yield* endRun
    const source = ProgramLines.source(ProgramLines.sourceOf(part), yield* columns, notePaint, "    ")
    yield* notes(spaced([`  ${notePaint.accent("●")} Program`, ...source]))
    programs.set(part.id, CallRun.begun(part, titles))
  })
  const endProgram = Effect.fnUntraced(function*(
    program: CallRun.Call,
    part: Extract<Part, { readonly type: "tool-result" }>
  ) {
    programs.delete(part.id)
    yield* endRun
    const [wide, ended] = [yield* columns, CallRun.ended(program, part, false)]
    yield* notes([
      ...CallRun.lines([{ ...ended, title: part.isError ? "Program failed" : "Program done" }], wide, notePaint),
      ...part.isError ? [] : ProgramLines.result(part.text, wide, notePaint, "    ")
    ])
  })
  const draw = Effect.gen(function*() {
    if (isOver || isAsking) return yield* status([])
    const now = yield* Clock.currentTimeMillis
    const wide = (yield* columns) - 1
    const passed = now - begin
    const frame = FRAMES[Math.floor(passed / 120) % FRAMES.length] ?? ""
    const open = [...run.values()].filter(({ outcome }) => outcome === null)
    const busy = [...programs.values(), ...open].map(({ title }) => title).join(", ")
    const what = busy !== "" ? busy : text === "" ? "thinking" : "writing"
    const preview = text.trim() === "" ? [] : MarkdownText.rendered(text, wide, notePaint).slice(-MOST_ROWS)
    yield* status([
      "",
      ...preview,
      ...[...run.values()].slice(-MOST_CALLS).map((call) => CallRun.line(call, wide, notePaint)),
      `  ${notePaint.accent(frame)} ${cut([what, progress].filter((part) => part !== "").join("  "), wide - 16)}  ${
        notePaint.dim(`${Math.floor(passed / 1000)} s`)
      }`
    ])
  })
  const endMissing = Effect.suspend(() => {
    const names = missing
    missing = []
    if (names.length === 0) return Effect.void
    const words = `${counted(names.length, "server is", "servers are")} not available: ${names.join(", ")}`
    return notes(spaced([notePaint.dim(notePaint.typed(`  ${words}. See boocode mcp list`))]))
  })
  const show = Effect.fnUntraced(function*(part: Part) {
    const server = part.type === "warning" ? ABOUT_SERVER.exec(part.message)?.[1] ?? null : null
    if (server !== null) {
      if (!told.has(server)) missing = [...missing, oneLine(server)]
      return
    }
    yield* endMissing
    switch (part.type) {
      case "text-delta": {
        if (!output.isTerminal) return yield* output.text(part.text)
        if (part.text !== "") yield* endRun
        const { done, rest } = MarkdownText.split(text + part.text)
        text = rest
        return yield* printText(done)
      }
      case "tool-call":
        yield* endText
        if (ProgramLines.isProgram(part)) return yield* beginProgram(part)
        run.set(part.id, CallRun.begun(part, titles))
        return
      case "tool-progress":
        progress = ChatLines.progress(part)
        return
      case "tool-result": {
        const [call, program] = [run.get(part.id), programs.get(part.id)]
        progress = ""
        if (program !== undefined) return yield* endProgram(program, part)
        if (call !== undefined) run.set(part.id, CallRun.ended(call, part, refused.has(part.id)))
        if (!isCommandMode) return
        yield* endRun
        // No model will tell about this result: it is the answer.
        return yield* output.text(part.text.endsWith("\n") ? part.text : `${part.text}\n`)
      }
      case "write":
        if (part.undo?.possible === true) undoable += 1
        return
      case "approval":
      case "question":
        if (part.call !== null) callOf.set(part.id, part.call)
        isAsking = true
        yield* endText
        return yield* endRun
      case "approval-answer":
      case "question-answer":
        isAsking = false
        if ("decision" in part && (part.decision === "deny" || part.decision === "expired")) {
          refused.add(callOf.get(part.id) ?? part.id)
        }
        return
      case "finish":
        isOver = true
        run = new Map([...run].map(([id, call]) => [id, CallRun.stopped(call, part.reason === "stopped")]))
        break
      default:
    }
    yield* endText
    yield* endRun
    if (part.type === "finish" && undoable > 0) {
      yield* notes(
        spaced([notePaint.dim(notePaint.typed(`  ${counted(undoable, "write")} can be undone: boocode undo`))])
      )
    }
    yield* notes(spaced(ChatLines.partLines(part, oneLine, notePaint).map((line) => `  ${line}`)))
  })
  yield* Effect.forkScoped(Effect.repeat(draw, Schedule.spaced(FRAME)))
  yield* Effect.addFinalizer(() => status([]))
  return (part) => Effect.andThen(show(part), draw)
})
