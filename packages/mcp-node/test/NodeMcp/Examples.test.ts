/** The examples of the README of mcp-registry, over scripted servers. */
import { McpRegistry, nobody, ServerRequests } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as News from "../../examples/News.ts"
import * as Questions from "../../examples/Questions.ts"
import * as Testing from "../../examples/Testing.ts"

const settled = <A, E>(program: Effect.Effect<A, E, McpRegistry>) =>
  Effect.andThen(McpRegistry.use((registry) => registry.settled), program)

const notes = McpRegistry.layerTest({ notes: { resources: { "memo://today": "Buy milk." } } })

/** Books for the person that the form names. */
const hotel = McpRegistry.layerTest({
  hotel: {
    tools: {
      book: ({ nights }, request) =>
        Effect.map(
          request("elicitation/create", {
            message: "For whom?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
          }),
          ({ action, content }) => `${action}: ${String(nights)} nights, ${JSON.stringify(content)}`
        )
    }
  }
}).pipe(
  Layer.provide(Layer.succeed(ServerRequests, {
    elicitation: ["form"],
    sampling: false,
    asker: nobody,
    roots: { current: Effect.succeed([]), changes: Stream.empty }
  }))
)

describe("An example of the README", () => {
  it.effect("is tested by a registry over scripted servers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* Testing.listed).content, [{ type: "text", text: "hello.txt" }])
    }))

  it.effect("reads a resource as soon as it is watched", () =>
    Effect.gen(function*() {
      const first = yield* settled(Stream.runHead(News.today))
      assert.include(JSON.stringify(first), "Buy milk.")
    }).pipe(Effect.provide(notes)))

  it.effect("answers what a server asks during a call", () =>
    Effect.gen(function*() {
      const { content } = yield* settled(Questions.book)
      assert.deepStrictEqual(content, [{ type: "text", text: "accept: 2 nights, {\"name\":\"Ada\"}" }])
    }).pipe(Effect.provide(hotel)))
})
