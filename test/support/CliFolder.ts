/** What the tests of the command have in common: a data folder whose servers carry a marker, and waiting. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Command from "./Command.ts"
import * as Processes from "./Processes.ts"

const MARK = "BOOCODE_CLI_TEST"

/** Waits until something came, 20 seconds at most. */
export const untilSeen = (condition: () => boolean) =>
  Effect.repeat(Effect.sync(condition), { until: (met) => met, schedule: Schedule.spaced("20 millis") }).pipe(
    Effect.timeout("20 seconds")
  )

interface Entry {
  env?: Readonly<Record<string, string>>
}

/** A data folder with a healthy server, one that never answers, one that is off, and a broken entry. */
export const data = Effect.fnUntraced(function*(
  more: Readonly<Record<string, string>> = {},
  servers: Readonly<Record<string, Entry & Readonly<Record<string, unknown>>>> = {}
) {
  const mark = randomUUID()
  const env = { [MARK]: mark }
  const mcpServers: Record<string, Entry & Readonly<Record<string, unknown>>> = {
    files: { command: "mcp-server-filesystem", args: ["workspace"] },
    // It sends back what it gets, which is no answer.
    echo: { command: "/bin/cat" },
    off: { url: "https://mcp.example.com/mcp", headers: { "X-API-Key": "${NOT_SET:-CANARY}" }, enabled: false },
    broken: { command: 7 },
    ...servers
  }
  for (const server of Object.values(mcpServers)) server.env = { ...server.env, ...env }
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers }),
    "data/workspace/hello.txt": "hello from a file\n",
    ...more
  })
  return { folder, data: join(folder, "data"), mark, count: Processes.count(MARK, mark) }
})

/** Waits until at least that many processes of its servers run. */
export const untilThereAre = (mark: string, count: number) =>
  Effect.map(Processes.untilAlive(MARK, mark, count, 20_000), (living) => assert.isAtLeast(living.length, count))
