/** What gateways add to a call of a stdio server, and what a client takes that does nothing. */
import { fileURLToPath } from "node:url"
import { preparedServer } from "../support/Gateways.ts"
import type { Figure, Row, Side, Target } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"
import { isInstalled } from "./Peers.ts"

const path = (name: string): string => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))

export const GATEWAYS = ["mcp-hub", "mcp-proxy", "supergateway"]

/** The server behind all of them is of a peer's package as well. */
const missing = isInstalled() ? {} : { missing: "not installed" }

const sides = (...args: ReadonlyArray<string>): ReadonlyArray<Side> =>
  ["SDK server", "ours", ...GATEWAYS].map((name) => ({
    name,
    args: [path(args[0] ?? ""), name, ...args.slice(1)],
    isPeer: GATEWAYS.includes(name),
    ...missing
  }))

/** Quicker than each gateway of the run. */
const QUICKEST: Target = { of: GATEWAYS.map((side) => ({ side, ratio: 1 })) }

const figures = (added: Target | null): ReadonlyArray<Figure> => [
  { name: "p50", unit: "ms", title: "the middle call", target: QUICKEST },
  { name: "p95", unit: "ms", title: "the slowest in twenty", target: QUICKEST },
  { name: "wall", unit: "ms", title: "a call by the clock", target: QUICKEST },
  {
    name: "added",
    unit: "ms",
    title: "the middle call, beyond the server's own",
    ...(added === null ? {} : { target: added })
  }
]

const COMPARED = { compared: "a bare SDK server", prepare: preparedServer, seconds: 240, rounds: 3 }

export const gatewayRows = ({ isQuick }: Extent): ReadonlyArray<Row> => [
  ...[1, 10, 100].map((clients) => ({
    name: `gateway-${clients}`,
    title: `A call over HTTP, ${clients === 1 ? "one client" : `${clients} clients at once`}`,
    sides: sides("Gateway.ts", "--clients", `${clients}`, "--calls", isQuick ? "1000" : "4000"),
    figures: figures(clients === 1 ? { value: 0.5 } : null),
    ...COMPARED
  })),
  ...[1, 10].map((clients) => ({
    name: `gateway-bridge-${clients}`,
    title: `A call over stdio, ${
      clients === 1 ? "one client" : `${clients} clients at once`
    }, each with a bridge of its own`,
    sides: sides("Gateway.ts", "--bridge", "--clients", `${clients}`, "--calls", isQuick ? "1000" : "4000"),
    figures: figures(clients === 1 ? { value: 0.8 } : null),
    ...COMPARED
  })),
  {
    name: "gateway-idle",
    title: "Memory for each client that does nothing",
    sides: sides("IdleClients.ts"),
    figures: [
      { name: "heap", unit: "KB", title: "heap after a collection", target: { value: 100 } },
      { name: "rss", unit: "KB", title: "as the system counts it" }
    ],
    ...COMPARED
  }
]
