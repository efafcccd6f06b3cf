import { KeptLists, McpGateway, Profile } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect, ERAS, names } from "../support/Clients.ts"

const Memos = McpRegistry.layerTest({
  home: { resources: { "memo://shared": "at home", "memo://home": "only at home" } },
  work: { resources: { "memo://shared": "at work" }, tools: { list: () => Effect.succeed("") } }
})

for (const era of ERAS) {
  describe(`Resources for a client of the ${era} era`, () => {
    it.effect("keep their URIs, unless two servers have the same one", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        const { resources } = yield* Effect.promise(() => client.listResources())
        const uris = resources.map(({ uri }) => uri).sort()
        assert.deepStrictEqual(uris, [
          "boocode://server/home/memo%3A%2F%2Fshared",
          "boocode://server/work/memo%3A%2F%2Fshared",
          "memo://home"
        ])
        const texts = yield* Effect.forEach(uris, (uri) =>
          Effect.map(
            Effect.promise(() => client.readResource({ uri })),
            ({ contents: [content] }) => content !== undefined && "text" in content ? content.text : ""
          ))
        assert.deepStrictEqual(texts, ["at home", "at work", "only at home"])
      }).pipe(Effect.provide(Memos)))

    it.effect("are found where no server lists them, and refused where none has them", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        const failed = yield* Effect.promise(() =>
          client.readResource({ uri: "memo://nowhere" }).catch((error: unknown) => error)
        )
        assert.match(String(failed), /not found/i)
      }).pipe(Effect.provide(Memos)))

    it.effect("of servers that the profile leaves out are not there", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ profile: { ...Profile.standard, tools: ["work_*"] } })
        const client = yield* connect(gateway, era)
        const { resources } = yield* Effect.promise(() => client.listResources())
        assert.deepStrictEqual(resources.map(({ uri }) => uri), ["memo://shared"])
      }).pipe(Effect.provide(Memos)))
  })
}

const Later = McpRegistry.layerTest({ work: {} })

describe("A client that lists once", () => {
  it.effect("is listed the tools that a server had last, while it still connects", () =>
    Effect.gen(function*() {
      const lists = KeptLists.inMemory()
      const settled = Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ lists })
        yield* (yield* McpRegistry).settled
        return yield* names(yield* connect(gateway, "legacy", { name: "codex-mcp-client" }))
      }).pipe(Effect.scoped, Effect.provide(Memos))
      // The registry has only just begun to connect.
      const early = Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ lists })
        const client = yield* connect(gateway, "legacy", { name: "codex-mcp-client" })
        return yield* names(client)
      }).pipe(Effect.scoped, Effect.provide(Later))
      assert.include(yield* settled, "work_list")
      assert.include(yield* early, "work_list")
    }))
})
