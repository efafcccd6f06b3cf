/** The registry against published servers, each as its authors ship it, and against fixtures of both eras. */
import type { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { everythingOverHttp, MARK, withServers } from "./support/PublishedServers.ts"

/** Runs with a registry of this one server. */
const withServer = <A, E>(
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E>
) => withServers({ it: entry }, body)

const ready = (registry: McpRegistry["Service"]) =>
  Effect.tap(
    registry.server("it"),
    ({ error, state }) => Effect.sync(() => assert.strictEqual(state, "ready", error?.message))
  )

describe("Interop", Deadline.TEST, () => {
  it.live("server-filesystem: reads through a tool, rejects its writers", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(`${tmpdir()}/boocode-interop-`)
      yield* withServer({ command: "mcp-server-filesystem", args: [folder] }, (registry) =>
        Effect.gen(function*() {
          const status = yield* ready(registry)
          assert.strictEqual(status.tools, 10)
          assert.strictEqual(status.rejected.length, 4)
          const { content } = yield* registry.call("it_list_allowed_directories", null)
          assert.include(JSON.stringify(content), folder)
        }))
    }))

  it.live("server-memory: three readers, six writers rejected", () =>
    withServer({ command: "mcp-server-memory" }, (registry) =>
      Effect.gen(function*() {
        const status = yield* ready(registry)
        assert.deepStrictEqual([status.tools, status.rejected.length], [3, 6])
        assert.isFalse((yield* registry.call("it_read_graph", {})).isError)
      })))

  it.live("context7: speaks 2026-07-28 over stdio, on one process (R91)", () =>
    withServer({ command: "context7-mcp" }, (registry) =>
      Effect.gen(function*() {
        const status = yield* ready(registry)
        assert.strictEqual(status.protocolVersion, "2026-07-28")
        assert.deepStrictEqual((yield* registry.tools).map(({ tool }) => tool).sort(), [
          "query-docs",
          "resolve-library-id"
        ])
      })))

  it.live("server-everything over stdio: text, images, structured content, progress, and a cancelled call (R25, R29)", () =>
    withServer({ command: "mcp-server-everything" }, (registry) =>
      Effect.gen(function*() {
        yield* ready(registry)
        assert.include(JSON.stringify((yield* registry.call("it_echo", { message: "boo" })).content), "boo")
        assert.include(JSON.stringify((yield* registry.call("it_get-sum", { a: 2, b: 3 })).content), "5")
        const image = yield* registry.call("it_get-tiny-image", {})
        assert.isTrue(image.content.some(({ type }) => type === "image"))
        const structured = yield* registry.call("it_get-structured-content", { location: "Chicago" })
        assert.isNotNull(structured.structuredContent)
        const progress: Array<number> = []
        yield* registry.call("it_trigger-long-running-operation", { duration: 1, steps: 4 }, {
          onProgress: (told) => Effect.sync(() => void progress.push(told.progress))
        })
        assert.deepStrictEqual(progress, [1, 2, 3, 4])
        const long = yield* Effect.forkChild(registry.call("it_trigger-long-running-operation", { duration: 30 }))
        yield* Effect.sleep("200 millis")
        const asked = Date.now()
        yield* Fiber.interrupt(long)
        assert.isBelow(Date.now() - asked, Deadline.late(200))
        assert.isFalse((yield* registry.call("it_echo", { message: "still there" })).isError)
      })))

  it.live("server-everything over streamable HTTP: connects, lists, calls", () =>
    Effect.gen(function*() {
      const url = yield* everythingOverHttp
      yield* withServer({ url }, (registry) =>
        Effect.gen(function*() {
          const status = yield* ready(registry)
          assert.strictEqual(status.transport, "streamableHttp")
          assert.isAbove(status.tools, 5)
          assert.include(JSON.stringify((yield* registry.call("it_echo", { message: "boo" })).content), "boo")
        }))
    }))

  it.live("a server of SDK 2 that speaks 2026-07-28", () =>
    withServer(FixtureServer.entry("Modern"), (registry) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* ready(registry)).protocolVersion, "2026-07-28")
        const [tool] = yield* registry.tools
        assert.isFalse((yield* registry.call(tool?.name ?? "", { text: "boo", a: 1, b: 2 })).isError)
      })))

  it.live("a server that talks nonsense between its messages (R39)", () =>
    withServer(FixtureServer.entry("NonJson"), (registry) =>
      Effect.gen(function*() {
        const status = yield* ready(registry)
        assert.match(status.warnings.join(), /skipped \d+ lines/)
      })))

  it.live("a server that crashes in the middle of a call: exit code and last words, outcome unknown (R6, R23, R40)", () =>
    withServer(FixtureServer.entry("Echo"), (registry) =>
      Effect.gen(function*() {
        yield* ready(registry)
        const asked = Date.now()
        const error = yield* Effect.flip(registry.call("it_crash", {}))
        assert.strictEqual(error.reason._tag, "OutcomeUnknown")
        assert.isBelow(Date.now() - asked, Deadline.late(1000))
        const status = yield* registry.server("it")
        assert.strictEqual(status.state, "failed")
        assert.strictEqual(status.error?.exitCode, 3)
        assert.isNotNull(status.error?.stderr)
      })))

  it.live("a server sees the safe list and what its entry declares, nothing else of the host (R74)", () =>
    Effect.gen(function*() {
      yield* Effect.acquireRelease(
        Effect.sync(() => process.env["BOOCODE_TEST_SECRET"] = "canary"),
        () => Effect.sync(() => delete process.env["BOOCODE_TEST_SECRET"])
      )
      yield* withServer(FixtureServer.entry("Echo"), (registry) =>
        Effect.gen(function*() {
          yield* ready(registry)
          const seen = JSON.stringify((yield* registry.call("it_env", {})).content)
          assert.include(seen, MARK)
          assert.include(seen, "PATH")
          assert.notInclude(seen, "BOOCODE_TEST_SECRET")
        }))
    }))
})
