import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as HttpHeaders from "../../../../mcp-client/src/http/HttpHeaders.ts"
import * as HttpRedirects from "../../../../mcp-client/src/http/HttpRedirects.ts"
import * as HttpReply from "../../../../mcp-client/src/http/HttpReply.ts"
import { Credentials } from "../../../../mcp-client/src/oauth/credentials/Credentials.ts"
import * as ScriptedAuth from "../../../../mcp-client/test/support/ScriptedAuth.ts"
import * as ServerConfigs from "../../../../mcp-client/test/support/ServerConfigs.ts"
import type { Post, Posting } from "../../../src/index.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

/** A web with a direct way, and what went over either. */
const ways = (answer: ScriptedWeb.Answer = () => undefined) =>
  Effect.map(ScriptedWeb.server(answer), (server) => {
    const fetched: Array<string> = []
    const posted: Array<Posting> = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      fetched.push(init?.method ?? "GET")
      return server.fetch(input, init)
    }
    const direct = HttpReply.fetchPost(server.fetch)
    const post: Post = (posting, receiving) => {
      posted.push(posting)
      return direct(posting, receiving)
    }
    return { ...server, fetched, posted, web: { fetch, post } }
  })

const called = (web: Parameters<typeof ScriptedWeb.withRegistry>[0], entry: Record<string, unknown> = {}) =>
  ScriptedWeb.withRegistry(web, entry, (registry) => Effect.exit(registry.call("web_find", {})))

describe("The direct way", () => {
  it.effect("takes every POST of a conversation where the host has one, and leaves the rest to fetch", () =>
    Effect.gen(function*() {
      const { fetched, of, web } = yield* ways()
      assert.strictEqual((yield* called(web))._tag, "Success")
      assert.deepStrictEqual(fetched, ["GET", "DELETE"])
      assert.lengthOf(of("tools/call"), 1)
    }))

  it.effect("is the public one for an entry that may reach public addresses only (R77)", () =>
    Effect.gen(function*() {
      const open = yield* ways()
      const guarded = yield* ways()
      const web = { ...open.web, publicFetch: guarded.web.fetch, publicPost: guarded.web.post }
      assert.strictEqual((yield* called(web, { publicOnly: true }))._tag, "Success")
      assert.isEmpty(open.seen)
      assert.isAbove(guarded.posted.length, 3)
      const slow = yield* ways()
      assert.strictEqual(
        (yield* called({ ...open.web, publicFetch: slow.web.fetch }, { publicOnly: true }))._tag,
        "Success"
      )
      assert.isEmpty(open.seen)
    }))

  it.effect("does not send a second time what was refused for want of authorization, nor sign in without need", () =>
    Effect.gen(function*() {
      const { of, web } = yield* ways(({ method }) =>
        method === "tools/call" ? new Response("who are you", { status: 401 }) : undefined
      )
      assert.strictEqual((yield* called(web))._tag, "Failure")
      assert.lengthOf(of("tools/call"), 1)
    }))

  it.effect("makes its headers once for a session, not for each call", () =>
    Effect.gen(function*() {
      const { posted, web } = yield* ways()
      yield* ScriptedWeb.withRegistry(web, { headers: { "X-Own": "1" } }, (registry) =>
        Effect.gen(function*() {
          yield* registry.call("web_find", {})
          yield* registry.call("web_find", {})
        }))
      const calls = posted.filter(({ body }) => body.includes("tools/call"))
      assert.lengthOf(calls, 2)
      assert.strictEqual(calls[0]?.headers, calls[1]?.headers)
      assert.deepInclude(calls[0]?.headers, {
        "x-own": "1",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2025-11-25"
      })
    }))
})

describe("The headers of the direct way", () => {
  const keep = (access: string) =>
    Effect.flatMap(
      Credentials,
      (store) =>
        store.change(
          ScriptedAuth.KEY,
          () => Effect.succeed({ keep: ScriptedAuth.credential(access, "refresh-token-0"), give: null })
        )
    )

  it.effect("carry the token of who is signed in, made once, and none that no answer has proven (R80)", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      const stranger = yield* ScriptedAuth.signed(web.fetch)
      assert.deepStrictEqual(stranger.headersNow(), {})
      yield* keep("old")
      const sent: Array<unknown> = []
      const { fetch, headersNow } = yield* ScriptedAuth.signed((input, init) => {
        if (new URL(String(input)).pathname === "/mcp") sent.push(headersNow())
        return web.fetch(input, init)
      })
      const old = headersNow()
      assert.strictEqual(headersNow(), old)
      yield* ScriptedAuth.post(fetch)
      // While the new token is on its way for the first time, others go where it is noted what becomes of it.
      assert.deepStrictEqual(sent, [{ authorization: "Bearer old" }, null])
      assert.deepStrictEqual(headersNow(), { authorization: "Bearer access-token-1" })
    }).pipe(Effect.provide(Credentials.layerMemory)))

  it("say what a request of 2026-07-28 is about, in plain text or encoded", () => {
    const session = { id: "s", version: "", isLost: false }
    const headers = HttpHeaders.make(ServerConfigs.http("https://mcp.example/mcp", { Accept: "text/x-own" }), session)
    const of = (method: string, params: Schema.JsonObject) => {
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      return headers.post({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, {}, { "Mcp-Param-A": "1" })
    }
    assert.deepInclude(of("tools/call", { name: "find" }), {
      accept: "text/x-own, application/json, text/event-stream",
      "mcp-session-id": "s",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "find",
      "Mcp-Param-A": "1"
    })
    assert.strictEqual(of("resources/read", { uri: "file:///ä" })["mcp-name"], "=?base64?ZmlsZTovLy/DpA==?=")
    assert.notProperty(of("tools/list", {}), "mcp-name")
    const plain = headers.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find" } }, {})
    assert.notProperty(plain, "mcp-method")
  })
})

describe("Redirects", () => {
  const URL_OF_SERVER = new URL("http://mcp.example/mcp")
  const follow = (method: string, status: number, ...places: ReadonlyArray<string>) => {
    const seen: Array<string> = []
    const left = [...places]
    const send = (url: URL) => {
      seen.push(url.href)
      const location = left.shift()
      return Effect.succeed(
        location === undefined ? new Response("there") : new Response(null, { status, headers: { location } })
      )
    }
    return Effect.map(HttpRedirects.within(URL_OF_SERVER, method, send), (response) => ({ seen, response }))
  }

  it.effect("are followed within the origin, where the method stays, and to the same host with TLS (R76)", () =>
    Effect.gen(function*() {
      const within = yield* follow("POST", 307, "/v2", "https://mcp.example/v3")
      assert.deepStrictEqual(within.seen, ["http://mcp.example/mcp", "http://mcp.example/v2", "https://mcp.example/v3"])
      assert.strictEqual((yield* follow("GET", 302, "/v2")).response.status, 200)
      for (
        const [method, status, place] of [
          ["POST", 302, "/v2"],
          ["POST", 307, "https://evil.example/"],
          ["POST", 307, "http://mcp.example:8080/"],
          ["POST", 307, "http://user:word@mcp.example/v2"]
        ] as const
      ) {
        const { response, seen } = yield* follow(method, status, place)
        assert.deepStrictEqual([seen.length, response.status], [1, status], place)
        assert.match(HttpRedirects.words(URL_OF_SERVER, response) ?? "", /^Redirect to \S+ not followed$/)
        assert.notInclude(HttpRedirects.words(URL_OF_SERVER, response) ?? "", "word")
      }
      assert.lengthOf((yield* follow("POST", 308, ...Array.from({ length: 9 }, () => "/again"))).seen, 6)
    }))

  it("from https to plain http are told with the better address", () => {
    const response = new Response(null, { status: 301, headers: { location: "http://mcp.example/v2?a" } })
    assert.strictEqual(
      HttpRedirects.words(new URL("https://mcp.example/mcp"), response),
      "Redirect from https to plain http not followed; try https://mcp.example/v2 as the endpoint"
    )
    assert.isNull(HttpRedirects.words(URL_OF_SERVER, new Response("x")))
  })
})
