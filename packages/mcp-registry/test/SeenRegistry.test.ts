import type { McpError } from "@boocode/mcp-client"
import type { Audience } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { McpRegistry } from "../src/McpRegistry.ts"
import * as SeenRegistry from "../src/SeenRegistry.ts"

const says = (text: string) => () => Effect.succeed(text)

const servers = McpRegistry.layerTest({
  files: { tools: { read: says("files"), write: says("w") }, resources: { "f://a": "a" } },
  secret: {
    for: ["admins", "group:dev"],
    tools: { read: says("secret") },
    definitions: { read: { description: "Reads." } },
    resources: { "s://a": "s" }
  }
})

const bob: Audience.Viewer = { name: "Bob", role: "member", groups: [] }

/** The registry as Bob sees it, and a way to change his groups. */
const seen = Effect.gen(function*() {
  const all = yield* McpRegistry
  yield* all.settled
  let viewer = bob
  const join = (group: string) => void (viewer = { ...bob, groups: [group] })
  return { all, registry: SeenRegistry.make(all, Effect.sync(() => viewer)), join }
})

describe("SeenRegistry", () => {
  it.effect("lists nothing of a server that is for others", () =>
    Effect.gen(function*() {
      const { all, registry } = yield* seen
      assert.include((yield* all.tools).map(({ name }) => name), "secret_read")
      const lists = [
        yield* registry.servers,
        yield* registry.tools,
        yield* registry.writers,
        yield* registry.rejected,
        yield* registry.view(["*"]),
        yield* registry.prompts(),
        yield* registry.resources(),
        yield* registry.settled
      ]
      assert.notInclude(JSON.stringify(lists), "secret")
      assert.include(JSON.stringify(lists), "files_read")
    }).pipe(Effect.provide(servers)))

  it.effect("tells those who manage servers for whom one is, and nobody else who sees it", () =>
    Effect.gen(function*() {
      const { all, join, registry } = yield* seen
      join("dev")
      const status = yield* all.server("secret")
      assert.deepStrictEqual(status.for, ["admins", "group:dev"])
      assert.isUndefined((yield* all.server("files")).for)
      const managed = SeenRegistry.make(all, Effect.succeed(null))
      assert.deepStrictEqual((yield* managed.server("secret")).for, ["admins", "group:dev"])
      assert.deepStrictEqual((yield* registry.servers).map(({ name }) => name), ["files", "secret"])
      assert.notInclude(JSON.stringify([yield* registry.servers, yield* registry.server("secret")]), "group:dev")
    }).pipe(Effect.provide(servers)))

  it.effect("answers about it as about one that is not there, and names none of it as near", () =>
    Effect.gen(function*() {
      const { all, registry } = yield* seen
      const tool = yield* all.tool("secret_read")
      const attempts: ReadonlyArray<Effect.Effect<unknown, McpError>> = [
        registry.server("secret"),
        registry.tool("secret_read"),
        registry.tool("secret_raed"),
        registry.call("secret_read", {}),
        registry.callTool(tool, {}),
        registry.prompts("secret"),
        registry.prompt("secret", "p", {}),
        registry.resources("secret"),
        registry.readResource("secret", "s://a"),
        registry.complete("secret", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
        Effect.scoped(registry.own("secret")),
        registry.log("secret"),
        registry.restart("secret"),
        registry.settledServer("secret"),
        registry.trustDetails("secret"),
        Stream.runCollect(registry.watchResource("secret", "s://a"))
      ]
      const failures = yield* Effect.forEach(attempts, (attempt) => Effect.flip(attempt))
      for (const { message, reason, server } of failures) {
        assert.include(["UnknownServer", "UnknownTool"], reason._tag)
        assert.isNull(server)
        assert.deepStrictEqual(
          "nearest" in reason ? reason.nearest.filter((name) => name.startsWith("secret")) : [],
          []
        )
        assert.strictEqual(message.replaceAll("secret", "sekret"), message.replace(/secret/, "sekret"))
      }
      const warnings = (yield* registry.view(["secret_read", "files_raed"])).warnings
      assert.deepStrictEqual(warnings, [
        "no tool is called secret_read",
        "no tool is called files_raed; did you mean files_read?"
      ])
    }).pipe(Effect.provide(servers)))

  it.effect("shows it as soon as the person is in a group that it is for", () =>
    Effect.gen(function*() {
      const { all, join, registry } = yield* seen
      assert.isFalse((yield* registry.tools).some(({ server }) => server === "secret"))
      join("dev")
      assert.strictEqual(yield* registry.tools, yield* all.tools)
      const { content } = yield* registry.call("secret_read", {})
      assert.deepStrictEqual(content, [{ type: "text", text: "secret" }])
    }).pipe(Effect.provide(servers)))

  it.effect("gives the very same list as long as nothing changes", () =>
    Effect.gen(function*() {
      const { registry } = yield* seen
      assert.strictEqual(yield* registry.tools, yield* registry.tools)
      assert.strictEqual((yield* registry.view(["files_*"])).tools, (yield* registry.view(["files_*"])).tools)
    }).pipe(Effect.provide(servers)))

  it.effect("tells of no change of it", () =>
    Effect.gen(function*() {
      const { all, registry } = yield* seen
      const told: Array<string> = []
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(registry.events, ({ name }) => Effect.sync(() => void told.push(name))),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      yield* all.stop("secret")
      yield* all.stop("files")
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.include(told, "files")
      assert.notInclude(told, "secret")
    }).pipe(Effect.provide(servers)))
})
