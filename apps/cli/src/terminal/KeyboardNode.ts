/** The keyboard of a terminal: lines can be edited and taken from the history, and what is pasted stays one message. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import type { ReadStream, WriteStream } from "node:tty"
import { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"

export interface Terminal {
  readonly input: ReadStream
  /** Shows prompts and what is typed. */
  readonly output: WriteStream
  /** Runs on Ctrl-C. */
  readonly interrupt: () => void
}

/** The terminal where a person types, else the lines of standard input. */
export const layer = (terminal: Terminal) =>
  Layer.unwrap(Effect.map(Output, ({ inputIsTerminal }) => inputIsTerminal ? typing(terminal) : Keyboard.layerLines))

const PASTE_ON = "\u001B[?2004h"
const PASTE_OFF = "\u001B[?2004l"

const typing = (terminal: Terminal) =>
  Layer.sync(Keyboard, () => {
    let history: ReadonlyArray<string> = []
    return Keyboard.of({
      message: (prompt) =>
        Effect.suspend(() => typed(terminal, prompt, history)).pipe(
          Effect.tap((text) =>
            Effect.sync(() => {
              // The newest first, as readline wants it. A message of several lines cannot be edited as a line.
              if (text !== null && text.trim() !== "" && !text.includes("\n")) {
                history = [text, ...history].slice(0, 200)
              }
            })
          )
        ),
      line: (question) => typed(terminal, question, []),
      secret: (question) => hidden(terminal, question)
    })
  })

interface Readers extends Omit<Terminal, "output"> {
  readonly output: Writable & { readonly isTTY?: boolean }
}

/** The question is shown, what is typed is not. */
const hidden = ({ output, ...terminal }: Terminal, question: string) => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const write = (text: string) => Effect.sync(() => void output.write(text))
  return write(question).pipe(
    Effect.andThen(typed({ ...terminal, output: nowhere }, "", [])),
    Effect.ensuring(write("\n"))
  )
}

/**
 * One message. Between messages the terminal is in its normal mode, so that Ctrl-C is a signal while a turn runs; while a
 * person types it is a key, which `interrupt` turns into the signal.
 */
const typed = (
  { input, interrupt, output }: Readers,
  prompt: string,
  history: ReadonlyArray<string>
): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const lines = createInterface({ input, output, terminal: true, history: [...history], prompt })
    const pasted: Array<string> = []
    let isPasting = false
    let isOver = false
    const onKey = (_: string | undefined, key: { readonly name?: string } | undefined) => {
      if (key?.name === "paste-start") isPasting = true
      if (key?.name === "paste-end") isPasting = false
    }
    const end = () => {
      if (isOver) return
      isOver = true
      input.off("keypress", onKey)
      if (output.isTTY) output.write(PASTE_OFF)
      lines.close()
      // Nothing is read before the next question, and nothing keeps the process alive.
      input.pause()
    }
    /** Without an answer, what follows begins on a new line. */
    const leave = () => {
      if (!isOver && output.isTTY) output.write("\n")
      end()
    }
    const done = (text: string | null) => {
      if (text === null) leave()
      else end()
      resume(Effect.succeed(text))
    }
    // Before readline, which takes the end of a pasted line for the end of the message.
    input.prependListener("keypress", onKey)
    lines.on("line", (line) => {
      pasted.push(line)
      if (!isPasting) done(pasted.join("\n"))
    })
    lines.on("SIGINT", interrupt)
    lines.on("close", () => isOver ? undefined : done(null))
    if (output.isTTY) output.write(PASTE_ON)
    lines.prompt()
    return Effect.sync(leave)
  })
