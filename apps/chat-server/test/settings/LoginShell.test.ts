import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as LoginShell from "../../src/settings/LoginShell.ts"
import { Settings } from "../../src/settings/Settings.ts"

const VARIABLES = { SHELL: "/bin/zsh", PATH: "/usr/bin:/bin", TOKEN: "mine" }

/** A shell that prints this in place of what it is told to print; null is one that is not there. */
const asked = (
  print: ((script: string) => Stream.Stream<string>) | null,
  { isWanted = true, variables = VARIABLES }: {
    readonly isWanted?: boolean
    readonly variables?: Readonly<Record<string, string>>
  } = {}
) =>
  Effect.gen(function*() {
    const logged: Array<string> = []
    const runs: Array<string> = []
    let open = 0
    const spawner = ChildProcessSpawner.make((command) => {
      if (!ChildProcess.isStandardCommand(command)) return Effect.die("a plain command")
      runs.push([command.command, ...command.args.slice(0, 1).map(String)].join(" "))
      if (print === null) {
        return Effect.fail(
          PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" })
        )
      }
      return Effect.acquireRelease(
        Effect.sync(() => {
          open += 1
          return ChildProcessSpawner.makeHandle({
            pid: ChildProcessSpawner.ProcessId(1),
            exitCode: Effect.succeed(ChildProcessSpawner.ExitCode(0)),
            isRunning: Effect.succeed(true),
            kill: () => Effect.void,
            stdin: Sink.drain,
            stdout: Stream.encodeText(print(String(command.args[1]))),
            stderr: Stream.empty,
            all: Stream.empty,
            getInputFd: () => Sink.drain,
            getOutputFd: () => Stream.empty,
            unref: Effect.succeed(Effect.void)
          })
        }),
        () => Effect.sync(() => void (open -= 1))
      )
    })
    const layer = LoginShell.layer.pipe(
      Layer.provide(Environment.layer(variables)),
      Layer.provide(Settings.layerValues({ loginShellPath: isWanted })),
      Layer.provide(Layer.succeed(ChildProcessSpawner.ChildProcessSpawner, spawner)),
      Layer.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]))
    )
    const fiber = yield* Effect.forkChild(
      Effect.provide(Environment.use(({ variables }) => Effect.succeed(variables)), layer)
    )
    yield* TestClock.adjust("6 seconds")
    return { variables: yield* Fiber.join(fiber), logged, runs, open }
  })

/** What `printf` would print with this PATH. */
const printed = (path: string) => (script: string) => {
  const [mark = ""] = /boocode-path-\w+/.exec(script) ?? []
  return Stream.make("Welcome!\n", `\n${mark}${path.slice(0, 5)}`, `${path.slice(5)}${mark}\n`)
}

describe("LoginShell", () => {
  it.effect("puts the folders of the login shell first, each once, whatever else the profile prints (R69)", () =>
    Effect.gen(function*() {
      const { logged, runs, variables } = yield* asked(printed("/home/ada/.nvm/bin:/usr/bin"))
      assert.deepStrictEqual({ ...variables }, { ...VARIABLES, PATH: "/home/ada/.nvm/bin:/usr/bin:/bin" })
      assert.deepStrictEqual(runs, ["/bin/zsh -lc"])
      assert.isEmpty(logged)
    }))

  it.effect("runs nothing unless it is asked to", () =>
    Effect.gen(function*() {
      const { runs, variables } = yield* asked(printed("/x"), { isWanted: false })
      assert.deepStrictEqual<object>({ ...variables }, VARIABLES)
      assert.isEmpty(runs)
    }))

  it.effect("is done as soon as PATH is there, and takes the shell down", () =>
    Effect.gen(function*() {
      const { logged, open, variables } = yield* asked((script) => Stream.concat(printed("/x")(script), Stream.never))
      assert.strictEqual(variables["PATH"], "/x:/usr/bin:/bin")
      assert.deepStrictEqual([open, logged.length], [0, 0])
    }))

  it.effect("keeps PATH, with one warning that says why, when the shell is of no use", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [RegExp, Parameters<typeof asked>]> = [
        [/\/bin\/zsh -lc did not answer within 5 seconds/, [() => Stream.never]],
        [/\/bin\/zsh -lc printed no PATH/, [() => Stream.make("Welcome!")]],
        [/\/bin\/zsh cannot be run \(NotFound\)/, [null]],
        [/SHELL is not set/, [printed("/x"), { variables: { PATH: VARIABLES.PATH } }]]
      ]
      for (const [words, args] of cases) {
        const { logged, open, variables } = yield* asked(...args)
        assert.strictEqual(variables["PATH"], VARIABLES.PATH)
        assert.lengthOf(logged, 1)
        assert.match(logged[0] ?? "", words)
        assert.strictEqual(open, 0)
      }
    }))
})
