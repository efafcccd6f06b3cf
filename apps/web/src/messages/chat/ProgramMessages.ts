/** The words of the card of a program. */
import { translated } from "../../language/Language.ts"
import { count } from "../Numbers.ts"

export const program = translated(
  "program",
  {
    title: "Program",
    label: "Program of the model",
    code: "The program",
    calls: (number: number) => count(number, "call"),
    failedCalls: (number: number) => `${number} failed`,
    more: (number: number) => `and ${count(number, "failed call")} more`,
    states: {
      running: "running",
      writing: "being written",
      waiting: "waits for you",
      done: "done",
      failed: "failed",
      denied: "denied",
      stopped: "stopped",
      unfinished: "not finished"
    },
    stop: "Stop",
    callsWait: (number: number) => `${count(number, "call")} of the program wait for you`,
    mayAll: (number: number) => `May these ${count(number, "call")} of the program be made?`,
    allowAll: (number: number) => `Allow all ${number} once`,
    denyAll: "No …",
    oneByOne: "One by one",
    lineRuns: (line: number) => `Line ${line} runs`,
    lineWaits: (line: number) => `Line ${line} waits for you`,
    lineFailed: (line: number) => `Line ${line} failed`,
    atLine: (line: number, text: string) => `line ${line}: ${text}`,
    made: "Calls",
    console: "Console",
    value: "Value",
    error: "Error",
    noValue: "The program returned nothing."
  } as const
)
