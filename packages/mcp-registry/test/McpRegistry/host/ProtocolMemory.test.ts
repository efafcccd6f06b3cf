import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { config, http, stdio } from "../../../../mcp-client/test/support/ServerConfigs.ts"
import { McpRegistry, ProtocolMemory } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const FILE = "/state/protocols.json"
const LEGACY = { era: "legacy", reason: "it said so", discover: null } as const

/** A disk with one file on it. */
const disk = () => {
  const files = new Map<string, string>()
  const notThere = PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "read" })
  const layer = FileSystem.layerNoop({
    exists: () => Effect.succeed(true),
    makeDirectory: () => Effect.void,
    readFileString: (file) =>
      Effect.suspend(() => {
        const text = files.get(file)
        return text === undefined ? Effect.fail(notThere) : Effect.succeed(text)
      }),
    writeFileString: (file, text) => Effect.sync(() => void files.set(file, text)),
    rename: (from, to) =>
      Effect.sync(() => {
        files.set(to, files.get(from) ?? "")
        files.delete(from)
      })
  })
  const memory = ProtocolMemory.layerFile(FILE).pipe(Layer.provide(Layer.merge(layer, Path.layer)))
  return { files, memory }
}

describe("ProtocolMemory", () => {
  it.effect("remembers a verdict with its date and reason, for a week, and holds no secret (R75, R91)", () => {
    const { files, memory } = disk()
    const server = config({ transport: http("https://x/mcp?key=canary-4711") })
    return Effect.gen(function*() {
      const { recall, remember } = yield* ProtocolMemory
      assert.isNull(yield* recall(server))
      yield* remember(server, LEGACY)
      assert.strictEqual((yield* recall(server))?.reason, "it said so")
      assert.match(files.get(FILE) ?? "", /1970-01-01/)
      assert.notInclude(files.get(FILE) ?? "", "canary")
      yield* TestClock.adjust("6 days")
      assert.isNotNull(yield* recall(server))
      yield* TestClock.adjust("1 day")
      assert.isNull(yield* recall(server))
    }).pipe(Effect.provide(memory))
  })

  it.effect("does without what is nested too deep to be written", () => {
    const { files, memory } = disk()
    let discover: Schema.JsonObject = {}
    for (let level = 0; level < 100_000; level++) discover = { discover }
    return Effect.gen(function*() {
      const { recall, remember } = yield* ProtocolMemory
      yield* remember(config(), { era: "modern", reason: "it said so", discover })
      assert.isNull(yield* recall(config()))
      assert.strictEqual(files.size, 0)
    }).pipe(Effect.provide(memory))
  })

  it.effect("takes a server with another command for another server, and forgets one alone", () => {
    const { memory } = disk()
    const one = config({ transport: stdio({}, ["one"]) })
    const two = config({ transport: stdio({}, ["two"]) })
    return Effect.gen(function*() {
      const { forget, recall, remember } = yield* ProtocolMemory
      yield* remember(one, LEGACY)
      assert.isNull(yield* recall(two))
      yield* remember(two, LEGACY)
      yield* forget(one)
      assert.isNull(yield* recall(one))
      assert.isNotNull(yield* recall(two))
    }).pipe(Effect.provide(memory))
  })

  it.effect("counts a file that cannot be read as empty, and writes it anew", () => {
    const { files, memory } = disk()
    files.set(FILE, "{ broken")
    return Effect.gen(function*() {
      const { recall, remember } = yield* ProtocolMemory
      assert.isNull(yield* recall(config()))
      yield* remember(config(), LEGACY)
      assert.isNotNull(yield* recall(config()))
    }).pipe(Effect.provide(memory))
  })

  it.effect("saves the question at the second start, and asks again when the verdict does not fit any more (R91)", () => {
    const { memory } = disk()
    let isModern = false
    const methods = (server: ScriptedHost.Running | undefined) => server?.received.map(({ method }) => method)
    return Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        server: {
          answer: ({ id, method }) => {
            if (!isModern || id === undefined) return undefined
            if (method === "initialize") return { jsonrpc: "2.0", id, error: { code: -32022, message: "too old" } }
            const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
            return { jsonrpc: "2.0", id, result: method === "server/discover" ? result : { ...result, tools: [] } }
          }
        }
      })
      const run = McpRegistry.use(({ settled }) => settled).pipe(
        Effect.andThen(McpRegistry.use(({ server }) => server("s"))),
        Effect.provide(host.layer({ s: { command: "server" } }))
      )
      yield* run
      yield* run
      assert.strictEqual(methods(host.running[0])?.[0], "server/discover")
      assert.strictEqual(methods(host.running[1])?.[0], "initialize")
      isModern = true
      assert.strictEqual((yield* run).protocolVersion, "2026-07-28")
      assert.deepStrictEqual(methods(host.running[2])?.slice(0, 2), ["initialize", "server/discover"])
      assert.strictEqual((yield* run).protocolVersion, "2026-07-28")
      assert.deepStrictEqual(methods(host.running[3]), ["tools/list"])
    }).pipe(Effect.provide(memory))
  })
})
