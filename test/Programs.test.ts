/** Programs that mcp-node starts, and their pipes. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp, NodePrograms } from "@boocode/mcp-node"
import { type ExitStatus, McpRegistry, type OutputPipe, type Program, Programs } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Deadline from "./support/Deadline.ts"

const { layer } = NodePrograms

interface Heard {
  readonly text: Record<OutputPipe, string>
  readonly told: Array<string>
  /** Both outputs have ended, and so has the process. */
  readonly over: Deferred.Deferred<ExitStatus>
}

/** Starts a line of shell, and notes all that is told of it. */
const started = Effect.fnUntraced(function*(line: string) {
  const { start } = yield* Programs
  const program = yield* start({
    file: "/bin/sh",
    args: ["-c", line].map((argument) => Redacted.make(argument)),
    isLine: false,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", WORD: Redacted.make("hello") }
  })
  const heard: Heard = { text: { output: "", errors: "" }, told: [], over: Deferred.makeUnsafe() }
  let status: ExitStatus | null = null
  const tell = (what: string) => {
    heard.told.push(what)
    const isOver = ["output", "errors"].every((pipe) => heard.told.includes(pipe))
    if (isOver && status !== null) Deferred.doneUnsafe(heard.over, Effect.succeed(status))
  }
  yield* program.listen({
    wrote: (pipe, bytes) => {
      heard.text[pipe] += new TextDecoder().decode(bytes)
    },
    ended: tell,
    drained: () => {},
    deaf: () => tell("deaf"),
    exited: (how) => {
      status = how
      tell("exited")
    }
  })
  return { program, heard, over: Deferred.await(heard.over) }
})

const until = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(
    Effect.delay("5 millis"),
    Effect.repeat({ until: (so) => so }),
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

const say = (program: Program, text: string) => Effect.sync(() => program.write(text))

describe("A program that mcp-node starts", Deadline.TEST, () => {
  it.live(
    "is written to, and both its outputs are told to their end, and its exit status (R40)",
    () =>
      Effect.gen(function*() {
        const { heard, over, program } = yield* started("cat; echo $WORD >&2; exit 3")
        yield* say(program, "é€😀\n")
        program.end()
        assert.deepStrictEqual(yield* over, { exitCode: 3, signal: null })
        assert.deepStrictEqual(heard.text, { output: "é€😀\n", errors: "hello\n" })
        assert.deepStrictEqual(heard.told.toSorted(), ["errors", "exited", "output"])
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("leads a process group of its own, and the signal that ended it is told", () =>
    Effect.gen(function*() {
      const { over, program } = yield* started("sleep 60 & wait")
      process.kill(-program.pid, "SIGTERM")
      assert.deepStrictEqual(yield* over, { exitCode: null, signal: "SIGTERM" })
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("waits while its output is not read, and loses nothing by it (R37)", () =>
    Effect.gen(function*() {
      const { heard, over, program } = yield* started("head -c 3000000 /dev/zero; exit 0")
      program.pause("output")
      yield* Effect.sleep("100 millis")
      assert.isBelow(heard.text.output.length, 1_000_000)
      assert.isFalse(heard.told.includes("exited"))
      program.resume("output")
      yield* over
      assert.strictEqual(heard.text.output.length, 3_000_000)
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("is told to be deaf, once, when it has closed its input (R6)", () =>
    Effect.gen(function*() {
      const { heard, program } = yield* started("exec <&-; echo closed; sleep 60")
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(-program.pid, "SIGKILL")))
      yield* until(() => heard.text.output !== "")
      assert.isTrue(program.isWritable())
      yield* say(program, "anybody?\n")
      yield* until(() => heard.told.includes("deaf") && !program.isWritable())
      yield* say(program, "anybody?\n")
      yield* Effect.sleep("50 millis")
      assert.deepStrictEqual(heard.told, ["deaf"])
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("says what the system refuses, and nothing of its arguments", () =>
    Effect.gen(function*() {
      const { start } = yield* Programs
      const refused = (file: string, argument: string) =>
        Effect.flip(start({ file, args: [Redacted.make(argument)], isLine: false, cwd: "/", env: {} }))
      const missing = yield* refused("/nowhere/at-all", "s3cret-argument")
      const folder = yield* refused("/etc", "s3cret-argument")
      const nul = yield* refused("/bin/sh", "s3cret\0argument")
      assert.deepStrictEqual([missing, folder, nul].map(({ reason }) => reason._tag), [
        "NotFound",
        "PermissionDenied",
        "BadArgument"
      ])
      for (const error of [missing, folder, nul]) {
        const { cause } = error.reason
        assert.notInclude(`${error.message} ${JSON.stringify(error)} ${JSON.stringify({ ...Object(cause) })}`, "s3cret")
      }
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live(
    "is in no way shown with its arguments and variables when the registry tells why it did not start (R75)",
    () => {
      const entry = { command: "/etc", args: ["--token", "s3cret-argument"], env: { TOKEN: "s3cret-variable" } }
      const registry = McpRegistry.layer().pipe(
        Layer.provide(McpConfig.layerEntries({ it: entry })),
        Layer.provide(NodeMcp.layer),
        Layer.provide(Environment.layer({}))
      )
      return Effect.gen(function*() {
        const error = yield* Effect.flip(McpRegistry.use(({ restart }) => restart("it")))
        assert.strictEqual(error.reason._tag, "SpawnFailed")
        const whole = inspect(error, { depth: null, showHidden: true })
        assert.include(whole, "EACCES")
        assert.notInclude(`${error} ${error.hint} ${JSON.stringify(error)} ${whole}`, "s3cret")
      }).pipe(Effect.provide(registry))
    }
  )
})
