/** Prompts and resources of published servers, over standard input and output and over HTTP. */
import type { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { everythingOverHttp, withServers } from "./support/PublishedServers.ts"

/** What `server-everything` says of itself is asked for in every way there is. */
const everything = Effect.fnUntraced(function*(registry: McpRegistry["Service"]) {
  const { failed, prompts, waiting } = yield* registry.prompts()
  assert.deepStrictEqual([failed, waiting], [[], []])
  const own = prompts.filter(({ server }) => server === "everything").map(({ name }) => name)
  assert.includeMembers(own, ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"])
  const simple = yield* registry.prompt("everything", "simple-prompt", {})
  assert.strictEqual(simple.messages[0]?.role, "user")
  assert.match(String(simple.messages[0]?.content["text"]), /simple prompt/)
  const weather = yield* registry.prompt("everything", "args-prompt", { city: "Graz", state: "Styria" })
  assert.match(JSON.stringify(weather.messages), /Graz, Styria/)
  const missing = yield* Effect.flip(registry.prompt("everything", "args-prompt", {}))
  assert.strictEqual(missing.reason._tag, "InvalidArguments")
  const completed = yield* registry.complete("everything", {
    ref: { type: "ref/prompt", name: "completable-prompt" },
    argument: { name: "department", value: "E" }
  })
  assert.deepStrictEqual(completed.values, ["Engineering"])

  const { resources, templates } = yield* registry.resources("everything")
  assert.isAbove(resources.length, 3)
  assert.isAbove(templates.length, 1)
  const [first] = resources
  const [document] = yield* registry.readResource("everything", first?.uri ?? "")
  assert.isAbove(document?.text?.length ?? 0, 10)
  const blob = templates.find(({ uriTemplate }) => uriTemplate.includes("blob"))
  const [bytes] = yield* registry.readResource("everything", blob?.uriTemplate.replace(/\{.*\}/, "1") ?? "")
  assert.isNull(bytes?.text ?? null)
  assert.isAbove(bytes?.blob?.length ?? 0, 10)
  const embedded = yield* registry.prompt("everything", "resource-prompt", { resourceType: "Text", resourceId: "1" })
  assert.isTrue(embedded.messages.some(({ content }) => content["type"] === "resource"))
  const unknown = yield* Effect.flip(registry.readResource("everything", "demo://nothing"))
  assert.include(["UnknownResource", "RequestFailed"], unknown.reason._tag)
})

describe("Prompts and resources of published servers", Deadline.TEST, () => {
  it.live(
    "server-everything over stdio, beside server-memory, which has no prompts",
    () =>
      withServers(
        { everything: { command: "mcp-server-everything" }, memory: { command: "mcp-server-memory" } },
        (registry) =>
          Effect.gen(function*() {
            yield* everything(registry)
            assert.deepStrictEqual((yield* registry.prompts("memory")).prompts, [])
            const { hint, reason } = yield* Effect.flip(registry.prompt("memory", "simple-prompt", {}))
            assert.strictEqual(reason._tag, "UnknownPrompt", hint)
          })
      )
  )

  it.live(
    "server-everything over streamable HTTP",
    () => Effect.flatMap(everythingOverHttp, (url) => withServers({ everything: { url } }, everything))
  )

  it.live(
    "a server that speaks 2026-07-28: prompts, completions, resources and templates",
    () =>
      withServers({ it: FixtureServer.entry("ModernOffers") }, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.server("it")).protocolVersion, "2026-07-28")
          const { prompts } = yield* registry.prompts()
          assert.deepStrictEqual(prompts.map(({ name, title }) => [name, title]), [["review", "Review"]])
          const filled = yield* registry.prompt("it", "review", { path: "a.md" })
          assert.strictEqual(filled.messages[0]?.content["text"], "Review a.md.")
          const completed = yield* registry.complete("it", {
            ref: { type: "ref/prompt", name: "review" },
            argument: { name: "path", value: "b" }
          })
          assert.deepStrictEqual(completed.values, ["b.md"])
          const { resources, templates } = yield* registry.resources()
          assert.deepStrictEqual(resources.map(({ uri }) => uri), ["memo://notes"])
          assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["memo://{day}/plan"])
          assert.strictEqual((yield* registry.readResource("it", "memo://notes"))[0]?.text, "Buy milk.")
          assert.strictEqual((yield* registry.readResource("it", "memo://may/plan"))[0]?.text, "The plan of may.")
          const { reason } = yield* Effect.flip(registry.readResource("it", "memo://no"))
          assert.strictEqual(reason._tag, "UnknownResource")
        }))
  )
})
