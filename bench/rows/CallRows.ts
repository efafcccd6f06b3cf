/** Calls of a tool that does nothing: what a client costs. */
import type { Figure, Row } from "../support/Harness.ts"
import {
  CALLING_PEERS,
  OUR_PROGRESS,
  OUR_TOOLKIT,
  OURS,
  PEERS,
  RAW,
  RAW_HTTP,
  RAW_REQUEST,
  RAW_TOGETHER,
  SDK1,
  SDK2,
  side,
  TOOL_PEERS
} from "./Sides.ts"

/** How much is measured: enough for figures that hold, or for a first look. */
export interface Extent {
  readonly isQuick: boolean
}

const wall = (target?: Figure["target"]): Figure => ({ name: "wall", unit: "us", ...(target && { target }) })
const cpu = (target?: Figure["target"]): Figure => ({
  name: "cpu",
  unit: "us",
  title: "processor time",
  ...(target && { target })
})
const middle = (target?: Figure["target"]): Figure => ({ name: "p50", unit: "us", ...(target && { target }) })
const slowest: Figure = { name: "p99", unit: "us" }

/** The longest that one measurement may take. */
const seconds = 60

export const callRows = ({ isQuick }: Extent): ReadonlyArray<Row> => [
  // One at a time it takes V8 some thousand calls to compile what it will, on cores that the server needs as well.
  ...stdioRows(isQuick ? "6000" : "50000", isQuick ? "800" : "15000"),
  ...firstRows(),
  ...httpRows("json", isQuick ? "2000" : "4000", isQuick ? "800" : "6000"),
  ...httpRows("sse", isQuick ? "2000" : "4000", isQuick ? "800" : "6000")
]

const stdioRows = (many: string, few: string): ReadonlyArray<Row> => [
  {
    name: "stdio-64",
    title: "`callTool` over stdio, 64 in flight",
    sides: [RAW, RAW_TOGETHER, OURS, ...CALLING_PEERS].map(side("Throughput.ts", "--calls", many)),
    figures: [wall({ ratio: 1.5 }), cpu({ value: 9 })],
    seconds
  },
  {
    name: "tool-64",
    title: "The tool object that a model's loop calls, over stdio, 64 in flight",
    sides: [RAW, OUR_TOOLKIT, OUR_PROGRESS, ...TOOL_PEERS].map(side("Throughput.ts", "--calls", many)),
    figures: [wall({ ratio: 2 }), cpu()],
    seconds
  },
  {
    name: "stdio-8-servers",
    title: "`callTool` over stdio, 8 servers, 64 in flight in all",
    sides: [RAW, RAW_TOGETHER, OURS, ...CALLING_PEERS].map(side("Throughput.ts", "--servers", "8", "--calls", many)),
    figures: [wall(), cpu()],
    seconds,
    rounds: 3
  },
  {
    name: "stdio-1",
    title: "`callTool` over stdio, one at a time",
    sides: [RAW, OURS, ...PEERS].map(side("Latency.ts", "--calls", few)),
    figures: [middle({ ratio: 1.3 }), slowest, cpu()],
    seconds
  },
  {
    name: "tool-1",
    title: "The tool object that a model's loop calls, over stdio, one at a time",
    sides: [RAW, OUR_TOOLKIT, OUR_PROGRESS, ...TOOL_PEERS].map(side("Latency.ts", "--calls", few)),
    figures: [middle(), slowest, cpu()],
    seconds
  }
]

/** A chat server lives in its first thousand calls: cold, beside the same calls once V8 has compiled what it will. */
const firstRows = (): ReadonlyArray<Row> =>
  [
    { name: "first-100", which: "the first 100 calls of a process", args: ["--calls", "100"] },
    { name: "first-1000", which: "its first 1,000", args: ["--calls", "1000"] },
    { name: "first-after", which: "1,000 after 50,000 others", args: ["--calls", "1000", "--after", "50000"] }
  ].map(({ args, name, which }) => ({
    name,
    title: `\`callTool\` over stdio, one at a time, ${which}`,
    sides: [RAW, OURS, ...CALLING_PEERS].map(side("First.ts", ...args)),
    figures: [wall({ of: [{ side: "SDK v2", ratio: 1 }] }), cpu(), {
      name: "first",
      unit: "us",
      title: "the very first"
    }],
    seconds
  }))

/** Answers as JSON are what most servers give; as events what those do that also tell of progress. */
const httpRows = (answers: "json" | "sse", many: string, few: string): ReadonlyArray<Row> => {
  const isJson = answers === "json"
  const suffix = isJson ? "" : "-sse"
  const words = isJson ? "" : ", answers as events"
  const sides = [RAW_HTTP, RAW_REQUEST, OURS, ...(isJson ? PEERS : [SDK1, SDK2])]
  const rounds = isJson ? {} : { rounds: 3 }
  return [
    {
      name: `http-64${suffix}`,
      title: `\`callTool\` over streamable HTTP${words}, 64 in flight`,
      sides: sides.map(side("Throughput.ts", "--http", answers, "--calls", many)),
      figures: [wall({ ratio: 1.5, of: [{ side: "SDK v1", ratio: 0.25 }] }), cpu()],
      seconds,
      ...rounds
    },
    {
      name: `http-1${suffix}`,
      title: `\`callTool\` over streamable HTTP${words}, one at a time`,
      sides: sides.map(side("Latency.ts", "--http", answers, "--calls", few)),
      figures: [middle({ ratio: 1.5 }), slowest, cpu()],
      seconds,
      ...rounds
    }
  ]
}
