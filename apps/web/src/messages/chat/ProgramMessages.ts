/** What the card of a program says. */
import { count } from "../Numbers.ts"

export const program = {
  title: "Program",
  label: "Program of the model",
  code: "The program",
  calls: (number: number) => count(number, "call"),
  failedCalls: (number: number) => `${number} failed`,
  more: (number: number) => `and ${count(number, "failed call")} more`,
  states: {
    running: "running",
    waiting: "waits for you",
    done: "done",
    failed: "failed",
    denied: "denied",
    stopped: "stopped",
    unfinished: "not finished"
  },
  stop: "Stop",
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
