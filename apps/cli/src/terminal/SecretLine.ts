/** One line that a terminal does not show while it is typed. */
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import type { Terminal } from "./TypedLine.ts"

/** Shows the question alone. Null at the end of the input; Ctrl-C runs `interrupt`. The terminal is as before when it ends. */
export const read = ({ input, interrupt, output }: Terminal, question: string): Effect.Effect<string | null> =>
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
