/** The servers of the interop matrix: how each is reached, and what of the protocol it does not have, with the reason. */
import * as Effect from "effect/Effect"
import * as FixtureServer from "../support/FixtureServer.ts"
import { everythingOver, type Program, program } from "./Programs.ts"

/** What is tried with each server. */
export const CELLS = [
  "connect",
  "list",
  "call",
  "cancel",
  "progress",
  "list_changed",
  "prompts",
  "resources",
  "subscribe",
  "completion",
  "form",
  "url",
  "sampling",
  "roots",
  "logging",
  "instructions"
] as const

export type Cell = typeof CELLS[number]

export interface Row {
  readonly name: string
  readonly transport: "stdio" | "streamable HTTP" | "SSE"
  readonly revision: string
  /** Which cells it is tried with: those of our own servers, or those that a published server has tools for. */
  readonly kind: "ours" | "everything" | "filesystem" | "memory" | "context7"
  readonly entry: (programs: Programs) => Readonly<Record<string, unknown>>
  /** What it does not have, and why. */
  readonly lacks: Readonly<Partial<Record<Cell, string>>>
}

/** The servers that are reached by an address, started once for all rows. */
export interface Programs {
  readonly sdk1: Program
  readonly sdk2: Program
  readonly effectAi: Program
  readonly everything: Program
  readonly everythingSse: Program
}

export const programs = Effect.all({
  sdk1: program("Sdk1"),
  sdk2: program("Sdk2"),
  effectAi: program("EffectAi"),
  everything: everythingOver("streamableHttp"),
  everythingSse: everythingOver("sse")
}, { concurrency: "unbounded" })

const piped = (name: string, protocol: string) => () => ({
  ...FixtureServer.program(`interop/${name}`),
  protocol
})

/** Remote servers are told no folders unless their entry says so. */
const addressed = (url: string, protocol: string) => ({ url, protocol, roots: true })

const OLD = "2025-11-25"
const NEW = "2026-07-28"

const REJECTED = "its tools for that declare themselves writers, which are left out (Decision 2)"
const WRITTEN = "only tools that declare themselves writers make updates, and those are left out (Decision 2)"
const everything = {
  subscribe: WRITTEN,
  form: REJECTED,
  url: REJECTED,
  sampling: REJECTED
}

const UNASKED = "it asks nothing"
const UNDECLARED = "it declares none"
const NONE_THERE = "it declares them and has none"

/** Of a server with a few tools that answer at once. */
const BARE = {
  cancel: "it has no call that lasts",
  progress: "it tells none",
  list_changed: "its tools never change",
  prompts: UNDECLARED,
  resources: UNDECLARED,
  subscribe: UNDECLARED,
  completion: UNDECLARED,
  form: UNASKED,
  url: UNASKED,
  sampling: UNASKED,
  roots: UNASKED,
  logging: UNDECLARED,
  instructions: "it gives none"
}

const without = (lacks: Row["lacks"], ...cells: ReadonlyArray<Cell>): Row["lacks"] =>
  Object.fromEntries(Object.entries(lacks).filter(([cell]) => !cells.some((one) => one === cell)))

export const ROWS: ReadonlyArray<Row> = [
  { name: "SDK 1", transport: "stdio", revision: OLD, kind: "ours", entry: piped("Sdk1", "auto"), lacks: {} },
  {
    name: "SDK 1",
    transport: "streamable HTTP",
    revision: OLD,
    kind: "ours",
    entry: ({ sdk1 }) => addressed(sdk1.url("/mcp"), "auto"),
    lacks: {}
  },
  {
    name: "SDK 1",
    transport: "SSE",
    revision: OLD,
    kind: "ours",
    entry: ({ sdk1 }) => ({ ...addressed(sdk1.url("/sse"), "auto"), type: "sse" }),
    lacks: {}
  },
  { name: "SDK 2", transport: "stdio", revision: OLD, kind: "ours", entry: piped("Sdk2", "legacy"), lacks: {} },
  {
    name: "SDK 2",
    transport: "streamable HTTP",
    revision: OLD,
    kind: "ours",
    entry: ({ sdk2 }) => addressed(sdk2.url("/mcp"), "legacy"),
    lacks: {}
  },
  { name: "SDK 2", transport: "stdio", revision: NEW, kind: "ours", entry: piped("Sdk2", "auto"), lacks: {} },
  {
    name: "SDK 2",
    transport: "streamable HTTP",
    revision: NEW,
    kind: "ours",
    entry: ({ sdk2 }) => addressed(sdk2.url("/mcp"), "auto"),
    lacks: {}
  },
  { name: "effect/ai", transport: "stdio", revision: OLD, kind: "ours", entry: piped("EffectAi", "legacy"), lacks: {} },
  {
    name: "effect/ai",
    transport: "streamable HTTP",
    revision: OLD,
    kind: "ours",
    entry: ({ effectAi }) => addressed(effectAi.url("/mcp"), "legacy"),
    lacks: { subscribe: "it declares none over HTTP before 2026-07-28" }
  },
  { name: "effect/ai", transport: "stdio", revision: NEW, kind: "ours", entry: piped("EffectAi", "auto"), lacks: {} },
  {
    name: "effect/ai",
    transport: "streamable HTTP",
    revision: NEW,
    kind: "ours",
    entry: ({ effectAi }) => addressed(effectAi.url("/mcp"), "auto"),
    lacks: {}
  },
  {
    name: "server-everything",
    transport: "stdio",
    revision: OLD,
    kind: "everything",
    entry: () => ({ command: "mcp-server-everything" }),
    lacks: everything
  },
  {
    name: "server-everything",
    transport: "streamable HTTP",
    revision: OLD,
    kind: "everything",
    entry: (found) => addressed(found.everything.url("/mcp"), "auto"),
    lacks: everything
  },
  {
    name: "server-everything",
    transport: "SSE",
    revision: OLD,
    kind: "everything",
    entry: ({ everythingSse }) => ({ ...addressed(everythingSse.url("/sse"), "auto"), type: "sse" }),
    lacks: everything
  },
  {
    name: "server-filesystem",
    transport: "stdio",
    revision: OLD,
    kind: "filesystem",
    entry: () => ({ command: "mcp-server-filesystem" }),
    lacks: without(BARE, "roots")
  },
  {
    name: "server-memory",
    transport: "stdio",
    revision: OLD,
    kind: "memory",
    entry: () => ({ command: "mcp-server-memory" }),
    lacks: { ...without(BARE, "resources"), subscribe: WRITTEN }
  },
  {
    name: "context7",
    transport: "stdio",
    revision: NEW,
    kind: "context7",
    entry: () => ({ command: "context7-mcp" }),
    lacks: {
      ...without(BARE, "instructions"),
      call: "its tools ask a service on the internet",
      prompts: NONE_THERE,
      resources: NONE_THERE
    }
  }
]

/** The name of a row's server in the configuration. */
export const serverOf = (row: Row): string =>
  `${row.name} ${row.transport} ${row.revision}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** How a row is called in the table, and where a cell fails. */
export const titleOf = ({ name, revision, transport }: Row): string => `${name}, ${transport}, ${revision}`
