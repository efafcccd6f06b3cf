/**
 * PATH as the person's login shell has it, for a server that was not started from one. `loginShellPath` of the settings asks
 * for it.
 */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Settings } from "./Settings.ts"

/** Profiles may do anything before they are done. */
const LIMIT = "5 seconds"
const MAX_CHARACTERS = 100_000

/** Around the value, because profiles print greetings. */
const MARK = "boocode-path-7f3a"
const SCRIPT = `printf '\\n%s%s%s\\n' '${MARK}' "$PATH" '${MARK}'`
const MARKED = new RegExp(`${MARK}(.*)${MARK}`, "s")

/** The variables with that PATH, which goes before the one there was. Asked for once, at start; a shell that fails is one warning. */
export const layer = Layer.effect(
  Environment,
  Effect.gen(function*() {
    const environment = yield* Environment
    const { loginShellPath } = yield* Settings
    if (!loginShellPath) return environment
    return yield* pathOf(environment.variables).pipe(
      Effect.map((path) => Environment.of({ ...environment, variables: { ...environment.variables, PATH: path } })),
      Effect.catch(({ message }) =>
        Effect.as(Effect.logWarning(`"loginShellPath" has no effect: ${message}; PATH stays as it is`), environment)
      )
    )
  })
)

class NoPath extends Schema.TaggedError<NoPath>()("NoPath", { message: Schema.String }) {}

const pathOf = Effect.fnUntraced(function*(variables: Readonly<Record<string, string | undefined>>) {
  const shell = variables["SHELL"] ?? ""
  if (shell === "") return yield* new NoPath({ message: "SHELL is not set" })
  const printed = yield* printedBy(shell, variables).pipe(
    Effect.catchTag(
      "PlatformError",
      ({ reason }) => new NoPath({ message: `${shell} cannot be run (${reason._tag})` })
    ),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(new NoPath({ message: `${shell} -lc did not answer within ${LIMIT}` }))
    })
  )
  const [, path = ""] = MARKED.exec(printed) ?? []
  if (path === "") return yield* new NoPath({ message: `${shell} -lc printed no PATH` })
  return joined(path, variables["PATH"] ?? "")
})

/** Reads until PATH is there: a program that the profile left running may hold the output open. */
const printedBy = (shell: string, variables: Readonly<Record<string, string | undefined>>) =>
  Effect.scoped(Effect.gen(function*() {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const handle = yield* spawner.spawn(
      ChildProcess.make(shell, ["-lc", SCRIPT], {
        env: { ...variables },
        stdin: "ignore",
        stderr: "ignore",
        forceKillAfter: "500 millis"
      })
    )
    let text = ""
    const isThere = (more: string) => {
      text = (text + more).slice(-MAX_CHARACTERS)
      return MARKED.test(text)
    }
    yield* Stream.runDrain(Stream.takeUntil(Stream.decodeText(handle.stdout), isThere))
    return text
  }))

const joined = (first: string, then: string): string =>
  [...new Set([...first.split(":"), ...then.split(":")])].filter((folder) => folder !== "").join(":")
