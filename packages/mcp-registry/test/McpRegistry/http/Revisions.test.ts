import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../../../../mcp-client/src/base/JsonRpc.ts"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

type Json = Schema.JsonObject

const OLD = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
const ALL = [...OLD, "2026-07-28"]
const META = "io.modelcontextprotocol/protocolVersion"

/** The result of a server that speaks this revision alone; null refuses. */
const answerOf = (revision: string, method: unknown): Json | null => {
  const isModern = revision === "2026-07-28"
  const complete = isModern ? { resultType: "complete" } : {}
  const about = { capabilities: { tools: {} }, serverInfo: { name: "one", version: "1" } }
  switch (method) {
    case "server/discover":
      return isModern ? { ...complete, ...about, supportedVersions: [revision] } : null
    case "initialize":
      return isModern ? null : { ...about, protocolVersion: revision }
    case "tools/list":
      return { ...complete, tools: [ScriptedHost.tool("find")] }
    case "tools/call":
      return { ...complete, ...ScriptedWeb.text(revision) }
    default:
      return null
  }
}

const refusal = { code: -32601, message: "Method not found" }

const program = (revision: string): ScriptedHost.Script => ({
  answer: ({ id, method }) => {
    if (id === undefined) return null
    const result = answerOf(revision, method)
    return result === null ? { jsonrpc: "2.0", id, error: refusal } : { jsonrpc: "2.0", id, result }
  }
})

const website = (revision: string) =>
  ScriptedWeb.server((seen) => {
    if (seen.verb !== "POST" || seen.message?.["id"] === undefined) return undefined
    const result = answerOf(revision, seen.method)
    return result === null
      ? ScriptedWeb.json({ jsonrpc: "2.0", id: seen.message["id"], error: refusal })
      : ScriptedWeb.json(
        ScriptedWeb.result(seen, result),
        seen.method === "initialize" ? { "mcp-session-id": "one" } : {}
      )
  })

const withProgram = <A, E>(
  script: ScriptedHost.Script,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ server: script })
    const layer = host.layer({ it: { command: "server", ...entry } })
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(layer))
  })

const text = (found: { readonly content: ReadonlyArray<unknown> }) => Reflect.get(Object(found.content[0]), "text")

/** Silence, where only methods of the old era are known. */
const quiet = (method: Schema.Json | undefined) => method === "server/discover" || method === "ping" ? null : undefined

/**
 * As the official SDK 2 chooses the era of a program: `initialize` is the old one, any request that names our revision
 * but `server/discover` the new one, and the first that comes decides. The answer to `server/discover` comes last.
 */
const dual = () => {
  let era: string | null = null
  return (message: Json): ReadonlyArray<Json> => {
    const { id, method, params } = message
    if (id === undefined) return []
    if (method === "initialize") era ??= "2025-11-25"
    else if (method !== "server/discover" && JsonRpc.isObject(params) && JsonRpc.isObject(params["_meta"])) {
      era ??= "2026-07-28"
    }
    const result = answerOf(method === "server/discover" ? "2026-07-28" : era ?? "2025-11-25", method)
    return [result === null ? { jsonrpc: "2.0", id, error: refusal } : { jsonrpc: "2.0", id, result }]
  }
}

/** A program that reads nothing until it is woken. */
const sleeper = (answers: (message: Json) => ReadonlyArray<Json>) => {
  let unread: Array<Json> | null = []
  let say = (_: Json) => {}
  const script: ScriptedHost.Script = {
    answer: (message, server) => {
      say = server.say
      if (unread === null) answers(message).forEach(say)
      else unread.push(message)
      return null
    }
  }
  const wake = () => {
    const [first, ...rest] = unread ?? []
    unread = null
    for (const message of rest) answers(message).forEach(say)
    if (first !== undefined) answers(first).forEach(say)
  }
  return { script, wake }
}

describe("Revisions", () => {
  it.effect.each(ALL)(
    "%s is agreed on with a program that speaks nothing else (R90, R91)",
    (revision) =>
      withProgram(program(revision), {}, (registry, host) =>
        Effect.gen(function*() {
          yield* registry.settled
          const { error, protocolVersion } = yield* registry.server("it")
          assert.deepStrictEqual([error?.message, protocolVersion], [undefined, revision])
          assert.strictEqual(text(yield* registry.call("it_find", {})), revision)
          assert.lengthOf(host.running, 1)
          const metas = host.running[0]?.received.filter(({ method }) => method === "tools/call").map(({ params }) =>
            JsonRpc.isObject(params) && JsonRpc.isObject(params["_meta"]) ? params["_meta"][META] : undefined
          )
          assert.deepStrictEqual(metas, [revision === "2026-07-28" ? revision : undefined])
        }))
  )

  it.effect.each(ALL)(
    "%s is agreed on over HTTP, and named in every later request (R90, R91)",
    (revision) =>
      Effect.gen(function*() {
        const { fetch, of, seen } = yield* website(revision)
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            const { error, protocolVersion } = yield* registry.server("web")
            assert.deepStrictEqual([error?.message, protocolVersion], [undefined, revision])
            assert.strictEqual(text(yield* registry.call("web_find", {})), revision)
          }))
        const agreed = revision === "2026-07-28" ? "server/discover" : "initialize"
        const later = seen.slice(seen.findIndex(({ method }) => method === agreed) + 1)
        assert.isAtLeast(later.length, 2)
        const named = later.map(({ headers, method, verb }) => [method ?? verb, headers.get("mcp-protocol-version")])
        assert.deepStrictEqual(named, later.map(({ method, verb }) => [method ?? verb, revision]))
        const hasSession = revision !== "2026-07-28"
        assert.deepStrictEqual([of("GET").length, of("DELETE").length], hasSession ? [1, 1] : [0, 0])
        assert.isTrue(of("tools/call").every(({ headers }) => headers.has("mcp-session-id") === hasSession))
      })
  )

  it.effect("a program that speaks only what we do not: both sides, and no second attempt (R90)", () =>
    withProgram(
      {
        answer: ({ id, method }) => {
          if (id === undefined || method !== "initialize") return undefined
          return { jsonrpc: "2.0", id, error: { code: -32602, message: "no", data: { supported: ["2024-10-01"] } } }
        }
      },
      {},
      (registry, host) =>
        Effect.gen(function*() {
          const { failed } = yield* registry.settled
          const error = ScriptedHost.errorOf(failed[0])
          assert.strictEqual(error?._tag, "ProtocolMismatch")
          for (const revision of [...ALL, "2024-10-01"]) assert.include(error?.message, revision)
          yield* ScriptedHost.advance(120)
          assert.lengthOf(host.running, 1)
        })
    ))

  it.effect("an entry that asks for 2026-07-28: what the program says that it speaks (R90)", () =>
    withProgram(
      {
        answer: ({ id, method }) =>
          id === undefined || method !== "server/discover" ? undefined : {
            jsonrpc: "2.0",
            id,
            error: { code: -32022, message: "no", data: { supported: ["2025-11-25", "2025-06-18"] } }
          }
      },
      { protocol: "2026-07-28" },
      (registry, host) =>
        Effect.gen(function*() {
          const { failed } = yield* registry.settled
          assert.strictEqual(
            ScriptedHost.errorOf(failed[0])?.message,
            "no common protocol revision: we ask for 2026-07-28; it speaks 2025-11-25, 2025-06-18"
          )
          assert.isFalse(host.running[0]?.received.some(({ method }) => method === "initialize"))
        })
    ))

  it.effect("an entry that asks for 2026-07-28 waits for a slow program as long as it may (R18, R91)", () => {
    let answer = () => {}
    const discover = answerOf("2026-07-28", "server/discover") ?? {}
    return withProgram(
      {
        answer: (message, server) => {
          if (message["method"] !== "server/discover") return program("2026-07-28").answer?.(message, server)
          answer = () => server.say({ jsonrpc: "2.0", id: message["id"] ?? 0, result: discover })
          return null
        }
      },
      { protocol: "2026-07-28", startupTimeout: "30 seconds" },
      (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(20)
          assert.strictEqual((yield* registry.server("it")).state, "connecting")
          answer()
          yield* ScriptedHost.drain
          assert.strictEqual((yield* registry.server("it")).state, "ready")
        })
    )
  })

  it.effect("an entry that asks for 2026-07-28 and a program that is silent or ends: just that (R40, R91)", () =>
    Effect.gen(function*() {
      const entry = { protocol: "2026-07-28", startupTimeout: "10 seconds" }
      yield* withProgram({ answer: () => null }, entry, (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(11)
          const { error } = yield* registry.server("it")
          assert.deepStrictEqual([error?._tag, error?.method], ["HandshakeTimeout", "server/discover"])
        }))
      yield* withProgram({ exitsAtOnce: { code: 3, stderr: "boom\n" } }, entry, (registry) =>
        Effect.gen(function*() {
          const { failed } = yield* registry.settled
          assert.match(ScriptedHost.errorOf(failed[0])?.message ?? "", /exited with code 3 .*boom/)
        }))
    }))

  it.effect("a program that says nothing to methods it does not know is ready after two seconds (R18, R91)", () =>
    withProgram(
      { answer: ({ id, method }) => method === "ping" ? { jsonrpc: "2.0", id: id ?? 0, result: {} } : quiet(method) },
      {},
      (registry, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(1)
          assert.strictEqual((yield* registry.server("it")).state, "connecting")
          yield* ScriptedHost.advance(1)
          const { protocolVersion, state } = yield* registry.server("it")
          assert.deepStrictEqual([state, protocolVersion], ["ready", "2025-11-25"])
          assert.lengthOf(host.running, 1)
        })
    ))

  it.effect("a program that says nothing to a ping either is ready after five seconds (R18, R91)", () =>
    withProgram({ answer: ({ method }) => quiet(method) }, {}, (registry) =>
      Effect.gen(function*() {
        yield* ScriptedHost.advance(5)
        const { protocolVersion, state } = yield* registry.server("it")
        assert.deepStrictEqual([state, protocolVersion], ["ready", "2025-11-25"])
      })))

  it.effect.each([3, 8, 20])(
    "a program of both eras that reads its first message after %s seconds is spoken to in 2026-07-28 (R91)",
    (seconds) => {
      const { script, wake } = sleeper(dual())
      return withProgram(script, {}, (registry, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(seconds)
          wake()
          yield* ScriptedHost.advance(2)
          const { protocolVersion, state } = yield* registry.server("it")
          assert.deepStrictEqual([state, protocolVersion], ["ready", "2026-07-28"])
          assert.lengthOf(host.running, 1)
        }))
    }
  )
})
