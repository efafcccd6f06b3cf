import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

describe("A session that a server has forgotten", () => {
  it.effect("is followed by one that watches the same resources, at the second try if need be, and has the same log level", () =>
    Effect.gen(function*() {
      let lost = ""
      let sessions = 0
      let troubles = 1
      const heard: Array<string> = []
      const { fetch, of } = yield* ScriptedWeb.server((seen) => {
        if (seen.verb !== "POST" || seen.message?.["id"] === undefined) return undefined
        const session = seen.headers.get("mcp-session-id") ?? "none"
        if (session === lost) return new Response("no such session", { status: 404 })
        switch (seen.method) {
          case "initialize":
            return ScriptedWeb.json(
              ScriptedWeb.result(seen, {
                protocolVersion: "2025-11-25",
                capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
                serverInfo: { name: "web", version: "1" }
              }),
              { "mcp-session-id": `session-${sessions += 1}` }
            )
          case "resources/subscribe":
            if (session === "session-2" && troubles-- > 0) return new Response("not now", { status: 503 })
            return ScriptedWeb.json(ScriptedWeb.result(seen, {}))
          case "logging/setLevel":
            return ScriptedWeb.json(ScriptedWeb.result(seen, {}))
          default:
            return undefined
        }
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          yield* Effect.forkChild(
            Stream.runForEach(
              registry.watchResource("web", "memo://a"),
              ({ uri }) => Effect.sync(() => heard.push(uri))
            ),
            { startImmediately: true }
          )
          yield* registry.setLogLevel("web", "debug")
          yield* ScriptedHost.drain
          lost = "session-1"
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          yield* ScriptedHost.drain
          assert.deepStrictEqual(heard, [])
          yield* ScriptedHost.advance(2)
          const told = (method: string) =>
            of(method).map(({ headers, message }) => [headers.get("mcp-session-id"), Object(message?.["params"])])
          assert.deepStrictEqual(told("resources/subscribe").map(([session]) => session), [
            "session-1",
            "session-2",
            "session-2"
          ])
          const [session, params] = told("logging/setLevel").at(-1) ?? []
          assert.deepStrictEqual([session, params.level], ["session-2", "debug"])
          assert.deepStrictEqual(heard, ["memo://a"])
        }))
    }))
})
