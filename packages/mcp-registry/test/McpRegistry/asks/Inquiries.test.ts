import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { type McpError, McpRegistry } from "../../../src/index.ts"
import { asked, pages, prompt, type Reply, resource, script } from "../../support/OfferingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

type Answers = Readonly<Record<string, (params: Schema.JsonObject) => Reply>>

const LISTS: Answers = {
  "prompts/list": pages("prompts", [prompt("summary", "topic"), prompt("plain")]),
  "resources/list": pages("resources", [resource("today"), resource("tomorrow")])
}

/** Runs a program with the registry of one ready server, `notes`. */
const withNotes = <A, E>(
  answers: Answers,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>,
  entry: Schema.JsonObject = {}
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ notes: script({ ...LISTS, ...answers }) })
    return yield* McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry, host))).pipe(
      Effect.provide(host.layer({
        notes: { command: "notes", ...entry },
        off: { command: "notes", enabled: false }
      }))
    )
  })

const failureOf = <A>(effect: Effect.Effect<A, McpError>) =>
  Effect.map(Effect.flip(effect), (error) => ({ tag: error.reason._tag, message: error.message, hint: error.hint }))

const cancelled = (host: ScriptedHost.Host) => asked(host.running[0], "notifications/cancelled")

describe("McpRegistry.prompt", () => {
  it.effect("fills a prompt in: arguments go out as texts, roles and blocks come back", () =>
    withNotes({
      "prompts/get": (params) => ({
        description: "What was asked for",
        messages: [
          { role: "user", content: { type: "text", text: JSON.stringify(params) } },
          { role: "assistant", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
          { role: "user", content: "a plain text" },
          "no message"
        ]
      })
    }, (registry) =>
      Effect.gen(function*() {
        const args = { topic: "rain", tone: { kind: "dry" }, extra: 3, none: null }
        const { description, messages, truncated } = yield* registry.prompt("notes", "summary", args)
        assert.strictEqual(description, "What was asked for")
        const sent = { name: "summary", arguments: { topic: "rain", tone: "{\"kind\":\"dry\"}", extra: "3" } }
        assert.deepStrictEqual(messages, [
          { role: "user", content: { type: "text", text: JSON.stringify(sent) } },
          { role: "assistant", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
          { role: "user", content: { type: "text", text: "a plain text" } }
        ])
        assert.isNull(truncated)
      })))

  it.effect("names what is missing or not there, and the nearest, without asking the server", () =>
    withNotes({}, (registry, host) =>
      Effect.gen(function*() {
        const missing = yield* failureOf(registry.prompt("notes", "summary", { tone: "dry" }))
        assert.strictEqual(missing.tag, "InvalidArguments")
        assert.match(missing.message, /^notes: bad arguments for summary: topic must be given/)
        assert.match(missing.hint, /\{"topic": "…", "tone": "…"\}/)
        const unknown = yield* failureOf(registry.prompt("notes", "sumary", {}))
        assert.deepStrictEqual([unknown.tag, unknown.message], [
          "UnknownPrompt",
          "notes: it has no prompt called sumary"
        ])
        assert.match(unknown.hint, /summary/)
        const server = yield* failureOf(registry.prompt("note", "summary", {}))
        assert.strictEqual(server.tag, "UnknownServer")
        assert.match(server.hint, /notes/)
        const off = yield* failureOf(registry.prompt("off", "summary", {}))
        assert.deepStrictEqual([off.tag, off.message], ["NotReady", "off: the server is disabled"])
        assert.strictEqual(asked(host.running[0], "prompts/get"), 0)
      })))

  it.effect("waits for the entry's timeout, then tells the server that nobody waits any more (R29)", () =>
    withNotes({ "prompts/get": () => "silence" }, (registry, host) =>
      Effect.gen(function*() {
        const waiting = yield* Effect.forkChild(failureOf(registry.prompt("notes", "plain", {})))
        yield* ScriptedHost.advance(8)
        const { message, tag } = yield* Fiber.join(waiting)
        assert.strictEqual(tag, "CallTimeout")
        assert.strictEqual(message, "notes: prompt plain said nothing for 7 s")
        assert.strictEqual(cancelled(host), 1)
        const dropped = yield* Effect.forkChild(registry.prompt("notes", "plain", {}))
        yield* ScriptedHost.drain
        yield* Fiber.interrupt(dropped)
        yield* ScriptedHost.drain
        assert.strictEqual(cancelled(host), 2, "a caller that goes away cancels it")
      }), { timeout: "7 seconds" }))

  it.effect("what a server refuses is told in its own words", () =>
    withNotes(
      { "prompts/get": () => ({ code: -32602, message: "tone must be dry" }) },
      (registry) =>
        Effect.gen(function*() {
          const { message, tag } = yield* failureOf(registry.prompt("notes", "plain", {}))
          assert.strictEqual(tag, "RequestFailed")
          assert.match(message, /tone must be dry/)
        })
    ))

  it.effect("R100: nothing hides in what a prompt brings, and it ends where maxResultBytes does", () =>
    withNotes({
      "prompts/get": () => ({
        description: "A\u001b[31m prompt",
        messages: [
          { role: "user", content: { type: "text", text: "in\u200Bvisible äöü" } },
          { role: "user", content: { type: "resource", resource: { uri: "memo://1", text: "more than fits" } } },
          { role: "user", content: { type: "image", data: "A".repeat(100), mimeType: "image/png" } }
        ]
      })
    }, (registry) =>
      Effect.gen(function*() {
        const { description, messages, truncated } = yield* registry.prompt("notes", "plain", {})
        assert.strictEqual(description, "A prompt")
        assert.deepStrictEqual(messages.map(({ content }) => content), [
          { type: "text", text: "invisible äöü" },
          { type: "resource", resource: { uri: "memo://1", text: "more" } },
          { type: "text", text: "[a part of type image was left out: the answer is too large]" }
        ])
        assert.deepStrictEqual(truncated?.shownBytes, 20)
      }), { maxResultBytes: 20 }))
})

describe("McpRegistry.readResource", () => {
  it.effect("reads texts and blobs, cleaned and cut at maxResultBytes between characters", () =>
    withNotes({
      "resources/read": ({ uri = null }) => ({
        contents: [
          { uri, mimeType: "text/plain", text: "to\u202Eday" },
          { uri, mimeType: "image/png", blob: "AAAA" },
          { uri: `${String(uri)}/more`, text: "xäöü" },
          { uri, blob: "BBBB" }
        ]
      })
    }, (registry) =>
      Effect.gen(function*() {
        const uri = "memo://today"
        assert.deepStrictEqual(yield* registry.readResource("notes", uri), [
          { uri, mimeType: "text/plain", text: "today", blob: null, truncated: false },
          { uri, mimeType: "image/png", text: null, blob: "AAAA", truncated: false },
          { uri: `${uri}/more`, mimeType: null, text: "xä", blob: null, truncated: true },
          { uri, mimeType: null, text: null, blob: null, truncated: true }
        ])
      }), { maxResultBytes: 13 }))

  it.effect("names the nearest of a resource that is not there", () =>
    withNotes(
      { "resources/read": () => ({ code: -32002, message: "Resource not found" }) },
      (registry) =>
        Effect.gen(function*() {
          yield* registry.resources()
          const { hint, tag } = yield* failureOf(registry.readResource("notes", "memo://tomorow"))
          assert.strictEqual(tag, "UnknownResource")
          assert.match(hint, /memo:\/\/tomorrow/)
        })
    ))

  it.effect("fails without asking where the server declares no resources (R55)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ tools: {} })
      const { tag } = yield* McpRegistry.use((registry) =>
        Effect.andThen(registry.settled, failureOf(registry.readResource("tools", "memo://a")))
      ).pipe(Effect.provide(host.layer({ tools: { command: "tools" } })))
      assert.strictEqual(tag, "UnknownResource")
      assert.strictEqual(asked(host.running[0], "resources/read"), 0)
    }))

  it.effect("R96: stays within maxConcurrency together with the calls", () => {
    let open = 0
    let most = 0
    return withNotes({
      "resources/read": () => {
        most = Math.max(most, ++open)
        return "silence"
      }
    }, (registry) =>
      Effect.gen(function*() {
        const reads = Effect.forEach([1, 2, 3, 4], () => Effect.ignore(registry.readResource("notes", "memo://a")), {
          concurrency: 4
        })
        const reading = yield* Effect.forkChild(reads)
        yield* TestClock.adjust("10 seconds")
        yield* ScriptedHost.drain
        assert.strictEqual(most, 2)
        yield* Fiber.interrupt(reading)
      }), { maxConcurrency: 2 })
  })
})

describe("McpRegistry.complete", () => {
  it.effect("gives what the server suggests, a hundred at most, cleaned", () =>
    withNotes({
      "completion/complete": (params) => ({
        completion: {
          values: [JSON.stringify(params), "b\u200Bc", 7, ...Array.from({ length: 200 }, (_, index) => `v${index}`)]
        }
      })
    }, (registry) =>
      Effect.gen(function*() {
        const request = {
          ref: { type: "ref/prompt", name: "summary" },
          argument: { name: "topic", value: "ra" },
          context: { arguments: { tone: "dry" } }
        } as const
        const { hasMore, values } = yield* registry.complete("notes", request)
        assert.deepStrictEqual(values.slice(0, 3), [JSON.stringify(request), "bc", "v0"])
        assert.lengthOf(values, 100)
        assert.isTrue(hasMore)
      })))
})
