import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

interface Line {
  readonly level: string
  readonly text: string
}

/** Runs with a registry of one server, and every line that is logged at whatever level. */
const logged = <A, E>(
  script: ScriptedHost.Script,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host, lines: ReadonlyArray<Line>) => Effect.Effect<A, E>,
  isSettled = true
) =>
  Effect.gen(function*() {
    const lines: Array<Line> = []
    const host = yield* ScriptedHost.make({ server: script })
    const logger = Logger.layer([
      Logger.make(({ logLevel, message }) => void lines.push({ level: logLevel, text: String(message) }))
    ])
    yield* McpRegistry.use((registry) =>
      Effect.andThen(isSettled ? registry.settled : ScriptedHost.drain, body(registry, host, lines))
    ).pipe(
      Effect.provide(
        host.layer({ it: { command: "server" } }).pipe(
          Layer.provideMerge(Layer.merge(logger, Layer.succeed(References.MinimumLogLevel, "All")))
        )
      )
    )
  })

const NO_MESSAGES = [
  "Welcome to the server!",
  "   ",
  "{\"level\":\"info\",\"msg\":\"up\"}",
  "[1,2,3]",
  "y".repeat(5000)
]

describe("Diagnostics", () => {
  it.effect("initializes behind a banner, blank lines and other JSON, each line of which is one bounded debug line (R39)", () =>
    logged({
      answer: ({ method }, server) => {
        if (method === "initialize") server.write(NO_MESSAGES.map((line) => `${line}\n`).join(""))
        return undefined
      }
    }, (registry, _host, lines) =>
      Effect.gen(function*() {
        const status = yield* registry.server("it")
        assert.strictEqual(status.state, "ready", status.error?.message)
        assert.isFalse((yield* registry.call("it_echo", {})).isError)
        const skipped = lines.filter(({ text }) => text.startsWith("it: not a message: "))
        assert.deepStrictEqual(
          skipped.map(({ text }) => text.slice("it: not a message: ".length)),
          NO_MESSAGES.filter((line) => line.trim() !== "").map((line) => line.slice(0, 200))
        )
        assert.isTrue(skipped.every(({ level }) => level === "Debug"))
        assert.strictEqual(status.warnings.length, 1)
      })))

  it.effect("logs what a healthy server writes to standard error at debug level and nowhere else (R41)", () =>
    logged({
      answer: ({ method }, server) => {
        server.complain(`ERROR canary-noise at ${method}\n`)
        return undefined
      }
    }, (registry, _host, lines) =>
      Effect.gen(function*() {
        yield* registry.call("it_echo", {})
        yield* ScriptedHost.drain
        const noise = lines.filter(({ text }) => text.includes("canary-noise"))
        assert.isAtLeast(noise.length, 4)
        assert.deepStrictEqual([...new Set(noise.map(({ level }) => level))], ["Debug"])
        assert.deepStrictEqual(lines.filter(({ level }) => level === "Warn" || level === "Error"), [])
        assert.notInclude(JSON.stringify(yield* registry.servers), "canary-noise")
      })))

  it.effect("says once why a server ends at each of five tries, however long each of them took and what time it wrote", () =>
    logged({ answer: () => null }, (_registry, host, lines) =>
      Effect.gen(function*() {
        for (const seconds of [1, 2, 3, 4, 1]) {
          const tries = host.running.length
          yield* ScriptedHost.advance(seconds)
          host.running.at(-1)?.complain(`12:00:0${tries} [${4000 + tries}] Error: API_KEY is not set\n`)
          yield* ScriptedHost.drain
          host.running.at(-1)?.exit(1)
          for (let second = 0; second < 20 && host.running.length === tries; second++) yield* ScriptedHost.advance(1)
          assert.lengthOf(host.running, tries + 1)
        }
        const warnings = lines.filter(({ level }) => level === "Warn")
        assert.deepStrictEqual(warnings.map(({ text }) => /API_KEY is not set/.test(text)), [true])
      }), false))

  it.effect("says exit code and last words of a server that ends before it said anything (R40)", () =>
    logged({ exitsAtOnce: { code: 3, stderr: "boom\n" } }, (registry, _host, lines) =>
      Effect.gen(function*() {
        const { error } = yield* registry.server("it")
        assert.strictEqual(error?.exitCode, 3)
        assert.include(error?.stderr, "boom")
        assert.match(error?.message ?? "", /code 3.*boom/)
        const warnings = lines.filter(({ level }) => level === "Warn")
        assert.deepStrictEqual(warnings.map(({ text }) => text), [`it: ${error?.message}`])
      })))
})
