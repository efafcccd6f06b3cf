import { McpGateway } from "@boocode/mcp-gateway"
import { McpRegistry, nobody } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { call, connect, type Era, ERAS } from "../support/Clients.ts"

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }

const Servers = McpRegistry.layerTest({
  desk: {
    tools: {
      greet: (_, request) =>
        Effect.map(
          request("elicitation/create", { message: "Who are you?", requestedSchema: form }),
          (answer) => JSON.stringify(answer)
        ),
      think: (_, request) =>
        Effect.map(
          request("sampling/createMessage", {
            messages: [{ role: "user", content: { type: "text", text: "1 + 1" } }],
            maxTokens: 10
          }),
          (answer) => JSON.stringify(answer)
        )
    },
    definitions: {
      greet: { annotations: { readOnlyHint: true } },
      think: { annotations: { readOnlyHint: true } }
    }
  }
}).pipe(Layer.provide(McpGateway.questions))

const answering = (name: string) => (client: Client) => {
  client.setRequestHandler("elicitation/create", () => ({ action: "accept" as const, content: { name } }))
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant" as const,
    model: name,
    content: { type: "text" as const, text: "2" }
  }))
}

const asked = { options: { capabilities: { elicitation: { form: {} }, sampling: {} } } }

for (const era of ERAS) {
  describe(`A question of a server about a call of the ${era} era`, () => {
    it.effect("is answered by the client that calls", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era, { ...asked, prepare: answering("Ada") })
        const { text } = yield* call(client, "desk_greet")
        assert.deepStrictEqual(JSON.parse(text), { action: "accept", content: { name: "Ada" } })
      }).pipe(Effect.provide(Servers)))

    it.effect("may be one for its model", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era, { ...asked, prepare: answering("Ada") })
        const { text } = yield* call(client, "desk_think")
        assert.deepInclude(JSON.parse(text), { model: "Ada", content: { type: "text", text: "2" } })
      }).pipe(Effect.provide(Servers)))

    it.effect("is declined where the client cannot be asked and nobody answers for it", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        const { text } = yield* call(client, "desk_greet")
        assert.deepStrictEqual(JSON.parse(text), { action: "decline" })
      }).pipe(Effect.provide(Servers)))

    it.effect("is answered elsewhere where the client cannot be asked", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({
          substitute: ({ program }) => ({
            ...nobody,
            elicit: () => Effect.succeed({ action: "accept", content: { name: `for ${program.name}` } })
          })
        })
        const client = yield* connect(gateway, era)
        const { text } = yield* call(client, "desk_greet")
        assert.deepStrictEqual(JSON.parse(text), { action: "accept", content: { name: "for test" } })
      }).pipe(Effect.provide(Servers)))
  })
}

describe("Questions about calls of ten clients", () => {
  const TEN: ReadonlyArray<{ readonly era: Era; readonly name: string }> = Array.from({ length: 10 }, (_, index) => ({
    era: index % 2 === 0 ? "legacy" : "modern",
    name: `client-${index}`
  }))
  /** Who calls, in which order, and for how many turns each waits before it does. */
  const Calls = Schema.Array(Schema.Struct({
    caller: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
    turns: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
  })).check(Schema.isMaxLength(25))
  const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

  it.effect.prop(
    "reach the client that called, and no other, however the calls overlap",
    [Calls],
    ([calls]) =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const clients = yield* Effect.forEach(TEN, ({ era, name }) =>
          Effect.map(
            connect(gateway, era, { ...asked, name, caller: { id: name }, prepare: answering(name) }),
            (client) => ({ client, name })
          ))
        const overlaps = new Set(calls.map(({ caller }) => caller)).size > 1
        yield* Effect.forEach(calls, ({ caller, turns }) =>
          Effect.gen(function*() {
            for (let passed = 0; passed < turns; passed++) yield* turn
            const { client, name } = clients[caller] ?? assert.fail("one of ten")
            const { text } = yield* call(client, "desk_greet")
            const own = JSON.stringify({ action: "accept", content: { name } })
            // A server that does not say which call it asks about is answered by nobody rather than by the wrong client.
            assert.oneOf(text, overlaps ? [own, JSON.stringify({ action: "cancel" })] : [own])
          }), { concurrency: "unbounded", discard: true })
      }).pipe(Effect.scoped, Effect.provide(Servers), Effect.as(true)),
    { arbitrary: { runs: 6 } }
  )
})
