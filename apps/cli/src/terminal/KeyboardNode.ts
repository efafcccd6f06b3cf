/** The keyboard and the screen of a real terminal. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"
import { Screen } from "./Screen.ts"
import type { Terminal, TypedLine } from "./TypedLine.ts"

export interface Streams extends Terminal {
  /** The variable `COLUMNS`: the width that a person wishes, also where nothing is a terminal. */
  readonly columns: string | undefined
}

/** The keyboard, where a person types into a terminal and sees it; else the lines of standard input. */
export const layer = (streams: Streams, line: TypedLine) =>
  Layer.provideMerge(keyboard(streams, line), Layer.provide(Output.layer, screen(streams, line)))

const screen = ({ columns, output, stdout }: Streams, line: TypedLine) => {
  const wished = Number(columns)
  const isTerminal = output.isTTY || stdout.isTTY
  return Layer.succeed(Screen, {
    columns: Effect.sync(() => wished > 0 ? wished : isTerminal ? line.columns : Infinity),
    status: (rows) => output.isTTY ? Effect.sync(() => line.show(rows)) : Effect.void,
    above: (stream, text) => Effect.sync(() => line.above(stream, text))
  })
}

const keyboard = (streams: Streams, line: TypedLine) =>
  Layer.unwrap(
    Effect.map(
      Output,
      ({ inputIsTerminal }) => inputIsTerminal && streams.output.isTTY ? typed(streams, line) : Keyboard.layerLines
    )
  )

const typed = (streams: Streams, line: TypedLine) => {
  const opened = (typing: Parameters<TypedLine["open"]>[0]) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const wasOpen = line.isOpen
        if (!wasOpen) line.open(typing)
        return wasOpen
      }),
      (wasOpen) => Effect.sync(() => wasOpen ? undefined : line.close())
    )
  const briefly = Effect.asVoid(opened({ history: [], complete: () => [] }))
  const message = Effect.callback<string | null>((resume) => {
    line.take((text) => resume(Effect.succeed(text)))
    return Effect.sync(() => line.leave())
  })
  const answer = (question: string) =>
    Effect.callback<string | null>((resume) => {
      const taken = (text: string | null) => resume(Effect.succeed(text))
      line.ask(question, taken)
      return Effect.sync(() => line.unask(taken))
    })
  return Layer.succeed(Keyboard, {
    typing: (typing) => Effect.asVoid(opened(typing)),
    message: Effect.scoped(Effect.andThen(briefly, message)),
    line: (question) =>
      Effect.scoped(
        Effect.andThen(briefly, Effect.suspend(() => line.isOpen ? answer(question) : Effect.succeed(null)))
      ),
    secret: (question) => readSecret(streams, question)
  })
}

/** Shows the question alone. Null at the end of the input; Ctrl-C runs `interrupt`. The terminal is as before when it ends. */
const readSecret = ({ input, interrupt, output }: Terminal, question: string): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
    const end = () => {
      lines.removeAllListeners()
      lines.close()
      input.pause()
      output.write("\n")
    }
    const done = (text: string | null) => {
      end()
      resume(Effect.succeed(text))
    }
    lines.once("line", done)
    lines.once("close", () => done(null))
    lines.on("SIGINT", interrupt)
    output.write(question)
    return Effect.sync(end)
  })
