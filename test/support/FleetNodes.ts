/** Nodes of a fleet: real chat servers over one PostgreSQL, with a data folder and a state folder each. */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ChatServer from "./ChatServer.ts"
import * as Deadline from "./Deadline.ts"

export const SECRET = "a secret that all nodes of the test have"

export interface Node extends ChatServer.ChatServer {
  /** Where the other nodes reach it. */
  readonly address: string
}

export interface Fleet {
  readonly folder: string
  /** Starts one more node with a copy of `data`, or with nothing. It is killed when the scope closes. */
  readonly node: (variables?: Readonly<Record<string, string>>, isEmpty?: boolean) => ReturnType<typeof start>
}

/** A fleet without a node, in this database. `servers` are given a folder for their files. */
export const make = (database: string, servers: (folder: string) => Readonly<Record<string, unknown>>) =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-fleet-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    )
    const data = join(folder, "data")
    mkdirSync(data)
    writeFileSync(join(data, "mcp.json"), JSON.stringify({ mcpServers: servers(folder) }))
    let count = 0
    return {
      folder,
      node: (variables = {}, isEmpty = false) => {
        const own = join(folder, `node-${count += 1}`)
        const ownData = join(own, "data")
        mkdirSync(ownData, { recursive: true })
        if (!isEmpty) cpSync(data, ownData, { recursive: true })
        return start(ownData, join(own, "state"), database, variables)
      }
    } satisfies Fleet
  })

const start = Effect.fnUntraced(function*(
  data: string,
  state: string,
  database: string,
  variables: Readonly<Record<string, string>>
) {
  const address = variables["BOOCODE_FLEET_ADDRESS"] ?? `127.0.0.1:${yield* Effect.promise(freePort)}`
  const server = yield* ChatServer.start(data, {
    BOOCODE_STATE_DIR: state,
    ...variablesOf(database, address),
    ...variables
  }, ["--fleet"])
  return { ...server, address }
})

/** What makes a program a node of the fleet in this database. */
export const variablesOf = (database: string, address: string) => ({
  DATABASE_URL: database,
  BOOCODE_FLEET_ADDRESS: address,
  BOOCODE_FLEET_SECRET: SECRET,
  BOOCODE_SECRET: SECRET
})

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** A node as any of them tells of it. */
export interface Told {
  readonly address: string
  readonly state: string
  readonly servers: ReadonlyArray<string>
  readonly chats: number
  readonly shares: number
}

/** The nodes that answer, as one of them tells. */
export const told = (node: ChatServer.ChatServer) =>
  Effect.map(node.get("/api/fleet"), ({ body }) => {
    const nodes = (body["nodes"] ?? []) as ReadonlyArray<Told>
    return nodes.filter(({ state }) => state !== "gone")
  })

/** Waits until these nodes, and no others, share everything there is: nothing moves any more. Dies when that takes a minute. */
export const settled = (nodes: ReadonlyArray<Node>) =>
  Effect.map(
    ChatServer.until(told(nodes[0] ?? fail()), isSettled(nodes.length)),
    (all) => isSettled(nodes.length)(all) ? all : fail(JSON.stringify(all))
  )

const isSettled = (count: number) => (all: ReadonlyArray<Told>) =>
  all.length === count && all.every(({ shares, state }) => state === "ready" && shares > 0) &&
  all.reduce((sum, { shares }) => sum + shares, 0) === 100

const fail = (why = "there is no node"): never => {
  throw new Error(`the fleet is not settled: ${why}`)
}

/** The one node that runs a server, when nothing moves. */
export const ownerOf = (nodes: ReadonlyArray<Node>, name: string) =>
  Effect.gen(function*() {
    yield* settled(nodes)
    const owners = (all: ReadonlyArray<Told>) => all.filter(({ servers }) => servers.includes(name))
    const all = yield* ChatServer.until(
      told(nodes[0] ?? fail()),
      (all) => owners(all).length === 1 && owners(all)[0]?.servers.length === 1,
      Deadline.WAIT_MILLIS
    )
    return nodes.find(({ address }) => address === owners(all)[0]?.address)
  })

/** Waits until a node has a server ready. */
export const ready = (node: ChatServer.ChatServer, name: string) =>
  ChatServer.until(
    node.get("/api/mcp/servers"),
    ({ body }) => JSON.stringify(body).includes(`{"name":"${name}","transport":"stdio","state":"ready"`),
    Deadline.WAIT_MILLIS
  )

/** Calls a tool of a server. */
export const call = (node: ChatServer.ChatServer, tool: string, args: unknown) =>
  node.post(`/api/tools/${tool}/call`, { args })

/** The status with which a node answers an MCP client that has this token. */
export const beginningAt = ({ url }: ChatServer.ChatServer, token: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        "content-type": "application/json"
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
    })
    await response.body?.cancel()
    return response.status
  })

/** Writes another entry of a server, and gives the status. */
export const putEntry = (node: ChatServer.ChatServer, server: string, entry: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${node.url}/api/mcp/servers/${server}/entry`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ entry })
    })
    return response.status
  })

/** The lines of a file that a server of the fleet writes. */
export const lines = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").split("\n").filter((line) => line !== "")
  } catch {
    return []
  }
}
