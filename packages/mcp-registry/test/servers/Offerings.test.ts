import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { McpRegistry } from "../../src/index.ts"
import { asked, pages, prompt, resource, script } from "../support/OfferingServers.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

/** Runs a program with the registry of these servers, once each is ready or failed. */
const withServers = <A, E>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>,
  entry: Schema.JsonObject = {}
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    const entries = Object.fromEntries(Object.keys(scripts).map((command) => [command, { command, ...entry }]))
    return yield* McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry, host))).pipe(
      Effect.provide(host.layer(entries))
    )
  })

const names = (items: ReadonlyArray<{ readonly server: string; readonly name: string }>) =>
  items.map(({ name, server }) => `${server}:${name}`)
const running = (host: ScriptedHost.Host, command: string) =>
  host.running.find((one) => one.command === command) ?? assert.fail(`${command} does not run`)

describe("Prompts and resources of servers", () => {
  it.effect("R53: all pages of prompts, resources and templates are read", () =>
    withServers({
      notes: script({
        "prompts/list": pages("prompts", [prompt("a", "topic")], [prompt("b")], [prompt("c")]),
        "resources/list": pages("resources", [resource("1")], [resource("2"), resource("3")]),
        "resources/templates/list": pages(
          "resourceTemplates",
          [{ uriTemplate: "memo://{day}", name: "day" }],
          [{ uriTemplate: "memo://{day}/{hour}", name: "hour" }]
        )
      })
    }, (registry) =>
      Effect.gen(function*() {
        const { prompts } = yield* registry.prompts()
        assert.deepStrictEqual(names(prompts), ["notes:a", "notes:b", "notes:c"])
        assert.deepStrictEqual(prompts[0], {
          server: "notes",
          name: "a",
          title: null,
          description: "The prompt a.",
          arguments: [
            { name: "topic", title: null, description: null, required: true },
            { name: "tone", title: null, description: null, required: false }
          ]
        })
        const { resources, templates } = yield* registry.resources()
        assert.deepStrictEqual(resources.map(({ uri }) => uri), ["memo://1", "memo://2", "memo://3"])
        assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["memo://{day}", "memo://{day}/{hour}"])
      })))

  it.effect("R54: a repeated cursor and pages without end are ended, with a warning that names the server", () => {
    let page = 0
    return withServers({
      circle: script({ "prompts/list": () => ({ prompts: [prompt(`p${page++}`)], nextCursor: "again" }) }),
      endless: script({
        "prompts/list": ({ cursor }) => ({
          prompts: [prompt(`e${String(cursor ?? 0)}`)],
          nextCursor: String(Number(cursor ?? 0) + 1)
        })
      })
    }, (registry, host) =>
      Effect.gen(function*() {
        const { prompts, warnings } = yield* registry.prompts()
        assert.deepStrictEqual(names(prompts).slice(0, 3), ["circle:p0", "circle:p1", "endless:e0"])
        assert.deepStrictEqual(warnings, [
          "circle: stopped listing after page 2: the server gave the same cursor twice",
          "endless: stopped listing after 100 pages"
        ])
        assert.strictEqual(asked(running(host, "endless"), "prompts/list"), 100)
      }))
  })

  it.effect("R55: a server that declares neither is asked for neither, and what it cannot list is empty", () =>
    withServers({
      tools: {},
      claims: script({
        "prompts/list": () => ({ code: -32601, message: "Method not found" }),
        "resources/list": pages("resources", [resource("1")]),
        "resources/templates/list": () => ({ code: -32601, message: "Method not found" })
      })
    }, (registry, host) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* registry.prompts(), {
          prompts: [],
          waiting: [],
          failed: [],
          warnings: ["claims: the server declares prompts but cannot list them"]
        })
        const { failed, resources, templates, warnings } = yield* registry.resources()
        assert.deepStrictEqual(names(resources), ["claims:1"])
        assert.deepStrictEqual([templates, failed, warnings], [[], [], []])
        const request = { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "b" } } as const
        assert.deepStrictEqual(yield* registry.complete("tools", request), { values: [], hasMore: false })
        const methods = running(host, "tools").received.map(({ method }) => method)
        assert.deepStrictEqual(methods.filter((method) => /prompts|resources|completion/.test(String(method))), [])
        assert.strictEqual((yield* registry.server("claims")).state, "ready")
      })))

  it.effect("R8: a malformed prompt or resource costs itself only", () =>
    withServers({
      notes: script({
        "prompts/list": pages("prompts", [prompt("a"), { title: "no name" }, 7, prompt("a"), prompt("hid\u200Bden"), {
          name: "odd",
          description: 7,
          arguments: [{ name: 1 }, { name: "x", required: "yes" }]
        }]),
        "resources/list": pages("resources", [resource("1"), { name: "no uri" }]),
        "resources/templates/list": pages("resourceTemplates", [null, { uriTemplate: "a://{b}" }])
      })
    }, (registry) =>
      Effect.gen(function*() {
        const { prompts, warnings } = yield* registry.prompts("notes")
        assert.deepStrictEqual(names(prompts), ["notes:a", "notes:odd"])
        assert.deepStrictEqual(prompts[1]?.arguments.map(({ name, required }) => [name, required]), [["x", false]])
        assert.deepStrictEqual(warnings, [
          "notes: left out the prompt at place 2: it has no readable name",
          "notes: left out the prompt at place 3: it has no readable name",
          "notes: listed more than once: the prompt a; the first one is kept",
          "notes: left out the prompt at place 5: it has no readable name"
        ])
        const { resources, templates } = yield* registry.resources("notes")
        assert.deepStrictEqual(names(resources), ["notes:1"])
        assert.deepStrictEqual(names(templates), ["notes:a://{b}"])
      })))

  it.effect("fetches a list when it is first asked for, and again when the server says that it changed (R52)", () => {
    let listed = [prompt("a")]
    return withServers(
      { notes: script({ "prompts/list": () => ({ prompts: listed }) }) },
      (registry, host) =>
        Effect.gen(function*() {
          const server = running(host, "notes")
          yield* ScriptedHost.drain
          assert.strictEqual(asked(server, "prompts/list"), 0, "nobody asked")
          yield* Effect.all([registry.prompts(), registry.prompts("notes"), registry.prompts()], { concurrency: 3 })
          yield* TestClock.adjust("2 minutes")
          yield* registry.prompts()
          assert.strictEqual(asked(server, "prompts/list"), 1, "three at the same time and one later share one request")
          listed = [prompt("a"), prompt("b")]
          server.say({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" })
          yield* ScriptedHost.drain
          assert.deepStrictEqual(names((yield* registry.prompts()).prompts), ["notes:a", "notes:b"])
          assert.strictEqual(asked(server, "prompts/list"), 2)
        })
    )
  })

  it.effect("believes a server that would not tell of changes for a minute, and finds what is new when it is named", () => {
    let listed = [prompt("a")]
    const silent = script({
      "prompts/list": () => ({ prompts: listed }),
      "prompts/get": () => ({ messages: [] })
    }, { prompts: {} })
    return withServers({ notes: silent }, (registry) =>
      Effect.gen(function*() {
        yield* registry.prompts()
        listed = [prompt("b")]
        assert.deepStrictEqual(names((yield* registry.prompts()).prompts), ["notes:a"])
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(names((yield* registry.prompts()).prompts), ["notes:b"])
        listed = [prompt("c")]
        assert.deepStrictEqual((yield* registry.prompt("notes", "c", {})).messages, [])
      }))
  })

  it.effect("a server that is slow or fails keeps nobody waiting, and is named", () =>
    withServers({
      broken: script({ "prompts/list": () => ({ code: -32603, message: "no \u001b[31mdatabase" }) }),
      good: script({ "prompts/list": pages("prompts", [prompt("a")]) }),
      slow: script({ "prompts/list": () => "silence" })
    }, (registry) =>
      Effect.gen(function*() {
        const asking = yield* Effect.forkChild(registry.prompts())
        yield* ScriptedHost.advance(5)
        const { failed, prompts, waiting } = yield* Fiber.join(asking)
        assert.deepStrictEqual(names(prompts), ["good:a"])
        assert.deepStrictEqual(waiting, ["slow"])
        assert.deepStrictEqual(failed.map(({ server }) => server), ["broken"])
        assert.match(failed[0]?.message ?? "", /no database/)
        const alone = yield* Effect.forkChild(Effect.flip(registry.prompts("slow")))
        yield* TestClock.adjust("1 minute")
        const { message, reason } = yield* Fiber.join(alone)
        assert.strictEqual(reason._tag, "CallTimeout")
        assert.match(message, /^slow: the list of its prompts said nothing for 60/)
      })))

  it.effect("a list that came too late for the first who asked is there for the next", () => {
    let answer = () => {}
    const late = script({
      "prompts/list": (_, server) => {
        const id = server.received.findLast(({ method }) => method === "prompts/list")?.["id"] ?? null
        answer = () => server.say({ jsonrpc: "2.0", id, result: { prompts: [prompt("a")] } })
        return "silence"
      }
    })
    return withServers({ late }, (registry, host) =>
      Effect.gen(function*() {
        const asking = yield* Effect.forkChild(registry.prompts())
        yield* ScriptedHost.advance(6)
        assert.deepStrictEqual((yield* Fiber.join(asking)).waiting, ["late"])
        answer()
        yield* ScriptedHost.drain
        assert.deepStrictEqual(names((yield* registry.prompts()).prompts), ["late:a"])
        assert.strictEqual(asked(running(host, "late"), "prompts/list"), 1)
      }))
  })

  it.effect("a caller that waits for a list is told when its server is stopped", () =>
    withServers({ slow: script({ "prompts/list": () => "silence" }) }, (registry) =>
      Effect.gen(function*() {
        const asking = yield* Effect.forkChild(Effect.flip(registry.prompts("slow")))
        yield* ScriptedHost.drain
        const stopping = yield* Effect.forkChild(registry.stop("slow"))
        yield* ScriptedHost.advance(1)
        yield* Fiber.join(stopping)
        const { reason } = yield* Fiber.join(asking)
        assert.include(["NotReady", "ConnectionLost"], reason._tag)
        assert.deepStrictEqual((yield* registry.prompts()).waiting, [], "what is stopped by hand is not waited for")
      })))

  it.effect("lists of all wake no lazy server, and a prompt or a read does (R94)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        notes: script({
          "prompts/list": pages("prompts", [prompt("a")]),
          "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "hello" } }] })
        })
      })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          yield* ScriptedHost.advance(5)
          const starts = () => host.events.filter((event) => event.endsWith("notes starts")).length
          const before = starts()
          assert.isTrue((yield* registry.server("notes")).idle, "it was started to list its tools, then put to sleep")
          assert.deepStrictEqual((yield* registry.prompts()).waiting, ["notes"])
          assert.strictEqual(starts(), before)
          const got = yield* Effect.forkChild(registry.prompt("notes", "a", {}))
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* Fiber.join(got)).messages[0]?.content["text"], "hello")
          assert.strictEqual(starts(), before + 1)
          yield* ScriptedHost.advance(10)
          assert.deepStrictEqual(names((yield* registry.prompts()).prompts), ["notes:a"], "as it was listed last")
          assert.strictEqual(starts(), before + 1)
        })
      ).pipe(Effect.provide(host.layer({ notes: { command: "notes", lazy: true, idleTtl: "5 seconds" } })))
    }))
})
