/**
 * What the published servers of this checkout offer, writers included, is what `fixtures/published-tools.json` has of
 * them. When a server's version is raised, `BOOCODE_RECORD=1 pnpm test test/PublishedTools.test.ts` writes that file anew.
 */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_PUBLISHED_TEST"
const FILE = fileURLToPath(new URL("fixtures/published-tools.json", import.meta.url))
const BIN = fileURLToPath(new URL("node_modules/.bin", import.meta.url))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-published-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** By the official client: the registry leaves writers out, and their schemas are as real as those of readers. */
const offered = (server: string, command: string, args: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Client({ name: "boocode-test", version: "0" })),
    (client) =>
      Effect.promise(async () => {
        const variables = { PATH: process.env["PATH"] ?? "", ...env }
        await client.connect(
          new StdioClientTransport({ command: join(BIN, command), args: [...args], env: variables, stderr: "ignore" })
        )
        const { tools } = await client.listTools()
        return {
          server,
          version: client.getServerVersion()?.version ?? "",
          tools: tools.map(({ annotations, description, inputSchema, name }) => ({
            name,
            description: description ?? "",
            inputSchema,
            annotations: annotations ?? null
          }))
        }
      }),
    (client) => Effect.promise(() => client.close())
  )

type Offered = Effect.Success<ReturnType<typeof offered>>

/** One server a line, as `live-mcp.json`. */
const text = (servers: ReadonlyArray<Offered>): string =>
  `{"servers":[\n${servers.map((server) => JSON.stringify(server)).join(",\n")}\n]}\n`

describe("the published servers", () => {
  it.live("offer the tools that are recorded of them", () =>
    Effect.gen(function*() {
      const place = yield* folder
      const mark = randomUUID()
      const env = { [MARK]: mark, MEMORY_FILE_PATH: join(place, "memory.json") }
      const found = yield* Effect.all([
        offered("context7", "context7-mcp", [], env),
        offered("everything", "mcp-server-everything", [], env),
        offered("filesystem", "mcp-server-filesystem", [place], env),
        offered("memory", "mcp-server-memory", [], env)
      ], { concurrency: 2 })
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      if (process.env["BOOCODE_RECORD"] === "1") writeFileSync(FILE, text(found))
      assert.strictEqual(text(found), readFileSync(FILE, "utf8"))
      assert.deepStrictEqual(found.map(({ server, tools }) => [server, tools.length]), [
        ["context7", 2],
        ["everything", 13],
        ["filesystem", 14],
        ["memory", 9]
      ])
    }).pipe(Effect.scoped), 30_000)
})
