/** The way of telemetry to its collector, which is a script here. */
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as Tracer from "effect/Tracer"
import * as Telemetry from "../../src/telemetry/Telemetry.ts"

interface Seen {
  readonly requests: Array<string>
  readonly log: Array<string>
}

/** Runs with telemetry on its way to a collector that answers so; `close` ends telemetry. */
const exporting = <A>(
  answer: () => Promise<Response>,
  body: (seen: Seen, close: Effect.Effect<void>) => Effect.Effect<A>
) =>
  Effect.gen(function*() {
    const seen: Seen = { requests: [], log: [] }
    const fetch = (input: string | URL | Request) => {
      seen.requests.push(String(input instanceof Request ? input.url : input))
      return answer()
    }
    const variables = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://user:a-secret@collector:4318/v1/traces?key=a-secret",
      OTEL_EXPORTER_OTLP_TIMEOUT: "200"
    }
    const logger = Logger.make(({ message }) => void seen.log.push(String(message)))
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(
      Telemetry.layer.pipe(
        Layer.provide(Environment.layer(variables)),
        Layer.provideMerge(Layer.succeed(FetchHttpClient.Fetch, fetch)),
        Layer.provideMerge(Logger.layer([logger]))
      ),
      scope
    )
    return yield* Effect.provide(body(seen, Scope.close(scope, Exit.void)), context)
  })

const span = Effect.withSpan(Effect.void, "a span")
const later = (seconds: number) =>
  Effect.repeat(
    Effect.andThen(
      TestClock.adjust("100 millis"),
      Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    ),
    { times: seconds * 10 }
  )

const fine = () => Promise.resolve(new Response("{}", { status: 200 }))

describe("The way of telemetry", () => {
  it.effect("brings what is left when the program ends", () =>
    exporting(fine, (seen, close) =>
      Effect.gen(function*() {
        assert.notStrictEqual(yield* Tracer.Tracer, Tracer.nativeTracer)
        yield* span
        assert.lengthOf(seen.requests, 0)
        yield* close
        assert.lengthOf(seen.requests, 1)
        assert.deepStrictEqual(seen.log, [])
      })))

  it.effect("is one warning while its collector is away, without what is secret of the address, and one more when it is away again", () => {
    let answer = () => Promise.reject<Response>(new Error("ECONNREFUSED"))
    return exporting(() => answer(), (seen) =>
      Effect.gen(function*() {
        const warnings = () => seen.log.filter((line) => line.includes("cannot be exported"))
        for (let minute = 0; minute < 3; minute++) {
          yield* span
          yield* later(70)
        }
        assert.deepStrictEqual(warnings(), [
          "traces cannot be exported to http://collector:4318: it cannot be reached; it is tried again from time to time"
        ])
        assert.isAbove(seen.requests.length, 2)
        answer = fine
        yield* span
        yield* later(70)
        yield* span
        yield* later(10)
        answer = () => Promise.resolve(new Response("", { status: 503 }))
        yield* span
        yield* later(10)
        assert.lengthOf(warnings(), 2)
        assert.include(warnings()[1] ?? "", "HTTP 503")
        assert.notInclude(seen.log.join("\n"), "a-secret")
      }))
  })

  it.effect("does not hold up the end of the program when its collector never answers", () =>
    exporting(() => new Promise(() => {}), (seen, close) =>
      Effect.gen(function*() {
        yield* span
        const closing = yield* Effect.forkChild(close)
        yield* later(2)
        assert.isDefined(closing.pollUnsafe())
        assert.lengthOf(seen.requests, 1)
      })))
})
