import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import * as Tracer from "effect/Tracer"
import * as MemoryDisk from "../../../../mcp-client/test/support/MemoryDisk.ts"
import * as ServerConfigs from "../../../../mcp-client/test/support/ServerConfigs.ts"
import { ServerRequests } from "../../../src/index.ts"
import * as EntryRoots from "../../../src/state/EntryRoots.ts"
import * as AskingServers from "../../support/AskingServers.ts"
import * as OfferingServers from "../../support/OfferingServers.ts"
import * as Reloading from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { NAME, ROOTS, answerOf, answering, at, form, hosting, received, sampling, url, withServer } = AskingServers

const accept = { action: "accept", content: { name: "Ada" } } as const
const workspace = { uri: "file:///work", name: "work" }
/** So deep that not everybody can read it, and no deeper than can be sent. */
const DEEP = Array.from({ length: 3000 }).reduce<Schema.JsonObject>((inner) => ({ inner }), {})
const inWorkspace = { current: Effect.succeed([workspace]), changes: Stream.empty }

describe("What a server is told it may ask", () => {
  const cases = [
    [hosting({ elicitation: [], sampling: false }), {}],
    [hosting({ elicitation: ["form"], sampling: false }), { elicitation: { form: {} } }],
    [hosting({ elicitation: ["form", "url"] }), { elicitation: { form: {}, url: {} }, sampling: {} }],
    [hosting({ elicitation: [], roots: inWorkspace }), { sampling: {}, roots: { listChanged: true } }]
  ] as const
  it.effect.each(cases)(
    "is exactly what the host answers, in the handshake (R56): %#",
    ([requests, capabilities]) =>
      withServer({ ask: form(NAME) }, requests, (_, server) =>
        Effect.sync(() => {
          const [hello] = received(server, "initialize")
          assert.deepStrictEqual(at(hello, "params", "capabilities"), capabilities)
        }))
  )

  it.effect("and nothing else: the rest is unknown at once, and what is no request of the protocol is refused (R56)", () => {
    const person = answering(accept, "hello")
    const questions = {
      roots: ROOTS,
      other: { method: "tasks/get", params: {} },
      visit: url("https://example.com/"),
      mode: { method: "elicitation/create", params: { mode: "voice", message: "?" } },
      wordless: { method: "elicitation/create", params: { requestedSchema: { type: "object", properties: {} } } },
      nested: form({ inner: { type: "object", properties: {} } }),
      large: form({ text: { type: "string", description: "x".repeat(300_000) } }),
      empty: sampling({ messages: [] }),
      endless: sampling({ maxTokens: 0 }),
      tools: sampling({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
      strange: sampling({ messages: [{ role: "user", content: { type: "tool_result" } }] }),
      deep: form({ text: { type: "string", more: DEEP } }),
      abyss: sampling({ modelPreferences: DEEP })
    }
    const codes = { roots: -32601, other: -32601 }
    return withServer(
      questions,
      hosting({ elicitation: ["form"], asker: person.asker }),
      (registry) =>
        Effect.gen(function*() {
          for (const name of Object.keys(questions)) {
            const answer = answerOf(yield* registry.call(`it_${name}`, {}))
            assert.deepStrictEqual([name, answer], [name, { error: Reflect.get(codes, name) ?? -32602 }])
          }
          assert.lengthOf(person.asked, 0)
        })
    )
  })
})

describe("What a server asks", () => {
  it.effect("is shown without what hides or is secret, and a default that is secret is none", () => {
    const person = answering(accept)
    const fields = {
      name: {
        type: "string",
        title: "Na\u202Eme canary-secret",
        enum: ["Ada", "canary-secret"],
        default: "canary-secret"
      },
      title: { type: "string", default: "plain" }
    }
    const titled = form(fields, { title: "all of canary-secret" })
    const asked = { ...titled, params: { ...at(titled, "params"), message: "to\u0007ken canary-secret?" } }
    return withServer({ ask: asked }, hosting(), (registry) =>
      Effect.gen(function*() {
        const result = yield* registry.call("it_ask", {}, { asker: person.asker })
        assert.deepStrictEqual(at(answerOf(result), "content"), { name: "Ada", title: "plain" })
        const [{ message, schema }] = Schema.decodeUnknownSync(
          Schema.Tuple([Schema.Struct({ message: Schema.String, schema: Schema.Unknown })])
        )(person.asked)
        assert.strictEqual(message, "token <redacted>?")
        assert.strictEqual(at({ schema }, "schema")["title"], "all of <redacted>")
        assert.deepStrictEqual(at(schema, "properties", "name"), {
          type: "string",
          title: "Name <redacted>",
          enum: ["Ada", "canary-secret"]
        })
      }), { env: { TOKEN: "canary-secret" } })
  })

  it.effect("is a visit to a safe address only; anything else is declined without asking", () => {
    const person = answering({ action: "accept", content: { stray: 1 } })
    const declined = [
      "http://example.com/",
      "https://bank.com@evil.example/",
      "javascript:alert(1)",
      "file:///etc/passwd"
    ]
    const questions = {
      ...Object.fromEntries(declined.map((address, index) => [`no${index}`, url(address)])),
      yes: url("https://exämple.com/login"),
      near: url("http://127.0.0.1:3000/x")
    }
    return withServer(questions, hosting({ asker: person.asker }), (registry) =>
      Effect.gen(function*() {
        for (const index of declined.keys()) {
          assert.deepStrictEqual(answerOf(yield* registry.call(`it_no${index}`, {})), { action: "decline" })
        }
        assert.lengthOf(person.asked, 0)
        assert.include((yield* registry.settledServer("it")).warnings.join(), "that was declined")
        assert.deepStrictEqual(answerOf(yield* registry.call("it_yes", {})), { action: "accept" })
        assert.deepStrictEqual(answerOf(yield* registry.call("it_near", {})), { action: "accept" })
        const shown = person.asked.map((asked) => Reflect.get(asked, "url"))
        assert.deepStrictEqual(shown, ["https://xn--exmple-cua.com/login", "http://127.0.0.1:3000/x"])
      }))
  })

  it.effect("counts as visited when the server says that the person was there", () => {
    const person = answering(null)
    return withServer(
      { ask: url("https://example.com/", "visit-1") },
      hosting(),
      (registry, server) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(registry.call("it_ask", {}, { asker: person.asker }))
          yield* ScriptedHost.drain
          const complete = (elicitationId: string) =>
            server.say({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId } })
          complete("another")
          yield* ScriptedHost.drain
          assert.isUndefined(call.pollUnsafe())
          complete("visit-1")
          assert.deepStrictEqual(answerOf(yield* Fiber.join(call)), { action: "accept" })
          assert.strictEqual(person.interrupted(), 1)
        })
    )
  })

  it.effect("ends with the answer to its call, although the listener to the call's progress takes longer", () => {
    const person = answering(null)
    return withServer({ ask: form(NAME) }, hosting(), (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(
          registry.call("it_ask", {}, { asker: person.asker, onProgress: () => Effect.never })
        )
        yield* ScriptedHost.drain
        const asked = received(server, "tools/call")[0] ?? assert.fail("no call came")
        const { id = null } = asked
        const { progressToken = null } = at(asked, "params", "_meta")
        server.say({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } })
        yield* ScriptedHost.drain
        server.say({ jsonrpc: "2.0", id, result: { content: [] } })
        yield* ScriptedHost.drain
        assert.isUndefined(call.pollUnsafe())
        assert.deepStrictEqual(received(server, `ask-${id}`).map(({ result }) => result), [{ action: "cancel" }])
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(call)
      }))
  })

  it.effect("may be a model's words: the model's answer goes back, and a no is told as the protocol has it", () => {
    const [willing, unwilling] = [answering(accept, "hello"), answering(accept)]
    const asked = sampling({ systemPrompt: "be kind", temperature: 0.5, stopSequences: ["."], maxTokens: 10.9 })
    return withServer({ ask: asked }, hosting(), (registry) =>
      Effect.gen(function*() {
        const result = yield* registry.call("it_ask", {}, { asker: willing.asker })
        assert.deepStrictEqual(answerOf(result), {
          role: "assistant",
          content: { type: "text", text: "hello" },
          model: "m1",
          stopReason: "endTurn"
        })
        assert.deepInclude(willing.asked[0], {
          server: "it",
          systemPrompt: "be kind",
          temperature: 0.5,
          stopSequences: ["."],
          maxTokens: 10
        })
        assert.deepStrictEqual(answerOf(yield* registry.call("it_ask", {}, { asker: unwilling.asker })), { error: -1 })
      }))
  })

  it.effect("may be about a prompt or a resource, whose limits rest as a call's do", () => {
    const person = answering(accept)
    const replies: Array<() => void> = []
    const asking = (_: unknown, server: ScriptedHost.Running) => {
      const id = server.received.at(-1)?.["id"] ?? null
      server.say({ jsonrpc: "2.0", id: `ask-${id}`, ...form(NAME) })
      replies.push(() => server.say({ jsonrpc: "2.0", id, result: { contents: [], messages: [] } }))
      return "silence" as const
    }
    const script = OfferingServers.script({
      "prompts/list": () => ({ prompts: [{ name: "p" }] }),
      "prompts/get": asking,
      "resources/read": asking
    })
    const entry = { command: "server", protocol: "legacy", timeout: "2 seconds" }
    return AskingServers.withEntries(
      { server: script },
      { it: entry },
      hosting(),
      (registry, host) =>
        Effect.gen(function*() {
          const asker = { ...person.asker, elicit: () => Effect.delay(Effect.succeed(accept), "1 minute") }
          const asks = [
            Effect.asVoid(registry.prompt("it", "p", {}, { asker })),
            Effect.asVoid(registry.readResource("it", "x:y", { asker }))
          ]
          for (const ask of asks) {
            const fiber = yield* Effect.forkChild(Effect.exit(ask))
            yield* ScriptedHost.drain
            yield* TestClock.adjust("1 minute")
            yield* ScriptedHost.drain
            assert.isUndefined(fiber.pollUnsafe())
            replies.pop()?.()
            assert.strictEqual((yield* Fiber.join(fiber))._tag, "Success")
          }
          const answers = host.running[0]?.received.filter(({ id }) => String(id).startsWith("ask-"))
          assert.deepStrictEqual(answers?.map(({ result }) => result), [accept, accept])
        })
    )
  })
})

describe("A call that is refused until a person was somewhere (-32042)", () => {
  const refusing = (refusals: number, address = "https://example.com/go"): ScriptedHost.Script => {
    let calls = 0
    return {
      tools: [ScriptedHost.tool("pay")],
      answer: ({ id, method }) => {
        if (method !== "tools/call" || id === undefined || calls++ >= refusals) return undefined
        const elicitations = [{ mode: "url", elicitationId: "e1", message: "sign in", url: address }]
        return { jsonrpc: "2.0", id, error: { code: -32042, message: "sign in first", data: { elicitations } } }
      }
    }
  }
  const entries = { it: { command: "server", protocol: "legacy", timeout: "5 seconds" } }

  it.effect("is made once more when the visit is done", () => {
    const person = answering({ action: "accept", content: null })
    return AskingServers.withEntries(
      { server: refusing(1) },
      entries,
      hosting(),
      (registry, host) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(registry.call("it_pay", {}, { asker: person.asker }))
          yield* ScriptedHost.drain
          yield* TestClock.adjust("1 minute")
          assert.isUndefined(call.pollUnsafe())
          host.running[0]?.say({
            jsonrpc: "2.0",
            method: "notifications/elicitation/complete",
            params: { elicitationId: "e1" }
          })
          assert.isFalse((yield* Fiber.join(call)).isError)
          assert.deepInclude(person.asked[0], { kind: "url", url: "https://example.com/go", message: "sign in" })
        })
    )
  })

  it.effect("is made once more after a while where nobody says so, and no third time", () => {
    const person = answering({ action: "accept", content: null })
    return AskingServers.withEntries(
      { server: refusing(2) },
      entries,
      hosting(),
      (registry, host) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(registry.call("it_pay", {}, { asker: person.asker }))
          yield* ScriptedHost.drain
          yield* TestClock.adjust("2 minutes")
          const result = yield* Fiber.join(call)
          assert.isTrue(result.isError)
          assert.include(JSON.stringify(result.content), "sign in first")
          assert.lengthOf(host.running[0]?.received.filter(({ method }) => method === "tools/call") ?? [], 2)
          assert.lengthOf(person.asked, 1)
        })
    )
  })

  it.effect("stays refused, at once, where the person does not want to go, or nobody can be asked", () => {
    const person = answering({ action: "decline" })
    const run = (requests: AskingServers.Service) =>
      AskingServers.withEntries({ server: refusing(9) }, entries, requests, (registry, host) =>
        Effect.gen(function*() {
          const result = yield* registry.call("it_pay", {}, { asker: person.asker })
          assert.isTrue(result.isError)
          assert.include(JSON.stringify(result.content), "visit https://example.com/go, if you trust the server")
          assert.lengthOf(host.running[0]?.received.filter(({ method }) => method === "tools/call") ?? [], 1)
        }))
    return Effect.andThen(run(hosting()), run(hosting({ elicitation: ["form"] })))
  })

  it.effect.each(["javascript:alert(1)", "https://bank.com@evil.example/", "http://example.com/", "nowhere"])(
    "sends nobody to an address that is not safe, nor tells anybody of it: %s",
    (address) => {
      const person = answering({ action: "accept", content: null })
      const scripts = { server: refusing(9, address) }
      return AskingServers.withEntries(scripts, entries, hosting(), (registry) =>
        Effect.gen(function*() {
          const result = yield* registry.call("it_pay", {}, { asker: person.asker })
          assert.isTrue(result.isError)
          assert.notInclude(JSON.stringify(result.content), address)
          assert.lengthOf(person.asked, 0)
        }))
    }
  )
})

describe("The trace a request belongs to", () => {
  it.effect("goes along where the host keeps the trace, and only there", () => {
    const spans: Array<Tracer.Span> = []
    const keeping = (sampled: boolean) =>
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan({ ...options, sampled })
          spans.push(span)
          return span
        }
      })
    const entries = { it: { command: "server", protocol: "legacy" } }
    return AskingServers.withEntries({ server: {} }, entries, hosting(), (registry, host) =>
      Effect.gen(function*() {
        const sent = Effect.fnUntraced(function*(tracer: Tracer.Tracer | null) {
          const call = registry.call("it_echo", {})
          yield* tracer === null ? call : Effect.withTracer(call, tracer)
          const last = host.running[0]?.received.findLast(({ method }) => method === "tools/call")
          return at(last, "params", "_meta")["traceparent"]
        })
        assert.isUndefined(yield* sent(null))
        assert.isUndefined(yield* sent(keeping(false)))
        const traceparent = yield* sent(keeping(true))
        assert.include(spans.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`), traceparent)
      }))
  })
})

describe("The folders a server may work in", () => {
  it.effect("are the host's for a program whose arguments name none, and each change is told once", () => {
    let folders = [workspace]
    const changed = Deferred.makeUnsafe<void>()
    const roots = {
      current: Effect.sync(() => folders),
      changes: Stream.concat(Stream.make(undefined), Stream.fromEffect(Deferred.await(changed)))
    }
    return withServer({ ask: ROOTS }, hosting({ roots }), (registry, server) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(answerOf(yield* registry.call("it_ask", {})), { roots: [workspace] })
        yield* ScriptedHost.drain
        assert.lengthOf(received(server, "notifications/roots/list_changed"), 0)
        folders = [{ uri: "file:///other", name: "other" }]
        Deferred.doneUnsafe(changed, Effect.void)
        yield* ScriptedHost.drain
        assert.lengthOf(received(server, "notifications/roots/list_changed"), 1)
        assert.deepStrictEqual(answerOf(yield* registry.call("it_ask", {})), { roots: folders })
      }))
  })

  it.effect("are those of its entry, or none where it says so, and nobody asks the host for them", () =>
    Effect.gen(function*() {
      const roots = { current: Effect.succeed([workspace]), changes: Stream.empty }
      const told = (entry: object) =>
        withServer(
          { ask: ROOTS },
          hosting({ roots }),
          (registry) => Effect.map(registry.call("it_ask", {}), answerOf),
          { ...entry }
        )
      assert.deepStrictEqual(yield* told({ roots: ["/a/b", "/c"] }), {
        roots: [{ uri: "file:///a/b", name: "b" }, { uri: "file:///c", name: "c" }]
      })
      assert.deepStrictEqual(yield* told({ roots: true }), { roots: [workspace] })
      assert.deepStrictEqual(yield* told({ roots: false }), { error: -32601 })
      assert.deepStrictEqual(yield* told({ roots: [] }), { error: -32601 })
    }))

  it.effect("change for a server that runs on when only they change in its entry, and not when it was told of none", () => {
    const script = AskingServers.script({ ask: ROOTS })
    const entry = (roots: Schema.Json) => ({ it: { command: "server", protocol: "legacy", roots } })
    const requests = Layer.succeed(ServerRequests, hosting({ roots: inWorkspace }))
    return Reloading.withWorld({ server: script }, entry(["/a"]), (world) =>
      Effect.gen(function*() {
        const told = Effect.map(world.registry.call("it_ask", {}), answerOf)
        const changes = () =>
          world.host.running.map((server) => received(server, "notifications/roots/list_changed").length)
        yield* world.save(entry(["/a", "/b"]))
        assert.deepStrictEqual(changes(), [1])
        assert.lengthOf(Object(yield* told).roots, 2)
        yield* world.save(entry(true))
        assert.deepStrictEqual(yield* told, { roots: [workspace] })
        assert.deepStrictEqual(changes(), [2])
        yield* world.save(entry(["/a", "/b"]))
        yield* world.save(entry(["/a", "/b"]))
        assert.deepStrictEqual(changes(), [3])
        assert.deepStrictEqual(yield* world.pid("it"), 1)
        yield* world.save(entry([]))
        assert.deepStrictEqual(yield* world.pid("it"), 2)
        assert.deepStrictEqual(yield* told, { error: -32601 })
      }), requests)
  })

  it.effect("are answered for with an error where the host cannot tell them", () => {
    const roots = { current: Effect.die("broken"), changes: Stream.empty }
    return withServer({ ask: ROOTS }, hosting({ roots }), (registry) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(answerOf(yield* registry.call("it_ask", {})), { error: -32603 })
      }), { roots: true })
  })

  it.effect("may be named later, where an entry asks for the host's and the host has none", () => {
    const script = AskingServers.script({ ask: ROOTS })
    const entry = (roots: Schema.Json) => ({ it: { command: "server", protocol: "legacy", roots } })
    return Reloading.withWorld({ server: script }, entry(true), (world) =>
      Effect.gen(function*() {
        const told = Effect.map(world.registry.call("it_ask", {}), answerOf)
        assert.deepStrictEqual(yield* told, { roots: [] })
        yield* world.save(entry(["/a"]))
        assert.deepStrictEqual(yield* told, { roots: [{ uri: "file:///a", name: "a" }] })
        assert.deepStrictEqual(yield* world.pid("it"), 1)
      }), Layer.succeed(ServerRequests, hosting()))
  })

  it.effect("are not the host's where an argument names a folder, nor for a server elsewhere", () => {
    const disk = MemoryDisk.make()
    disk.files.set("/data/there/file", "").set("/data/file", "")
    const kind = (args: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        const said = yield* SubscriptionRef.make<EntryRoots.Said>(null)
        const transport = ServerConfigs.stdio({}, args)
        const roots = yield* EntryRoots.make(ServerConfigs.config({ transport }), said)
        return roots === null ? "none" : "told"
      }).pipe(
        Effect.provideService(ServerRequests, hosting({ roots: inWorkspace })),
        Effect.provide(disk.layer)
      )
    return Effect.gen(function*() {
      assert.strictEqual(yield* kind([]), "told")
      assert.strictEqual(yield* kind(["-y", "file", "/nowhere", "--x=elsewhere"]), "told")
      assert.strictEqual(yield* kind(["-y", "server", "/data/there"]), "none")
      assert.strictEqual(yield* kind(["there"]), "none")
      assert.strictEqual(yield* kind(["--root=there"]), "none")
    })
  })
})
