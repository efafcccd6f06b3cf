import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ServerRequests } from "../../../src/index.ts"
import * as AskingServers from "../../support/AskingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const { answering, form, hosting, NAME } = AskingServers

const event = (message: Schema.JsonObject, escape = false) => {
  const text = JSON.stringify(message)
  return `data: ${escape ? text.replaceAll("/", "\\/") : text}`
}

/** Asks on the response to each call, and answers it once both are asked. */
const asking = (stray: ReadonlyArray<Schema.JsonObject> = []): ScriptedWeb.Answer => {
  const open = new Map<string, { readonly id: Schema.Json; readonly end: (message: Schema.JsonObject) => void }>()
  return ({ message, method, signal }) => {
    const id = message?.["id"] ?? null
    if (method === "tools/call") {
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          const say = (asked: Schema.JsonObject, escape = false) =>
            controller.enqueue(encoder.encode(`${event(asked, escape)}\n\n`))
          open.set(`ask-${id}`, {
            id,
            end: (answer) => {
              say(answer)
              controller.close()
            }
          })
          stray.forEach((asked) => say(asked))
          say({ jsonrpc: "2.0", id: `ask-${id}`, ...form(NAME) }, true)
          signal?.addEventListener("abort", () => controller.error(new Error("aborted")))
        }
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    const asked = open.get(String(message?.["id"]))
    if (message !== null && message["method"] === undefined && asked !== undefined) {
      asked.end({
        jsonrpc: "2.0",
        id: asked.id,
        result: { content: [{ type: "text", text: JSON.stringify(AskingServers.told(message)) }] }
      })
      return new Response(null, { status: 202 })
    }
    return undefined
  }
}

const inHost = (requests: AskingServers.Service) => Effect.provide(Layer.succeed(ServerRequests, requests))

describe("A server that asks over HTTP (2025-11-25)", () => {
  it.effect("asks the caller on whose response it asks, however many others call", () => {
    const named = (name: string) => answering({ action: "accept", content: { name } })
    const [ada, bob, host] = [named("Ada"), named("Bob"), named("host")]
    return Effect.gen(function*() {
      const web = yield* ScriptedWeb.server(asking())
      yield* ScriptedWeb.withRegistry(
        web.fetch,
        { type: "streamableHttp", protocol: "legacy" },
        (registry) =>
          Effect.gen(function*() {
            const one = yield* Effect.forkChild(registry.call("web_find", {}, { asker: ada.asker }))
            const two = yield* Effect.forkChild(registry.call("web_find", {}, { asker: bob.asker }))
            const [first, second] = [yield* Fiber.join(one), yield* Fiber.join(two)]
            assert.deepStrictEqual(AskingServers.answerOf(first), { action: "accept", content: { name: "Ada" } })
            assert.deepStrictEqual(AskingServers.answerOf(second), { action: "accept", content: { name: "Bob" } })
            assert.lengthOf(host.asked, 0)
          })
      )
    }).pipe(inHost(hosting({ asker: host.asker })))
  })

  it.effect.each([null, 7, "x", []])(
    "is answered where it writes %o for parameters, which the SDK does not read",
    (params) => {
      const stray = [{ jsonrpc: "2.0", id: "stray", method: "roots/list", params }]
      const roots = { current: Effect.succeed([{ uri: "file:///work", name: null }]), changes: Stream.empty }
      return Effect.gen(function*() {
        const web = yield* ScriptedWeb.server(asking(stray))
        const entry = { type: "streamableHttp", protocol: "legacy", roots: true }
        yield* ScriptedWeb.withRegistry(web.fetch, entry, (registry) =>
          Effect.gen(function*() {
            yield* registry.call("web_find", {})
            const answers = web.seen.filter(({ message }) => message?.["id"] === "stray")
            assert.deepStrictEqual(answers.map(({ message }) => message?.["result"]), [{
              roots: [{ uri: "file:///work" }]
            }])
          }))
      }).pipe(inHost(hosting({ roots })))
    }
  )

  it.effect("asks nobody about a call that has its answer, and the host about what is no call", () => {
    const [bob, host] = [answering(null), answering({ action: "decline" })]
    const question = (id: string) => event({ jsonrpc: "2.0", id, ...form(NAME) })
    let isListed = false
    return Effect.gen(function*() {
      const web = yield* ScriptedWeb.server((seen) => {
        if (seen.method === "tools/list" && isListed) {
          const tools = ScriptedWeb.result(seen, { tools: [ScriptedHost.tool("find")] })
          return ScriptedWeb.events([question("listing"), event(tools)])
        }
        isListed ||= seen.method === "tools/list"
        if (seen.method !== "tools/call") return undefined
        const isBobs = AskingServers.at(seen.message, "params", "arguments")["of"] === "bob"
        const answered = ScriptedWeb.result(seen, ScriptedWeb.text("done"))
        return isBobs ? null : ScriptedWeb.events([event(answered), question("late")], true)
      })
      const told = (id: string) => web.seen.filter(({ message }) => message?.["id"] === id)
      yield* ScriptedWeb.withRegistry(
        web.fetch,
        { type: "streamableHttp", protocol: "legacy" },
        (registry) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(registry.call("web_find", { of: "bob" }, { asker: bob.asker }))
            yield* ScriptedHost.drain
            yield* registry.call("web_find", {}, { asker: answering(null).asker })
            yield* ScriptedHost.drain
            assert.deepStrictEqual(told("late").map(({ message }) => message?.["result"]), [{ action: "cancel" }])
            yield* registry.refresh("web")
            yield* ScriptedHost.drain
            assert.deepStrictEqual(told("listing").map(({ message }) => message?.["result"]), [{ action: "decline" }])
            assert.lengthOf(bob.asked, 0)
            yield* Fiber.interrupt(call)
          })
      )
    }).pipe(inHost(hosting({ asker: host.asker })))
  })

  const quoting = { content: [], structuredContent: { of: "elicitation/create" } }
  const unread = event({ jsonrpc: "2.0", id: "odd", method: "elicitation/create", params: { _meta: 7 } })
  const before = [
    ["an answer spoke of one", (seen: ScriptedWeb.Seen) => [event(ScriptedWeb.result(seen, quoting))], true, null],
    [
      "one could not be read",
      (seen: ScriptedWeb.Seen) => [unread, event(ScriptedWeb.result(seen, { content: [] }))],
      false,
      "odd"
    ]
  ] as const
  it.effect.each(before)("asks the caller, also under an id under which %s before", ([, said, isOpen, id]) => {
    const person = answering({ action: "decline" })
    const streams: Array<ReadableStreamDefaultController<Uint8Array>> = []
    return Effect.gen(function*() {
      const web = yield* ScriptedWeb.server((seen, all) => {
        if (seen.verb === "GET") {
          const start = (controller: ReadableStreamDefaultController<Uint8Array>) => void streams.push(controller)
          return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } })
        }
        if (seen.method !== "tools/call") return undefined
        const isFirst = all.filter(({ method }) => method === "tools/call").length === 1
        return isFirst ? ScriptedWeb.events(said(seen), isOpen) : null
      })
      yield* ScriptedWeb.withRegistry(
        web.fetch,
        { type: "streamableHttp", protocol: "legacy" },
        (registry) =>
          Effect.gen(function*() {
            yield* registry.call("web_find", {}, { asker: answering(null).asker })
            const call = yield* Effect.forkChild(registry.call("web_find", {}, { asker: person.asker }))
            yield* ScriptedHost.drain
            const own = web.of("tools/call")[0]?.message?.["id"] ?? null
            const asked = `${event({ jsonrpc: "2.0", id: id ?? own, ...form(NAME) })}\n\n`
            streams.forEach((stream) => stream.enqueue(new TextEncoder().encode(asked)))
            yield* ScriptedHost.drain
            assert.lengthOf(person.asked, 1)
            yield* Fiber.interrupt(call)
          })
      )
    }).pipe(inHost(hosting()))
  })

  it.effect("loses its question when the call is given up, and the session stays", () => {
    const person = answering(null)
    return Effect.gen(function*() {
      const web = yield* ScriptedWeb.server(asking())
      yield* ScriptedWeb.withRegistry(
        web.fetch,
        { type: "streamableHttp", protocol: "legacy" },
        (registry) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(registry.call("web_find", {}, { asker: person.asker }))
            yield* ScriptedHost.drain
            assert.lengthOf(person.asked, 1)
            yield* Fiber.interrupt(call)
            yield* ScriptedHost.drain
            assert.strictEqual(person.interrupted(), 1)
            const again = answering({ action: "decline" })
            const result = yield* registry.call("web_find", {}, { asker: again.asker })
            assert.deepStrictEqual(AskingServers.answerOf(result), { action: "decline" })
            assert.lengthOf(web.of("initialize"), 1)
          })
      )
    }).pipe(inHost(hosting()))
  })
})
