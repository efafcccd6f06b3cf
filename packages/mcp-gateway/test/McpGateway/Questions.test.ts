import { McpGateway } from "@boocode/mcp-gateway"
import { type Asker, McpRegistry, nobody, ServerRequests } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
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

/** A shared server whose questions name no call: `stay` runs until `leave` is called, and `greet` asks. */
const desk = Effect.fnUntraced(function*(host: Asker) {
  const stays = yield* Deferred.make<void>()
  const left = yield* Deferred.make<void>()
  const servers = McpRegistry.layerTest({
    desk: {
      tools: {
        stay: () => Effect.as(Effect.andThen(Deferred.succeed(stays, undefined), Deferred.await(left)), "gone"),
        leave: () => Effect.as(Deferred.succeed(left, undefined), "left"),
        greet: (_, request) =>
          Effect.map(
            request("elicitation/create", { message: "Who are you?", requestedSchema: form }),
            (answer) => JSON.stringify(answer)
          )
      },
      definitions: Object.fromEntries(
        ["stay", "leave", "greet"].map((tool) => [tool, { annotations: { readOnlyHint: true } }])
      )
    }
  }).pipe(
    Layer.provide(Layer.effect(
      ServerRequests,
      Effect.map(ServerRequests, (requests) => ({ ...requests, asker: host }))
    )),
    Layer.provide(McpGateway.questions)
  )
  return { servers, stays }
})

const answering = (name: string) => (client: Client) => {
  client.setRequestHandler("elicitation/create", () => ({ action: "accept" as const, content: { name } }))
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant" as const,
    model: name,
    content: { type: "text" as const, text: "2" }
  }))
}

const asks = { options: { capabilities: { elicitation: { form: {} }, sampling: {} } } }

for (const era of ERAS) {
  describe(`A question of a server about a call of the ${era} era`, () => {
    it.effect("is answered by the client that calls", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era, { ...asks, prepare: answering("Ada") })
        const { text } = yield* call(client, "desk_greet")
        assert.deepStrictEqual(JSON.parse(text), { action: "accept", content: { name: "Ada" } })
      }).pipe(Effect.provide(Servers)))

    it.effect("may be one for its model", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era, { ...asks, prepare: answering("Ada") })
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
            connect(gateway, era, { ...asks, name, caller: { id: name }, prepare: answering(name) }),
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

for (const era of ERAS) {
  describe(`A question that names no call, while a client of the ${era} era calls and another waits for its own`, () => {
    /** The text that the second client's `greet` gave, who was asked, and the same once the first client's call is over. */
    const outcome = Effect.fnUntraced(function*(host: (asked: (name: string) => void) => Asker) {
      const asked: Array<string> = []
      const { servers, stays } = yield* desk(host((name) => void asked.push(name)))
      return yield* Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const joined = (name: string, of: Era) =>
          connect(gateway, of, {
            ...asks,
            name,
            caller: { id: name },
            prepare: (client) =>
              client.setRequestHandler("elicitation/create", () => {
                asked.push(name)
                return { action: "accept" as const, content: { name } }
              })
          })
        const first = yield* joined("first", "legacy")
        const second = yield* joined("second", era)
        const staying = yield* Effect.forkChild(call(first, "desk_stay"))
        yield* Deferred.await(stays)
        const { text: during } = yield* call(second, "desk_greet")
        const askedDuring = [...asked]
        yield* call(first, "desk_leave")
        yield* Fiber.join(staying)
        const { text: after } = yield* call(second, "desk_greet")
        return { during: JSON.parse(during), askedDuring, after: JSON.parse(after) }
      }).pipe(Effect.provide(servers))
    })
    const after = { action: "accept", content: { name: "second" } }

    it.effect("goes to the host, and to none of the clients", () =>
      Effect.gen(function*() {
        const accepted = { action: "accept" as const, content: { name: "host" } }
        const found = yield* outcome((asked) => ({
          ...nobody,
          elicit: () =>
            Effect.sync(() => {
              asked("host")
              return accepted
            })
        }))
        assert.deepStrictEqual(found, { during: accepted, askedDuring: ["host"], after })
      }))

    it.effect("goes to nobody where there is no host", () =>
      Effect.gen(function*() {
        const found = yield* outcome(() => nobody)
        assert.deepStrictEqual(found, { during: { action: "cancel" }, askedDuring: [], after })
      }))
  })
}
