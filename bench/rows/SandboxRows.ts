/** What programs of models cost where they run: the way in and out of the sandbox, and how long other work waits. */
import { fileURLToPath } from "node:url"
import type { Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"

const program = fileURLToPath(new URL("../programs/Sandbox.ts", import.meta.url))

const dependent = fileURLToPath(new URL("../programs/Dependent.ts", import.meta.url))

export const sandboxRows = ({ isQuick }: Extent): ReadonlyArray<Row> => [
  {
    name: "programs-chat",
    title:
      "100 calls in a chat, each with what the one before gave, about 100 tokens; the model takes 200 ms for an answer",
    sides: [{ name: "calls", args: [dependent, "calls"] }, { name: "ours", args: [dependent, "program"] }],
    figures: [
      { name: "seconds", unit: "s", target: { ratio: 0.1 } },
      { name: "requests", unit: "", title: "requests to the model", target: { value: 2 } },
      { name: "sent", unit: "", title: "tokens sent", target: { ratio: 0.01 } },
      { name: "anew", unit: "", title: "tokens that no cache of the provider has", target: { ratio: 0.25 } },
      { name: "answered", unit: "", title: "tokens that the model writes", target: { ratio: 0.25 } }
    ],
    compared: "calls of the model",
    seconds: 120,
    rounds: isQuick ? 1 : 3
  },
  {
    name: "programs-border",
    title: "A call in a program, of a tool that answers at once",
    sides: [{ name: "ours", args: [program, "border", ...(isQuick ? ["--calls", "5000"] : [])] }],
    figures: [
      { name: "one", unit: "µs", title: "one after the other", target: { value: 150 } },
      { name: "many", unit: "µs", title: "1,000 at once, 16 in flight", target: { value: 100 } },
      { name: "first", unit: "ms", title: "the first program, with the start of its thread" },
      { name: "again", unit: "ms", title: "each later program" }
    ],
    seconds: 120,
    rounds: 3
  },
  {
    name: "programs-host",
    title: "Other work of the process while programs compute, flood and move large values",
    sides: [{ name: "ours", args: [program, "host"] }],
    figures: [
      { name: "block", unit: "ms", title: "the longest wait", target: { value: 50 } },
      { name: "block99", unit: "ms", title: "99 in a hundred" },
      { name: "thread", unit: "MB", title: "a thread that is ready" }
    ],
    seconds: 120,
    rounds: 3
  }
]
