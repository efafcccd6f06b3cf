import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as LogFormat from "../../src/telemetry/LogFormat.ts"

/** The documents that a program logs. */
const logged = <E>(program: Effect.Effect<void, E>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const kept = Logger.map(LogFormat.line, (line) => void lines.push(line))
    yield* Effect.provide(program, Logger.layer([kept]))
    assert.isTrue(lines.every((line) => !line.includes("\n")))
    return lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
  })

const knot: Record<string, unknown> = { name: "knot" }
knot["self"] = knot

describe("LogFormat", () => {
  it.effect("writes one document for whatever is logged, also what JSON has no words for", () =>
    Effect.gen(function*() {
      const [cyclic, big, odd, plain] = yield* logged(Effect.gen(function*() {
        yield* Effect.logInfo("a", knot)
        yield* Effect.annotateLogs(Effect.logWarning("b"), { count: 3n, knot })
        yield* Effect.logError(undefined, Symbol("s"), () => 1)
        yield* Effect.annotateLogs(Effect.logInfo("two\nlines"), { server: "files" })
      }))
      assert.include(cyclic, { level: "info" })
      assert.match(String(cyclic?.["message"]), /^a .*knot/)
      assert.include(big, { level: "warn", message: "b" })
      assert.isString(odd?.["message"])
      assert.include(plain, { level: "info", message: "two\nlines", server: "files" })
    }))

  it.effect("keeps secrets hidden, in messages and in annotations", () =>
    Effect.gen(function*() {
      const secret = Redacted.make("CANARY")
      const documents = yield* logged(
        Effect.annotateLogs(Effect.logInfo("x", secret, { deep: [secret] }), { secret })
      )
      assert.notInclude(JSON.stringify(documents), "CANARY")
    }))

  it.prop("reads back as it was", { message: Schema.String, value: Schema.Json }, ({ message, value }) => {
    const [document] = Effect.runSync(logged(Effect.annotateLogs(Effect.logInfo(message), { value })))
    return document?.["message"] === message && JSON.stringify(document["value"]) === JSON.stringify(value)
  })
})
