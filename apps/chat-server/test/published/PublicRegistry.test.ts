import { Environment } from "@boocode/mcp-config"
import { McpFetch } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as TestClock from "effect/testing/TestClock"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { PublicRegistry } from "../../src/published/PublicRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as Standing from "../support/Standing.ts"

const NAME = "io.github.acme/plain"

const server = (version: string, more: object = {}) => ({ server: { name: NAME, description: "x", version, ...more } })

/** A registry behind these answers, in their order; `asked` has the addresses. */
const stage = (
  answers: ReadonlyArray<() => Promise<Response>>,
  registry = "https://registry.example/",
  memory = new MemoryFiles({ "/d/mcp.json": "{}" })
) => {
  const asked: Array<string> = []
  const rest = [...answers]
  const fetch = (input: Parameters<typeof globalThis.fetch>[0]) => {
    asked.push(String(input))
    return rest.shift()?.() ?? Promise.reject(new TypeError("fetch failed"))
  }
  const layer = PublicRegistry.layer().pipe(
    Layer.provide([Standing.folder, Settings.layerValues({ registry }), McpFetch.layer(fetch), Path.layer]),
    Layer.provide([Layer.succeed(FileSystem.FileSystem, memory.view()), Environment.layer({})])
  )
  const use = <A, E>(ask: (registry: PublicRegistry["Service"]) => Effect.Effect<A, E>) =>
    Effect.provide(PublicRegistry.use(ask), layer)
  return { asked, memory, use }
}

const json = (value: unknown, status = 200) => () => Promise.resolve(Response.json(value, { status }))

const latest = (registry: PublicRegistry["Service"]) => registry.server(NAME, null)

const failureOf = <A>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag, message }) => `${_tag}: ${message}`)

describe("The MCP registry", () => {
  it.effect("is asked by the addresses of its API, whatever its own address ends with", () =>
    Effect.gen(function*() {
      for (const address of ["https://registry.example", "https://registry.example/v0.1/servers"]) {
        const { asked, use } = stage([json({ servers: [] }), json(server("1.0.0"))], address)
        yield* use((registry) =>
          Effect.andThen(registry.search({ search: "a b", cursor: "c" }), registry.server(NAME, "1.0.0"))
        )
        assert.deepStrictEqual(asked, [
          "https://registry.example/v0.1/servers?version=latest&limit=30&search=a+b&cursor=c",
          "https://registry.example/v0.1/servers/io.github.acme%2Fplain/versions/1.0.0"
        ])
      }
    }))

  it.effect("gives what it answered last when it cannot be reached, with the time, and nothing it never answered", () =>
    Effect.gen(function*() {
      const first = stage([json(server("1.0.0"))])
      assert.deepInclude(yield* first.use(latest), { keptAt: null })
      const known = stage([], "https://registry.example/", first.memory)
      const versionOf = (name: string) =>
        Effect.map(known.use((registry) => registry.known(name)), (found) => found?.version ?? null)
      assert.deepStrictEqual([yield* versionOf(NAME), yield* versionOf("io.github.acme/other")], ["1.0.0", null])
      assert.deepStrictEqual(known.asked, [], "what is known is told without asking")
      const later = stage([json({}, 503)], "https://registry.example/", first.memory)
      const { answer, keptAt } = yield* later.use(latest)
      assert.deepStrictEqual([answer.version, keptAt], ["1.0.0", "1970-01-01T00:00:00.000Z"])
      assert.strictEqual(
        yield* failureOf(later.use((registry) => registry.server(NAME, "2.0.0"))),
        "RegistryUnreachable: the registry at https://registry.example: it cannot be reached"
      )
      const gone = stage([json({}, 404)], "https://registry.example/", first.memory)
      assert.match(yield* failureOf(gone.use(latest)), /^UnknownPublished: .* has no io\.github\.acme\/plain$/)
    }))

  it.effect("keeps 200 answers at most", () =>
    Effect.gen(function*() {
      const kept = Object.fromEntries(Array.from({ length: 210 }, (_, at) => [`/d/.registry/${at}.json`, "{}"]))
      const { memory, use } = stage([json({ servers: [] })], "https://registry.example", new MemoryFiles(kept))
      yield* use((registry) => registry.search({ search: "", cursor: null }))
      assert.strictEqual(memory.names("/d/.registry").length, 200)
    }))

  it.effect("gets 20 seconds and 8 MB, and what is no answer of a registry is said to be none", () =>
    Effect.gen(function*() {
      const silent = stage([() => new Promise<Response>(() => {})])
      const waiting = yield* Effect.forkChild(failureOf(silent.use(latest)))
      yield* TestClock.adjust("21 seconds")
      assert.match(yield* Fiber.join(waiting), /did not answer within 20 seconds/)
      const chunk = new Uint8Array(1_000_000).fill(32)
      const endless = () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
      const long = stage([() => Promise.resolve(endless())])
      assert.match(yield* failureOf(long.use(latest)), /longer than 8000000 bytes/)
      const page = stage([() => Promise.resolve(new Response("<html>"))])
      assert.match(yield* failureOf(page.use(latest)), /its answer is no JSON/)
      const other = stage([json({ hello: "world" })])
      assert.match(yield* failureOf(other.use(latest)), /cannot be read: .*server/)
    }))

  it.effect("is not believed when it answers with another server, another version or no exact one", () =>
    Effect.gen(function*() {
      const wrong = (answer: object) => failureOf(stage([json(answer)]).use((one) => one.server(NAME, "1.0.0")))
      assert.match(yield* wrong(server("2.0.0")), /answers with another server or version/)
      assert.match(yield* wrong(server("1.0.0", { name: "io.github.evil/plain" })), /answers with another server/)
      assert.match(yield* wrong(server("^1.0.0")), /cannot be read: .*version/)
      for (const version of ["latest", "^1.0.0", "1.x", "1.0.0 || 2", "../../x"]) {
        const { asked, use } = stage([])
        assert.match(yield* failureOf(use((one) => one.server(NAME, version))), /is no exact version/)
        assert.deepStrictEqual(asked, [])
      }
      assert.match(yield* failureOf(stage([]).use((one) => one.server("../../etc", null))), /is no name of a published/)
    }))

  it.effect("in a folder has a release before its early versions, and the highest number first", () =>
    Effect.gen(function*() {
      const orders = [
        ["2.0.0-beta.1", "1.10.0", "1.10.0-rc.2", "1.10.0-beta.11", "1.10.0-beta.2", "1.9.0"],
        ["1.0.0.post1", "1.0.0", "1.0.0rc1", "1.0.0b2"]
      ]
      for (const order of orders) {
        const servers = order.toSorted().map((version) => server(version))
        const files = new MemoryFiles({ "/d/mcp.json": "{}", "/reg/all.json": JSON.stringify({ servers }) })
        const { use } = stage([], "file:/reg", files)
        const { answer } = yield* use((registry) => registry.versions(NAME))
        assert.deepStrictEqual(answer.map(({ version }) => version), order)
      }
    }))

  it.effect("loses no server of a page for one that cannot be read", () =>
    Effect.gen(function*() {
      const servers = [server("1.0.0"), { server: { name: "no name" } }, server("1.0.0", { packages: "many" })]
      const { answer } = yield* stage([json({ servers, metadata: { nextCursor: "n" } })]).use((registry) =>
        registry.search({ search: "", cursor: null })
      )
      assert.deepStrictEqual([answer.servers.length, answer.nextCursor, answer.problems.length], [1, "n", 2])
      assert.match(answer.problems[0] ?? "", /^server 2 \(no name\): /)
    }))
})
