import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { type Asker, nobody } from "../../../src/index.ts"
import * as AskingServers from "../../support/AskingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { NAME, answerOf, answering, form, hosting, received, withServer } = AskingServers

const accept = { action: "accept", content: { name: "Ada" } } as const

describe("A server that asks during a call (2025-11-25)", () => {
  it.effect("is answered by the asker of the call, who is told which server asks, with the form's defaults filled in (R56)", () => {
    const person = answering(accept)
    const fields = {
      ...NAME,
      age: { type: "integer", default: 30 },
      tags: { type: "array", items: { enum: ["a", "b"] } }
    }
    return withServer({ ask: form(fields, { required: ["name"] }) }, hosting(), (registry) =>
      Effect.gen(function*() {
        const result = yield* registry.call("it_ask", {}, { asker: person.asker })
        assert.deepStrictEqual(answerOf(result), { action: "accept", content: { name: "Ada", age: 30 } })
        const [asked] = person.asked
        assert.deepInclude(asked, { kind: "form", server: "it", isTrusted: true, message: "who are you?" })
      }))
  })

  it.effect("is answered by the host where the caller brought nobody, and hears a no as well as a yes", () => {
    const person = answering({ action: "decline" })
    return withServer({ ask: form(NAME) }, hosting({ asker: person.asker }), (registry) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(answerOf(yield* registry.call("it_ask", {})), { action: "decline" })
        assert.lengthOf(person.asked, 1)
      }))
  })

  it.effect("gets an answer that does not fit as no answer at all, which its warnings say", () => {
    const person = answering({ action: "accept", content: { name: 7 } })
    return withServer({ ask: form(NAME) }, hosting(), (registry) =>
      Effect.gen(function*() {
        const result = yield* registry.call("it_ask", {}, { asker: person.asker })
        assert.deepStrictEqual(answerOf(result), { action: "cancel" })
        const { warnings } = yield* registry.settledServer("it")
        assert.include(warnings.join(), "name must be a text")
      }))
  })

  it.effect("cannot fill its warnings with the names of its fields", () => {
    const person = answering({ action: "accept", content: {} })
    const name = "n".repeat(50_000)
    return withServer(
      { ask: form({ [name]: { type: "string" } }, { required: [name] }) },
      hosting(),
      (registry) =>
        Effect.gen(function*() {
          yield* registry.call("it_ask", {}, { asker: person.asker })
          const { warnings } = yield* registry.settledServer("it")
          assert.include(warnings.join(), "did not fit")
          assert.isBelow(warnings.join().length, 1000)
        })
    )
  })

  it.effect("hears that nobody answered where the asker breaks, or takes for ever", () => {
    const broken: Asker = { ...nobody, elicit: () => Effect.die("broken") }
    const endless: Asker = { ...nobody, elicit: () => Effect.never }
    return withServer({ ask: form(NAME) }, hosting(), (registry) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(answerOf(yield* registry.call("it_ask", {}, { asker: broken })), { action: "cancel" })
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: endless }))
        yield* ScriptedHost.drain
        yield* TestClock.adjust("1 hour")
        yield* ScriptedHost.drain
        assert.deepStrictEqual(answerOf(yield* Fiber.join(call)), { action: "cancel" })
      }))
  })

  it.effect("lets a person take their time: the call's limits rest while its question is open, and run on after it", () => {
    const person = AskingServers.patient()
    const questions = { ask: form(NAME), mute: {} }
    return withServer(questions, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
        yield* ScriptedHost.drain
        yield* TestClock.adjust("59 minutes")
        assert.isUndefined(call.pollUnsafe())
        server.received.length = 0
        person.say(accept)
        yield* ScriptedHost.drain
        assert.deepInclude(answerOf(yield* Fiber.join(call)), { action: "accept" })
      }), { timeout: "1 second", maxTotalTimeout: "5 seconds" })
  })

  it.effect("is silent again once it has its answer, and times out as any call does", () => {
    const person = answering(accept)
    const script = AskingServers.script({ ask: form(NAME) })
    const deaf: ScriptedHost.Script = {
      ...script,
      answer: (message, server) => String(message["id"]).startsWith("ask-") ? null : script.answer?.(message, server)
    }
    const entry = { command: "server", protocol: "legacy", timeout: "5 seconds" }
    return AskingServers.withEntries({ server: deaf }, { it: entry }, hosting(), (registry) =>
      Effect.gen(function*() {
        const slow: Asker = { ...nobody, elicit: (asked) => Effect.delay(person.asker.elicit(asked), "1 minute") }
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: slow }))
        yield* ScriptedHost.drain
        yield* TestClock.adjust("1 minute")
        yield* TestClock.adjust("4 seconds")
        yield* ScriptedHost.drain
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust("2 seconds")
        const { reason } = yield* Effect.flip(Fiber.join(call))
        assert.deepInclude(reason, { _tag: "CallTimeout", limit: "timeout" })
      }))
  })

  it.effect("has as much time left when its call is sent once more, as if nobody had been asked", () => {
    let asked = 0
    const dying: ScriptedHost.Script = {
      tools: [ScriptedHost.tool("reads", { annotations: { readOnlyHint: true } })],
      answer: ({ method, result }, server) => {
        if (method === undefined && result !== undefined) server.exit(7)
        if (method !== "tools/call" || asked++ > 0) return undefined
        server.say({ jsonrpc: "2.0", id: "ask", ...form(NAME) })
        return null
      }
    }
    const limits = { retry: "idempotent", restart: "on-failure", maxTotalTimeout: "30 seconds" }
    const entry = { command: "server", protocol: "legacy", ...limits }
    const slow: Asker = { ...nobody, elicit: () => Effect.delay(Effect.succeed(accept), "10 minutes") }
    return AskingServers.withEntries(
      { server: dying },
      { it: entry },
      hosting(),
      (registry, host) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(registry.call("it_reads", {}, { asker: slow }))
          yield* ScriptedHost.drain
          yield* TestClock.adjust("10 minutes")
          yield* ScriptedHost.advance(5)
          assert.isFalse((yield* Fiber.join(call)).isError)
          assert.lengthOf(host.running, 2)
        })
    )
  })

  it.effect("ends its question when the call is given up, and is told that it was", () => {
    const person = answering(null)
    return withServer({ ask: form(NAME) }, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
        yield* ScriptedHost.drain
        assert.lengthOf(person.asked, 1)
        yield* Fiber.interrupt(call)
        yield* ScriptedHost.drain
        assert.strictEqual(person.interrupted(), 1)
        assert.lengthOf(received(server, "notifications/cancelled"), 1)
      }))
  })

  it.effect("cannot keep a question open beyond its call: it is answered as nobody's", () => {
    const person = answering(null)
    return withServer({ ask: form(NAME) }, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
        yield* ScriptedHost.drain
        const [request] = received(server, "tools/call")
        server.say({ jsonrpc: "2.0", id: request?.["id"] ?? null, result: { content: [] } })
        yield* Fiber.join(call)
        yield* ScriptedHost.drain
        assert.strictEqual(person.interrupted(), 1)
        const [answer] = received(server, `ask-${request?.["id"]}`)
        assert.deepStrictEqual(answer?.["result"], { action: "cancel" })
      }))
  })

  it.effect("may give its question up, and hears nothing more about it", () => {
    const person = answering(null)
    return withServer({ ask: form(NAME) }, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
        yield* ScriptedHost.drain
        const id = received(server, "tools/call")[0]?.["id"]
        server.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: `ask-${id}` } })
        yield* ScriptedHost.drain
        assert.strictEqual(person.interrupted(), 1)
        assert.lengthOf(received(server, `ask-${id}`), 0)
        assert.isUndefined(call.pollUnsafe())
        yield* Fiber.interrupt(call)
      }))
  })

  it.effect("takes its questions with it when it ends", () => {
    const person = answering(null)
    return withServer({ ask: form(NAME) }, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
        yield* ScriptedHost.drain
        server.exit(1)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(call)))
        assert.strictEqual(person.interrupted(), 1)
      }))
  })

  it.effect("asks the host, or whom all callers share, where it could mean any of several calls", () => {
    const [one, other, host, shared] = [answering(accept), answering(accept), answering(accept), answering(accept)]
    return withServer(
      { wait: form(NAME) },
      hosting({ asker: host.asker }),
      (registry, server) =>
        Effect.gen(function*() {
          const silent = (asker: Asker) => registry.call("it_wait", {}, { asker })
          const of = (...askers: ReadonlyArray<Asker>) =>
            Effect.gen(function*() {
              const calls = yield* Effect.forEach(askers, (asker) => Effect.forkChild(silent(asker)))
              yield* ScriptedHost.drain
              yield* Effect.forEach(calls, Fiber.interrupt)
              return [one, other, host, shared].map(({ asked }) => asked.splice(0).length)
            })
          const never: Asker = { ...nobody, elicit: () => Effect.never }
          const first = yield* Effect.forkChild(silent(never))
          yield* ScriptedHost.drain
          assert.deepStrictEqual(yield* of(one.asker), [0, 0, 1, 0])
          yield* Fiber.interrupt(first)
          yield* TestClock.adjust("10 seconds")
          const sharing: Asker = { ...never, shared: shared.asker }
          const second = yield* Effect.forkChild(silent(sharing))
          yield* ScriptedHost.drain
          assert.deepStrictEqual(yield* of({ ...one.asker, shared: shared.asker }), [0, 0, 0, 1])
          yield* Fiber.interrupt(second)
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(yield* of(one.asker), [1, 0, 0, 0])
          server.say({ jsonrpc: "2.0", id: "own", ...form(NAME) })
          yield* ScriptedHost.drain
          assert.lengthOf(host.asked, 1)
          assert.deepInclude(received(server, "own")[0]?.["result"], accept)
        })
    )
  })

  it.effect("asks nobody else what it still wants to know for a call that was given up a moment ago", () => {
    const [one, other, host] = [answering(null), answering(null), answering(accept)]
    const silent: ScriptedHost.Script = { answer: ({ method }) => method === "tools/call" ? null : undefined }
    const entries = { it: { command: "server", protocol: "legacy" } }
    return AskingServers.withEntries(
      { server: silent },
      entries,
      hosting({ asker: host.asker }),
      (registry, { running }) =>
        Effect.gen(function*() {
          const first = yield* Effect.forkChild(registry.call("it_echo", {}, { asker: one.asker }))
          yield* ScriptedHost.drain
          yield* Fiber.interrupt(first)
          const second = yield* Effect.forkChild(registry.call("it_echo", {}, { asker: other.asker }))
          yield* ScriptedHost.drain
          const late = (id: string) => {
            running[0]?.say({ jsonrpc: "2.0", id, ...form(NAME) })
            return Effect.map(ScriptedHost.drain, () => [one, other, host].map(({ asked }) => asked.splice(0).length))
          }
          assert.deepStrictEqual(yield* late("late"), [0, 0, 1])
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(yield* late("later"), [0, 1, 0])
          yield* Fiber.interrupt(second)
          yield* TestClock.adjust("10 seconds")
          // Stopped, and asked again in the same chat.
          const inChat = ({ asker }: AskingServers.Answering) => ({ ...asker, audience: "chat" })
          const third = yield* Effect.forkChild(registry.call("it_echo", {}, { asker: inChat(one) }))
          yield* ScriptedHost.drain
          yield* Fiber.interrupt(third)
          const fourth = yield* Effect.forkChild(registry.call("it_echo", {}, { asker: inChat(other) }))
          yield* ScriptedHost.drain
          assert.deepStrictEqual(yield* late("again"), [0, 1, 0])
          yield* Fiber.interrupt(fourth)
          yield* TestClock.adjust("10 seconds")
          // Not stopped by anybody: it took too long.
          const slow = { asker: one.asker, timeout: Duration.seconds(1) }
          const fifth = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {}, slow)))
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* Fiber.join(fifth)).reason._tag, "CallTimeout")
          const sixth = yield* Effect.forkChild(registry.call("it_echo", {}, { asker: other.asker }))
          yield* ScriptedHost.drain
          assert.deepStrictEqual(yield* late("too late"), [0, 0, 1])
          yield* Fiber.interrupt(sixth)
        })
    )
  })

  it.effect("is held to ten questions at once and a hundred a minute, and beyond twice that gets no answer", () => {
    const person = answering(null)
    return withServer(
      { ask: form(NAME) },
      hosting({ asker: person.asker }),
      (registry, server) =>
        Effect.gen(function*() {
          const ask = (name: string, times: number) => {
            for (let at = 0; at < times; at++) server.say({ jsonrpc: "2.0", id: `${name}-${at}`, ...form(NAME) })
            return ScriptedHost.drain
          }
          const refused = (name: string) =>
            server.received.filter(({ error, id }) =>
              String(id).startsWith(name) && AskingServers.at(error)["code"] === -32000
            )
          yield* ask("first", 12)
          assert.lengthOf(person.asked, 10)
          assert.lengthOf(refused("first"), 2)
          yield* ask("flood", 1000)
          assert.lengthOf(person.asked, 10)
          assert.isBelow(refused("flood").length, 200)
          assert.include((yield* registry.settledServer("it")).warnings.join(), "asked more than it may")
          // After a minute it may ask again, as far as there is room.
          server.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "first-0" } })
          yield* TestClock.adjust(Duration.minutes(1))
          yield* ask("later", 1)
          assert.lengthOf(person.asked, 11)
        })
    )
  })

  it.effect("is held to the same limit with its pings and with what nobody here knows, and is warned of once", () =>
    withServer({}, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const say = (name: string, method: string, times: number) => {
          for (let at = 0; at < times; at++) server.say({ jsonrpc: "2.0", id: `${name}-${at}`, method })
          return ScriptedHost.drain
        }
        const told = (name: string, key: "error" | "result") =>
          server.received.filter((message) => String(message["id"]).startsWith(name) && message[key] !== undefined)
        yield* say("ping", "ping", 60)
        yield* say("odd", "server/odd", 60)
        assert.lengthOf(told("ping", "result"), 60)
        const codes = told("odd", "error").map(({ error }) => AskingServers.at(error)["code"])
        assert.deepStrictEqual(codes, [...Array(40).fill(-32601), ...Array(20).fill(-32000)])
        yield* say("flood", "ping", 1000)
        assert.lengthOf(told("flood", "error"), 80)
        assert.lengthOf(told("flood", "result"), 0)
        const { warnings } = yield* registry.settledServer("it")
        assert.lengthOf(warnings.filter((warning) => warning.includes("asked more than it may")), 1)
        yield* TestClock.adjust("1 minute")
        yield* say("later", "ping", 1)
        assert.lengthOf(told("later", "result"), 1)
      })))

  it.effect("is answered a hundred times a minute, however fast the answers come, and again in the next", () => {
    const person = answering(accept)
    return withServer({ ask: form(NAME) }, hosting({ asker: person.asker }), (_, server) =>
      Effect.gen(function*() {
        const answered = Effect.fnUntraced(function*(times: number) {
          for (let at = 0; at < times; at++) {
            server.say({ jsonrpc: "2.0", id: `q${at}`, ...form(NAME) })
            if (at % 5 === 0) yield* ScriptedHost.drain
          }
          yield* ScriptedHost.drain
          return person.asked.splice(0).length
        })
        assert.strictEqual(yield* answered(110), 100)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* answered(20), 20)
      }))
  })
})
