import { McpGateway, Profile } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, connect, ERAS } from "../support/Clients.ts"

const long = Array.from({ length: 3000 }, (_, index) => `line ${index} ä`).join("\n")

const Books = McpRegistry.layerTest({
  books: { tools: { read: () => Effect.succeed(long), short: () => Effect.succeed("short") } }
})

const profile = { ...Profile.standard, maxResultBytes: 4000 }

for (const era of ERAS) {
  describe(`A result of the ${era} era that is too large`, () => {
    it.effect("is cut, and the rest is read in pieces that make up the whole", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ profile })
        const client = yield* connect(gateway, era)
        const { text } = yield* call(client, "books_read")
        assert.isBelow(new TextEncoder().encode(text).length, 4000)
        const { id, offset } = JSON.parse(/with (\{.*?\})/.exec(text)?.[1] ?? "{}")
        let whole = text.slice(0, offset)
        let next: number | null = offset
        while (next !== null) {
          const { text: part } = yield* call(client, "read_result", { id, offset: next })
          const [body = "", more] = part.split(/\n\n\[characters .*"offset":(\d+)\]$/)
          whole += body
          next = more === undefined ? null : Number(more)
        }
        assert.strictEqual(whole, long)
      }).pipe(Effect.provide(Books)))

    it.effect("is a resource of its client alone", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ profile })
        const client = yield* connect(gateway, era)
        const other = yield* connect(gateway, era, { caller: { id: "other" } })
        const { text } = yield* call(client, "books_read")
        const uri = /boocode:\/\/result\/[\w-]+/.exec(text)?.[0] ?? ""
        const { contents } = yield* Effect.promise(() => client.readResource({ uri }))
        const [content] = contents
        assert.strictEqual(content !== undefined && "text" in content ? content.text : "", long)
        const refused = yield* Effect.promise(() => other.readResource({ uri }).catch((error: unknown) => error))
        assert.match(String(refused), /not found/i)
        const id = uri.slice("boocode://result/".length)
        assert.include((yield* call(other, "read_result", { id })).text, "no result is kept")
      }).pipe(Effect.provide(Books)))
  })
}

describe("A result that is small", () => {
  it.effect("is sent as it is", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make({ profile })
      const client = yield* connect(gateway, "legacy")
      assert.deepStrictEqual(yield* call(client, "books_short"), { isError: false, text: "short" })
    }).pipe(Effect.provide(Books)))
})
