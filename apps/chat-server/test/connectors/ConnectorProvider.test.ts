import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as ConnectorProvider from "../../src/connectors/ConnectorProvider.ts"
import * as Connectors from "../../src/connectors/Connectors.ts"
import * as ConnectorStore from "../../src/connectors/ConnectorStore.ts"
import * as Standing from "../support/Standing.ts"

const token = Redacted.make("a-token-of-some-length")
const DOCUMENT = "https://connector.example/client.json"

describe("ConnectorProvider", () => {
  it.effect("knows a client by its metadata document, which is fetched by the way to public addresses", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const store = yield* ConnectorStore.make("/s/connectors.json", token)
      const provider = yield* ConnectorProvider.make({
        origin: "https://chat.example",
        token,
        store,
        isResource: () => Effect.succeed(true),
        fetch: (url) => {
          asked.push(String(url))
          return Promise.resolve(Response.json({
            client_id: DOCUMENT,
            client_name: "A connector",
            redirect_uris: ["https://connector.example/back"],
            token_endpoint_auth_method: "none"
          }))
        }
      })
      const client = yield* Effect.promise(() => provider.Client.find(DOCUMENT))
      assert.deepStrictEqual([client?.clientName, client?.redirectUris], [
        "A connector",
        ["https://connector.example/back"]
      ])
      assert.deepStrictEqual(asked, [DOCUMENT])
    }).pipe(Effect.provide(Layer.merge(Standing.files(new Map()), Path.layer))))

  it.effect("reads ten documents a minute for a peer, so that nobody has it ask for addresses in floods", () =>
    Effect.gen(function*() {
      let asked = 0
      const provider = yield* ConnectorProvider.make({
        origin: "https://chat.example",
        token,
        store: yield* ConnectorStore.make("/s/connectors.json", token),
        isResource: () => Effect.succeed(true),
        fetch: () => {
          asked++
          return Promise.resolve(new Response(null, { status: 404 }))
        }
      })
      const find = (id: number) => provider.Client.find(`${DOCUMENT}?${id}`).catch((error: unknown) => String(error))
      for (let id = 0; id < 50; id++) yield* Effect.promise(() => find(id))
      assert.strictEqual(asked, 10)
      yield* TestClock.adjust("61 seconds")
      yield* Effect.promise(() => find(50))
      assert.strictEqual(asked, 11)
    }).pipe(Effect.provide(Layer.merge(Standing.files(new Map()), Path.layer))))

  it("takes the addresses of its own profiles alone for resources", () => {
    const of = (resource: string) => Connectors.profileOf("https://chat.example", resource)
    assert.deepStrictEqual(
      ["https://chat.example/mcp", "https://chat.example/mcp/a%20b", "HTTPS://CHAT.example/mcp"].map(of),
      ["default", "a b", "default"]
    )
    for (
      const other of [
        "https://chat.example",
        "https://chat.example/mcp/",
        "https://chat.example/mcp/a/b",
        "https://chat.example/mcp?x",
        "https://chat.example/mcp#x",
        "https://chat.example:8443/mcp",
        "http://chat.example/mcp",
        "https://chat.example/mcp/%zz",
        "mcp"
      ]
    ) assert.isNull(of(other), other)
  })
})
