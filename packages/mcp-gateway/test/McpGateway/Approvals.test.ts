import { type Approval, type Gate, McpGateway, Profile } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { call, connect, ERAS } from "../support/Clients.ts"

const written: Array<string> = []

const Notes = McpRegistry.layerTest({
  notes: {
    tools: {
      read: () => Effect.succeed("note"),
      write: ({ text }) => Effect.sync(() => `written: ${written.push(String(text)) > 0 ? String(text) : ""}`)
    },
    definitions: {
      read: { annotations: { readOnlyHint: true } },
      write: { annotations: { readOnlyHint: false } }
    }
  }
})

const asked = { options: { capabilities: { elicitation: { form: {} } } } }
const gateOf = (approval: Approval): Gate => ({ approve: () => Effect.succeed(approval) })

for (const era of ERAS) {
  describe(`A call of the ${era} era that writes`, () => {
    it.effect("is made after a yes in the client, which sees what it is about", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ gate: gateOf({ _tag: "Denied", reason: "never asked" }) })
        let message = ""
        const client = yield* connect(gateway, era, {
          ...asked,
          prepare: (client) =>
            client.setRequestHandler("elicitation/create", ({ params }) => {
              message = params.message
              return { action: "accept" as const, content: {} }
            })
        })
        assert.deepStrictEqual(yield* call(client, "notes_write", { text: "milk" }), {
          isError: false,
          text: "written: milk"
        })
        assert.include(message, "write of notes")
        assert.include(message, "milk")
      }).pipe(Effect.provide(Notes)))

    it.effect("is not made after a no", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era, {
          ...asked,
          prepare: (client) => client.setRequestHandler("elicitation/create", () => ({ action: "decline" as const }))
        })
        const { isError, text } = yield* call(client, "notes_write", { text: "no" })
        assert.isTrue(isError)
        assert.include(text, "said no")
        assert.notInclude(written, "no")
      }).pipe(Effect.provide(Notes)))

    it.effect("is refused where nobody can be asked", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        const { isError, text } = yield* call(client, "notes_write", { text: "alone" })
        assert.isTrue(isError)
        assert.include(text, "cannot ask")
        assert.notInclude(written, "alone")
      }).pipe(Effect.provide(Notes)))

    it.effect("is made with the arguments that a person elsewhere allowed", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ gate: gateOf({ _tag: "Allowed", args: { text: "less" } }) })
        const client = yield* connect(gateway, era)
        const { text } = yield* call(client, "notes_write", { text: "more" })
        assert.strictEqual(text, "written: less")
      }).pipe(Effect.provide(Notes)))

    it.effect("that waits for a person elsewhere is answered in time, and taken up again by its id", () =>
      Effect.gen(function*() {
        const decided = yield* Deferred.make<Approval & { readonly _tag: "Allowed" }>()
        const gateway = yield* McpGateway.make({
          gate: gateOf({ _tag: "Waiting", url: "http://page/approvals", decided: Deferred.await(decided) })
        })
        const client = yield* connect(gateway, era)
        const first = yield* Effect.forkChild(call(client, "notes_write", { text: `later ${era}` }))
        yield* adjusted(first, 60)
        const { isError, text } = yield* Fiber.join(first)
        assert.isFalse(isError)
        assert.include(text, "http://page/approvals")
        assert.notInclude(written, `later ${era}`)
        const id = /"id":"([^"]+)"/.exec(text)?.[1]
        const second = yield* Effect.forkChild(call(client, "approval_status", { id }))
        yield* Deferred.succeed(decided, { _tag: "Allowed" })
        assert.deepStrictEqual(yield* Fiber.join(second), { isError: false, text: `written: later ${era}` })
        const { text: gone } = yield* call(client, "approval_status", { id })
        assert.include(gone, "no call waits")
      }).pipe(Effect.provide(Notes)))
  })
}

/** Lets time pass until a fiber is done, which goes by promises of the SDK on its way. */
const adjusted = Effect.fnUntraced(function*(fiber: Fiber.Fiber<unknown, unknown>, seconds: number) {
  for (let passed = 0; passed < seconds && fiber.pollUnsafe() === undefined; passed++) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* TestClock.adjust("1 second")
  }
})

describe("Rules of a profile", () => {
  it.effect("decide about each call, also of tools that read", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make({
        profile: { ...Profile.standard, write: "rules" },
        gate: {
          rules: ({ tool }) =>
            Effect.succeed(tool.tool === "write" ? { _tag: "Allow" } : { _tag: "Deny", reason: "notes are secret" })
        }
      })
      const client = yield* connect(gateway, "legacy")
      assert.deepStrictEqual(yield* call(client, "notes_write", { text: "by rule" }), {
        isError: false,
        text: "written: by rule"
      })
      assert.include((yield* call(client, "notes_read")).text, "notes are secret")
    }).pipe(Effect.provide(Notes)))
})
