import { type Gate, McpGateway, Profile } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import type { CallAnswer, Program, ProgramOutcome, Sandbox } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { call, connect, ERAS, names } from "../support/Clients.ts"

const Notes = McpRegistry.layerTest({
  notes: {
    tools: {
      read: ({ at }) => Effect.succeed(JSON.stringify({ at: at ?? null, words: "milk ".repeat(40_000) })),
      write: ({ text }) => Effect.succeed(`written: ${String(text)}`),
      fail: () => Effect.fail("the disk is full")
    },
    definitions: {
      read: { description: "Reads a note", annotations: { readOnlyHint: true } },
      write: { annotations: { readOnlyHint: false } },
      fail: { annotations: { readOnlyHint: true } }
    }
  }
})

type Made = (name: string, args?: Record<string, string>) => Effect.Effect<CallAnswer>

/** A sandbox in which every program does this. */
const scripted = (script: (make: Made, program: Program) => Effect.Effect<unknown>): Sandbox["Service"] => ({
  run: (program) =>
    Effect.gen(function*() {
      let id = 0
      const make: Made = (name, args = {}) =>
        program.call({ id: ++id, name, args, line: 1, waiting: () => Effect.void })
      const value = JSON.parse(JSON.stringify((yield* script(make, program)) ?? null))
      return { value, console: [], calls: [], error: null } satisfies ProgramOutcome
    })
})

const profile = { ...Profile.standard, exposure: "code" as const }
const valueIn = (text: string): unknown => JSON.parse(text.replace(/^Value:\n/, ""))
const program = { code: "return 1" }

for (const era of ERAS) {
  describe(`A program of a client of the ${era} era`, () => {
    it.effect("is what it calls tools by; a search gives their functions", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make({ profile, sandbox: scripted(() => Effect.void) })
        const client = yield* connect(gateway, era)
        assert.sameMembers(yield* names(client), ["search_tools", "execute", "approval_status", "read_result"])
        const { text } = yield* call(client, "search_tools", { query: "read a note" })
        assert.include(text, "notes.read(")
        assert.deepStrictEqual(yield* call(client, "execute", { code: " " }), {
          isError: true,
          text: "execute was not called: code must be a text with a program"
        })
      }).pipe(Effect.provide(Notes)))

    it.effect("gets whole results however little the client takes, and errors with what became of the call", () =>
      Effect.gen(function*() {
        const sandbox = scripted((make, { describe }) =>
          Effect.gen(function*() {
            const read = yield* make("notes_read", { at: "1" })
            return {
              length: JSON.stringify(read).length,
              failed: yield* make("notes_fail"),
              refused: yield* make("notes_write", { text: "x" }),
              told: yield* describe("notes.write")
            }
          })
        )
        const gateway = yield* McpGateway.make({ profile: { ...profile, maxResultBytes: 2000 }, sandbox })
        const client = yield* connect(gateway, era)
        const { isError, text } = yield* call(client, "execute", program)
        assert.isFalse(isError)
        const value = valueIn(text) as { length: number; failed: object; refused: object; told: string }
        assert.isAbove(value.length, 200_000)
        assert.deepStrictEqual(value.failed, { error: "the disk is full", outcome: "failed" })
        assert.deepInclude(value.refused, { outcome: "not made" })
        assert.include(value.told, "notes.write(")
      }).pipe(Effect.provide(Notes)))

    it.effect("asks for each call that writes; where the person takes long, the client asks later what became of it", () =>
      Effect.gen(function*() {
        const decided = yield* Deferred.make<void>()
        const asked: Array<string> = []
        const gate: Gate = {
          approve: ({ args }) =>
            Effect.sync(() => {
              asked.push(JSON.stringify(args))
              return {
                _tag: "Waiting",
                url: "http://page/#/decide",
                decided: Effect.as(Deferred.await(decided), { _tag: "Allowed" as const })
              }
            })
        }
        const sandbox = scripted((make) =>
          Effect.all([make("notes_write", { text: "a" }), make("notes_write", { text: "b" })], { concurrency: 2 })
        )
        const gateway = yield* McpGateway.make({ profile, gate, sandbox })
        const client = yield* connect(gateway, era)
        const running = yield* Effect.forkChild(call(client, "execute", program))
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => asked.length === 2 }))
        yield* TestClock.adjust("5 minutes")
        const { isError, text } = yield* Fiber.join(running)
        assert.isFalse(isError)
        assert.include(text, "http://page/#/decide")
        const id = /"id":"([^"]+)"/.exec(text)?.[1]
        yield* Deferred.succeed(decided, undefined)
        const answer = yield* call(client, "approval_status", { id })
        assert.deepStrictEqual(valueIn(answer.text), [{ value: "written: a" }, { value: "written: b" }])
      }).pipe(Effect.provide(Notes)))
  })
}

describe("A profile that asks for programs", () => {
  it.effect("is given the search where none run", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make({ profile })
      const client = yield* connect(gateway, "modern")
      assert.include(yield* names(client), "call_tool")
    }).pipe(Effect.provide(Notes)))
})
