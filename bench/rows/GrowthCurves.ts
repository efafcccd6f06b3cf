/** What is measured at many sizes, to see how cost grows. */
import { fileURLToPath } from "node:url"
import type { Kind } from "../support/CurveSvg.ts"
import type { Side } from "../support/Harness.ts"
import { collecting, OURS, RAW, RAW_HTTP, side } from "./Sides.ts"

/** A line of a curve: one figure of the measurements at each size. */
export interface GrowthLine {
  readonly name: string
  readonly kind: Kind
  readonly figure: string
  readonly at: (size: number) => Side
}

export interface GrowthCurve {
  /** Of its files. */
  readonly name: string
  readonly title: string
  readonly x: { readonly label: string; readonly say: (size: number) => string }
  readonly y: string
  readonly sizes: ReadonlyArray<number>
  readonly lines: ReadonlyArray<GrowthLine>
  readonly rounds: number
}

/** As many as a server may list. */
const TOOLS_A_SERVER = 10_000
const AGENT = fileURLToPath(new URL("../programs/Agent.ts", import.meta.url))

const count = (size: number): string => size.toLocaleString("en")

const bytes = (size: number): string =>
  size >= 1_000_000 ? `${size / 1_000_000} MB` : size >= 1000 ? `${size / 1000} KB` : `${size} B`

/** Ours and raw by the same program. */
const both = (figure: string, at: (size: number) => ReturnType<typeof side>, raw = RAW): ReadonlyArray<GrowthLine> => [
  { name: "ours", kind: "ours", figure, at: (size) => at(size)(OURS) },
  { name: "raw", kind: "raw", figure, at: (size) => at(size)(raw) }
]

const SERVERS = [1, 2, 5, 10, 20, 50, 100, 200]
const TOOLS = [10, 100, 1000, 3000, 10_000, 30_000, 100_000]
const IN_FLIGHT = [1, 3, 10, 30, 100, 300, 1000]
const BYTES = [1000, 10_000, 100_000, 1_000_000, 4_000_000, 16_000_000, 64_000_000]

const toolArguments = (tools: number): ReadonlyArray<string> => [
  "--tools",
  String(tools),
  "--servers",
  String(Math.ceil(tools / TOOLS_A_SERVER))
]

/** One figure of what an agent does among so many tools. */
const agentLine = (name: string, kind: Kind, figure: string): GrowthLine => ({
  name,
  kind,
  figure,
  at: (tools) => ({ name: "ours", args: [AGENT, ...toolArguments(tools)] })
})

const large = (http: ReadonlyArray<string>) => (size: number) =>
  side("Large.ts", "--bytes", String(size), "--calls", size > 10_000_000 ? "3" : "9", ...http)

export const curves: ReadonlyArray<GrowthCurve> = [
  {
    name: "servers-start",
    title: "Stdio servers, from nothing to all their tools",
    x: { label: "servers", say: count },
    y: "milliseconds",
    sizes: SERVERS,
    lines: both("wall", (servers) => side("Cold.ts", "--servers", String(servers))),
    rounds: 2
  },
  {
    name: "servers-heap",
    title: "Heap of so many connected servers",
    x: { label: "servers", say: count },
    y: "kilobytes",
    sizes: SERVERS,
    lines: [{
      name: "ours",
      kind: "ours",
      figure: "all",
      at: (servers) => collecting(side("Heap.ts", "--few", "1", "--many", String(servers))(OURS))
    }],
    rounds: 1
  },
  {
    name: "tools-list",
    title: "Tools listed, 10,000 a server at most, 100 a page",
    x: { label: "tools", say: count },
    y: "milliseconds, the start of the servers included",
    sizes: TOOLS,
    lines: both("wall", (tools) => (contender) => collecting(side("List.ts", ...toolArguments(tools))(contender))),
    rounds: 3
  },
  {
    name: "tools-agent",
    title: "What an agent's step does among so many tools",
    x: { label: "tools", say: count },
    y: "milliseconds",
    sizes: TOOLS,
    lines: [
      agentLine("model tools, first", "ours", "toolkitCold"),
      agentLine("view, first", "raw", "viewCold"),
      agentLine("search", "more", "searched"),
      agentLine("view, again", "other", "viewWarm")
    ],
    rounds: 3
  },
  {
    name: "calls-in-flight",
    title: "Calls sent at once over stdio, until all are answered",
    x: { label: "calls in flight", say: count },
    y: "milliseconds",
    sizes: IN_FLIGHT,
    lines: both("millis", (inFlight) => side("Burst.ts", "--in-flight", String(inFlight))),
    rounds: 3
  },
  {
    name: "result-stdio",
    title: "A result of so many bytes over stdio",
    x: { label: "size of the result", say: bytes },
    y: "milliseconds",
    sizes: BYTES,
    lines: both("millis", large([])),
    rounds: 3
  },
  {
    name: "result-http",
    title: "A result of so many bytes over streamable HTTP",
    x: { label: "size of the result", say: bytes },
    y: "milliseconds",
    sizes: BYTES,
    lines: both("millis", large(["--http", "json"]), RAW_HTTP),
    rounds: 3
  }
]
