import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { McpRegistry } from "../../../src/index.ts"
import { asked, prompt, type Reply, script } from "../../support/OfferingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

type Answers = Readonly<Record<string, (params: Schema.JsonObject, server: ScriptedHost.Running) => Reply>>

/** Runs a program with the registry of one ready server, `notes`. */
const withNotes = <A, E>(
  answers: Answers,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ notes: script(answers) })
    return yield* McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry, host))).pipe(
      Effect.provide(host.layer({ notes: { command: "notes" } }))
    )
  })

describe("What servers offer, while they change, end or are not waited for", () => {
  it.effect("R52: a list that changed while it was given is asked for once more", () => {
    let lists = 0
    return withNotes({
      "prompts/list": () => {
        lists += 1
        return lists === 1 ? "silence" : { prompts: [prompt("new")] }
      }
    }, (registry, host) =>
      Effect.gen(function*() {
        const first = yield* Effect.forkChild(registry.prompts(), { startImmediately: true })
        yield* ScriptedHost.drain
        const server = host.running[0] ?? assert.fail("nothing runs")
        const id = server.received.findLast(({ method }) => method === "prompts/list")?.["id"] ?? null
        server.say({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" })
        yield* ScriptedHost.drain
        server.say({ jsonrpc: "2.0", id, result: { prompts: [prompt("old")] } })
        yield* Fiber.join(first)
        assert.deepStrictEqual((yield* registry.prompts()).prompts.map(({ name }) => name), ["new"])
        yield* registry.prompts()
        assert.strictEqual(lists, 2)
      }))
  })

  it.effect("a caller that reads while the server ends is told so, and the server that takes its place answers", () => {
    let isBroken = true
    return withNotes({
      "resources/read": ({ uri }, server) => {
        if (!isBroken) return { contents: [{ uri: uri ?? "", text: "here" }] }
        isBroken = false
        server.exit(3)
        return "silence"
      }
    }, (registry, host) =>
      Effect.gen(function*() {
        const { reason } = yield* Effect.flip(registry.readResource("notes", "memo://a"))
        assert.notStrictEqual(reason._tag, "UnknownResource")
        assert.isTrue(reason.message.length > 0 && reason.hint.length > 0)
        yield* registry.restart("notes")
        yield* registry.settled
        assert.deepStrictEqual((yield* registry.readResource("notes", "memo://a")).map(({ text }) => text), ["here"])
        assert.strictEqual(host.alive(), 1)
      }))
  })

  it.effect("R29: a read and a prompt that nobody waits for any more are cancelled at the server", () =>
    withNotes({
      "resources/read": () => "silence",
      "prompts/list": () => ({ prompts: [prompt("a")] }),
      "prompts/get": () => "silence"
    }, (registry, host) =>
      Effect.gen(function*() {
        const cancelled = () => asked(host.running[0], "notifications/cancelled")
        for (
          const [count, request] of [registry.readResource("notes", "memo://a"), registry.prompt("notes", "a", {})]
            .entries()
        ) {
          const fiber = yield* Effect.forkChild(request, { startImmediately: true })
          yield* ScriptedHost.drain
          assert.strictEqual(cancelled(), count)
          yield* Fiber.interrupt(fiber)
          yield* ScriptedHost.drain
          assert.strictEqual(cancelled(), count + 1)
        }
      })))

  it.effect("a blob of 5 MB is left out and said to be, what is no content costs itself only", () =>
    withNotes({
      "resources/read": () => ({
        contents: [
          null,
          { uri: "memo://small", blob: "AAAA", mimeType: "image/png" },
          { uri: "memo://large", blob: "A".repeat(5_000_000) },
          { uri: 7, text: null },
          "no content"
        ]
      })
    }, (registry) =>
      Effect.gen(function*() {
        const contents = yield* registry.readResource("notes", "memo://a")
        assert.deepStrictEqual(
          contents.map(({ blob, text, truncated, uri }) => [uri, text, blob, truncated]),
          [
            ["memo://small", null, "AAAA", false],
            ["memo://large", null, null, true],
            ["memo://a", "", null, false]
          ]
        )
      })))

  it.effect("suggests parts of a template, and is told which are filled in", () =>
    withNotes({
      "completion/complete": (params) => ({ completion: { values: [JSON.stringify(params)], hasMore: true } })
    }, (registry) =>
      Effect.gen(function*() {
        const request = {
          ref: { type: "ref/resource", uri: "memo://{day}/{hour}" },
          argument: { name: "hour", value: "1" },
          context: { arguments: { day: "monday" } }
        } as const
        const { hasMore, values } = yield* registry.complete("notes", request)
        assert.deepStrictEqual([JSON.parse(values[0] ?? ""), hasMore], [request, true])
      })))
})
