/** A server that npx started, when npx is killed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { data, untilSeen, untilThereAre } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"

const SERVE = "\"$SERVE_NODE\" \"$SERVE_MAIN\" serve --port 0 --data \"$SERVE_DATA\"; echo exit $?"

/** Started in the background of a shell, as a person does it, who leaves the shell when the server is up. */
const SHELL = `nohup npx -c '${SERVE}' & echo "npx $!"; read end`

const served = Effect.fnUntraced(function*() {
  const place = yield* data()
  const seen = { out: "", err: "" }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/sh", ["-c", SHELL], {
        cwd: place.folder,
        detached: true,
        env: {
          PATH: process.env["PATH"],
          HOME: place.folder,
          BOOCODE_STATE_DIR: join(place.folder, "state"),
          SERVE_NODE: process.execPath,
          SERVE_MAIN: join(Command.CHECKOUT, Command.MAIN),
          SERVE_DATA: place.data,
          npm_config_update_notifier: "false",
          ...Command.COMPILED
        }
      })
    ),
    ({ pid }) => Effect.sync(() => pid !== undefined && kill(-pid))
  )
  child.stdout.setEncoding("utf8").on("data", (text: string) => seen.out += text)
  child.stderr.setEncoding("utf8").on("data", (text: string) => seen.err += text)
  // Once nobody holds its output any more: neither shell nor npx nor server.
  const isOver = once(child, "close")
  yield* untilSeen(() => /http:\/\/127\.0\.0\.1:\d+/.test(seen.out))
  yield* untilThereAre(place.mark, 1)
  child.stdin.end("\n")
  yield* Effect.promise(() => once(child, "exit"))
  return { isOver, npx: Number(/npx (\d+)/.exec(seen.out)?.[1]), place, seen }
})

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // All of it has ended.
  }
}

describe("Starters", () => {
  it.live(
    "a server ends in good order when the npx that started it is killed, and not with the shell it was started in",
    () =>
      Effect.gen(function*() {
        const { isOver, npx, place, seen } = yield* served()
        process.kill(npx, "SIGKILL")
        yield* Effect.promise(() => isOver).pipe(Effect.timeout("30 seconds"))
        assert.include(seen.err, `ends because the package manager that started it (process ${npx}) has ended`)
        assert.include(seen.out, "exit 0")
        assert.strictEqual(yield* place.count, 0)
      }),
    60_000
  )
})
