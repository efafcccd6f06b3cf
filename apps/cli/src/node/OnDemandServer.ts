/** Starts a server for bridges that find none: once, however many of them race, and on its own from then on. */
import * as Announcement from "@boocode/chat-server/Announcement"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import * as FileLock from "@boocode/chat-server/FileLock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { NotServed } from "../bridge/NotServed.ts"
import type { DataLocation } from "../options/DataLocation.ts"
import type { Variables } from "./Wiring.ts"

/** How this very command is started: Node, its flags, and the file that it runs. */
export type OwnProgram = readonly [node: string, ...ReadonlyArray<string>]

export interface Options<A> {
  readonly place: DataLocation
  readonly program: OwnProgram
  readonly variables: Variables
  /** The server that runs; null while none does. */
  readonly find: Effect.Effect<A | null>
}

/** A server that starts many MCP servers on a busy machine announces itself within this time: its port comes first. */
const LIMIT = "60 seconds"
const LOOK = "50 millis"
const LOG_CHARACTERS = 600

/** Where it ends after its last client. */
const LINGER = "60 s"

/** The file in the state folder with what such a server printed. */
const LOG = "on-demand.log"

/**
 * The server of the place, which this or another bridge has started. It belongs to no terminal and to no client, listens on
 * any free port of this machine, and ends a minute after its last client. Takes a minute at most. Fails where it cannot
 * start, with what it said.
 */
export const start = <A>(options: Options<A>) =>
  Effect.scoped(started(options)).pipe(
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(notStarted(`it did not come up within ${LIMIT}`))
    })
  )

const started = <A>(options: Options<A>): Effect.Effect<
  A,
  NotServed,
  DataFolder | FileSystem.FileSystem | Path.Path | Scope.Scope
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const lock = yield* Announcement.startLock
    yield* Effect.ignore(fs.makeDirectory(path.dirname(lock), { recursive: true, mode: 0o700 }))
    const locked = Effect.acquireRelease(
      Effect.option(Effect.try(() => FileLock.take(lock))),
      (held) => Effect.sync(() => held._tag === "Some" ? held.value.close() : undefined)
    )
    while (true) {
      const before = yield* options.find
      if (before !== null) return before
      if ((yield* locked)._tag === "Some") break
      yield* Effect.sleep(LOOK)
    }
    // Another bridge may have started one just before.
    const found = yield* options.find
    if (found !== null) return found
    const ended = yield* launched(options)
    const up = Effect.repeat(Effect.delay(options.find, LOOK), { until: (found) => found !== null })
    return yield* Effect.raceFirst(
      Effect.flatMap(up, (found) => found === null ? Effect.never : Effect.succeed(found)),
      Effect.flatMap(ended, (why) => Effect.fail(notStarted(why)))
    )
  })

/** Starts it. The result is done when it ended before its time, with the reason. */
const launched = Effect.fnUntraced(function*<A>({ place, program: [node, ...own], variables }: Options<A>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { configFile, dataFile, folder, state } = yield* DataFolder
  const log = path.join(state, LOG)
  const args = [
    ...own,
    "serve",
    "--port",
    "0",
    "--end-idle",
    LINGER,
    ...place.dataDir === null ? [] : ["--data", folder],
    ...configFile === null ? [] : ["--config", configFile]
  ]
  const ended = Deferred.makeUnsafe<string>()
  yield* Effect.mapError(
    Effect.try(() => {
      const output = openSync(log, "w", 0o600)
      const child = spawn(node, args, {
        // In the folder of the client that came first it would find that client's project.
        cwd: state,
        detached: true,
        windowsHide: true,
        stdio: ["ignore", output, output],
        env: {
          ...variables,
          INIT_CWD: undefined,
          ...variables["MCP_CONFIG_PATH"] ? { MCP_CONFIG_PATH: dataFile } : {},
          ...variables["BOOCODE_STATE_DIR"] ? { BOOCODE_STATE_DIR: state } : {}
        }
      })
      closeSync(output)
      child.once("error", ({ message }) => Deferred.doneUnsafe(ended, Effect.succeed(message)))
      child.once("exit", () => Deferred.doneUnsafe(ended, Effect.succeed("")))
      child.unref()
    }),
    ({ cause }) => notStarted(String(cause))
  )
  return Effect.flatMap(Deferred.await(ended), (why) =>
    why === ""
      ? Effect.map(Effect.orElseSucceed(fs.readFileString(log), () => ""), (text) => text.trim().slice(-LOG_CHARACTERS))
      : Effect.succeed(why))
})

const notStarted = (why: string): NotServed =>
  new NotServed({
    message: `no BooCode server runs on this data folder, and none could be started: ${why}`,
    hint: "run boocode serve in a terminal to see what is wrong"
  })
