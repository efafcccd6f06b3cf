import { Hash } from "@boocode/mcp-client/Text"
import { Environment, McpConfig } from "@boocode/mcp-config"
import {
  type Elicitation,
  McpRegistries,
  McpRegistry,
  type McpRegistry as Registry,
  nobody,
  PersonalValues,
  ServerRequests
} from "@boocode/mcp-registry"
import { Programs } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as TestRunner from "effect/cluster/TestRunner"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { platform, type ScriptedServers } from "../../mcp-registry/src/servers/ScriptedServers.ts"
import * as FleetServers from "../src/FleetServers.ts"

/** Two registries that get their servers from one fleet, which programs were started, and what these were written. */
const twoNodes = Effect.fnUntraced(function*(servers: ScriptedServers, entries: Layer.Layer<McpConfig> | null = null) {
  const starts: Array<string> = []
  const written: Array<string> = []
  const counted = Layer.effect(
    Programs,
    Effect.map(Programs, (programs) => ({
      start: (command: Parameters<typeof programs.start>[0]) => {
        starts.push(command.file)
        const { TOKEN: token } = command.env
        if (token !== undefined) starts.push(Redacted.isRedacted(token) ? Redacted.value(token) : token)
        return Effect.map(programs.start(command), (program) => ({
          ...program,
          write: (text: string) => {
            written.push(text)
            return program.write(text)
          }
        }))
      }
    }))
  )
  const host = Layer.mergeAll(
    Layer.provideMerge(counted, entries === null ? platform(servers) : Layer.provideMerge(entries, platform(servers))),
    Layer.succeed(PersonalValues, {
      of: (person: string) => Effect.succeed({ TOKEN: Redacted.make(`the token of ${person}`) }),
      changes: Stream.empty,
      workspace: () => Effect.succeed(null),
      areSeveral: Effect.succeed(true)
    }),
    Digest.layerWebCrypto,
    Layer.succeed(ServerRequests, {
      elicitation: ["form"],
      sampling: false,
      asker: nobody,
      roots: ServerRequests.defaultValue().roots
    })
  )
  const context = yield* Layer.build(
    FleetServers.layer({ secret: Redacted.make("secret"), folder: "/data" }).pipe(
      Layer.provideMerge(TestRunner.layer),
      Layer.provideMerge(host)
    )
  )
  // The engine looks at its shards now and then. Names of servers are hashes, which other threads make: time waits for them.
  const tick = Effect.andThen(TestClock.adjust("100 millis"), Hash.hex("tick"))
  yield* Effect.forkScoped(Effect.provideContext(Effect.forever(tick), context))
  const node = Effect.gen(function*() {
    const built = yield* Layer.build(Layer.fresh(McpRegistry.layer())).pipe(Effect.provideContext(context))
    const registry = Context.get(built, McpRegistry)
    const { failed } = yield* registry.settled
    assert.deepStrictEqual(failed, [])
    return { registry, people: Context.get(built, McpRegistries) }
  })
  const [one, other] = [yield* node, yield* node]
  return { starts, written, nodes: [one.registry, other.registry] as const, people: [one.people, other.people] }
})

const textOf = ({ content }: Effect.Success<ReturnType<Registry["Service"]["call"]>>) => content[0]?.["text"]

describe("Registries of a fleet", () => {
  it.effect("share one process of a server", () =>
    Effect.gen(function*() {
      const { nodes, starts } = yield* twoNodes({ files: { tools: { list: () => Effect.succeed("hello.txt") } } })
      const answers = yield* Effect.forEach(nodes, (node) => node.call("files_list", {}))
      assert.deepStrictEqual(answers.map(textOf), ["hello.txt", "hello.txt"])
      assert.deepStrictEqual(starts, ["files"])
    }))

  it.effect("share one process of a person's server, which another person has apart", () =>
    Effect.gen(function*() {
      const mail = { command: "mail", protocol: "legacy", env: { TOKEN: "${user:TOKEN}" } }
      const entries = Layer.provide(
        McpConfig.layerEntries({ mail }),
        Layer.mergeAll(Environment.layer({}), FileSystem.layerNoop({}), Path.layer)
      )
      const { people, starts } = yield* twoNodes(
        { mail: { tools: { read: () => Effect.succeed("a letter") } } },
        entries
      )
      for (const person of ["ann", "bob"]) {
        for (const registries of people) {
          const registry = yield* registries.of(person)
          yield* registry.settled
          assert.strictEqual(textOf(yield* registry.call("mail_read", {})), "a letter")
        }
      }
      const tokens = ["first", "ann", "bob"].map((person) => `the token of ${person}`)
      assert.deepStrictEqual(starts, tokens.flatMap((token) => ["mail", token]))
    }))

  it.effect("give the question of a call to the one who called", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { nodes: [one, other] } = yield* twoNodes({
        forms: {
          tools: {
            ask: (_, request) =>
              Effect.map(
                request("elicitation/create", {
                  message: "Your name?",
                  requestedSchema: { type: "object", properties: { name: { type: "string" } } }
                }),
                (answer) => JSON.stringify(answer)
              )
          }
        }
      })
      const as = (name: string) => ({
        asker: {
          ...nobody,
          elicit: (request: Elicitation) => {
            asked.push(`${name}: ${request.message}`)
            return Effect.succeed({ action: "accept" as const, content: { name } })
          }
        }
      })
      assert.strictEqual(
        textOf(yield* one.call("forms_ask", {}, as("Ann"))),
        "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}"
      )
      yield* other.call("forms_ask", {}, as("Bob"))
      assert.deepStrictEqual(asked, ["Ann: Your name?", "Bob: Your name?"])
    }))

  it.effect("end a call at the server when its caller is interrupted", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { nodes: [, other], written } = yield* twoNodes({
        slow: { tools: { wait: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) } }
      })
      const call = yield* Effect.forkChild(other.call("slow_wait", {}))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(call)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => written.join("").includes("notifications/cancelled") }))
      assert.lengthOf(written.filter((text) => text.includes("notifications/cancelled")), 1)
    }))

  it.effect("give a failure of the server in the server's words", () =>
    Effect.gen(function*() {
      const { nodes: [one] } = yield* twoNodes({ files: { tools: { list: () => Effect.fail("disk is full") } } })
      const { content, isError } = yield* one.call("files_list", {})
      assert.isTrue(isError)
      assert.strictEqual(content[0]?.["text"], "disk is full")
    }))

  it.effect("read resources", () =>
    Effect.gen(function*() {
      const { nodes: [, other] } = yield* twoNodes({ notes: { resources: { "note:1": "buy milk" } } })
      const [first] = (yield* other.resources()).resources
      assert.strictEqual(first?.uri, "note:1")
      const [content] = yield* other.readResource("notes", "note:1")
      assert.strictEqual(content?.text, "buy milk")
    }))
})
