/** The folder of agents on a real disk: links, large files, and what editors do when they save. */
import { Agents, CurrentUser, FIRST } from "@boocode/chat"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deadline from "./support/Deadline.ts"

const block = (name: string) => `---\nname: ${name}\n---\nYou are ${name}.\n`

/** A data folder with AGENTS.md, gone afterwards, and its agents. */
const withFolder = <A, E>(body: (agents: Agents["Service"], data: string) => Effect.Effect<A, E, CurrentUser>) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-agents-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const data = join(folder, "data")
    mkdirSync(data)
    writeFileSync(join(data, "AGENTS.md"), block("First"))
    const layer = Agents.layerFile(join(data, "AGENTS.md")).pipe(Layer.provide(NodeServices.layer))
    return yield* Agents.use((agents) => body(agents, data)).pipe(
      Effect.provide(layer),
      Effect.provideService(CurrentUser, FIRST)
    )
  }))

const names = (agents: Agents["Service"]) =>
  Effect.map(agents.list, ({ agents }) => agents.map(({ name }) => name).join())

describe("The folder of agents on a disk", Deadline.TEST, () => {
  it.live(
    "links out of the data folder and files over 1 MB are refused, a pipe does not hang",
    () =>
      withFolder((agents, data) =>
        Effect.gen(function*() {
          const folder = join(data, "agents")
          mkdirSync(folder)
          writeFileSync(join(data, "..", "secret.md"), block("Secret"))
          symlinkSync(join("..", "..", "secret.md"), join(folder, "out.md"))
          writeFileSync(join(data, "shared.txt"), block("Shared"))
          symlinkSync(join("..", "shared.txt"), join(folder, "in.md"))
          writeFileSync(join(folder, "big.md"), `${block("Big")}${"x".repeat(1_100_000)}`)
          mkdirSync(join(folder, "folder.md"))
          execFileSync("mkfifo", [join(folder, "pipe.md")])
          symlinkSync("nowhere", join(folder, "dangling.md"))
          assert.strictEqual(yield* names(agents), "First,Shared")
          const { problems } = yield* agents.list
          assert.deepStrictEqual(problems.map(({ file }) => file.slice(folder.length + 1)).sort(), [
            "big.md",
            "dangling.md",
            "folder.md",
            "out.md",
            "pipe.md"
          ])
        })
      )
  )

  it.live(
    "a file that is written, renamed over, made or removed is told of, and counts at once",
    () =>
      withFolder((agents, data) =>
        Effect.gen(function*() {
          const told = yield* Queue.unbounded<void>()
          const listening = yield* Effect.forkChild(
            Stream.runForEach(agents.changes, () => Queue.offer(told, undefined))
          )
          // Again until it is told: it may not watch yet.
          yield* Effect.suspend(() => {
            writeFileSync(join(data, "AGENTS.md"), block("First"))
            return Effect.timeoutOption(Queue.take(told), "1 second")
          }).pipe(Effect.repeat({ until: Option.isSome }), Effect.timeout(Deadline.WAIT_MILLIS))
          const folder = join(data, "agents")
          const steps: ReadonlyArray<readonly [() => void, string]> = [
            [() => writeFileSync(join(data, "AGENTS.md"), block("Edited")), "Edited"],
            [() => {
              mkdirSync(folder)
              writeFileSync(join(folder, "a.md"), block("A"))
            }, "Edited,A"],
            [() => {
              writeFileSync(join(folder, "a.md.tmp"), block("Renamed"))
              renameSync(join(folder, "a.md.tmp"), join(folder, "a.md"))
            }, "Edited,Renamed"],
            [() => rmSync(join(folder, "a.md")), "Edited"]
          ]
          for (const [change, expected] of steps) {
            change()
            // One change may be told of more than once, also late.
            yield* Effect.andThen(Queue.take(told), names(agents)).pipe(
              Effect.repeat({ until: (names) => names === expected }),
              Effect.timeout(Deadline.WAIT_MILLIS)
            )
          }
          yield* Fiber.interrupt(listening)
        })
      )
  )
})
