/** What the tests of the command have in common: a data folder whose servers carry a marker, and waiting. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Command from "./Command.ts"
import * as Deadline from "./Deadline.ts"
import * as FixtureServer from "./FixtureServer.ts"
import * as Processes from "./Processes.ts"

const MARK = "BOOCODE_CLI_TEST"

/** Waits until something came. */
export const untilSeen = (condition: () => boolean) =>
  Effect.repeat(Effect.sync(condition), { until: (met) => met, schedule: Schedule.spaced("20 millis") }).pipe(
    Effect.timeout(Deadline.WAIT_MILLIS)
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
  const env = { ...Command.COMPILED, [MARK]: mark }
  const mcpServers: Record<string, Entry & Readonly<Record<string, unknown>>> = {
    files: FixtureServer.entry("Files", "workspace"),
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
  const left = Effect.map(Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), ({ length }) => length)
  return {
    folder,
    data: join(folder, "data"),
    mark,
    count: Processes.count(MARK, mark),
    /** How many there are still when they should be gone. */
    left
  }
})

/**
 * Presses Ctrl-C until the command ends, as somebody does who is in a hurry: signals that come close together may be one
 * to it. Fails where it took as long as without the hurry, in which what is stubborn has 5.5 s.
 */
export const hurried = ({ child, ended }: Command.Running) =>
  Effect.raceFirst(
    Effect.promise(() => ended),
    Effect.forever(Effect.andThen(Effect.sync(() => child.kill("SIGINT")), Effect.sleep("200 millis")))
  ).pipe(Effect.timeout("5 seconds"))

/** Waits until at least that many processes of its servers run. */
export const untilThereAre = (mark: string, count: number) =>
  Effect.map(
    Processes.untilAlive(MARK, mark, count, Deadline.WAIT_MILLIS),
    (living) => assert.isAtLeast(living.length, count)
  )
