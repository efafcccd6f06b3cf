import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as FetchSend from "../../../../mcp-client/src/host/FetchSend.ts"
import * as HttpAuth from "../../../../mcp-client/src/http/HttpAuth.ts"
import type { HttpFailure } from "../../../../mcp-client/src/http/HttpFailure.ts"
import * as HttpHeaders from "../../../../mcp-client/src/http/HttpHeaders.ts"
import * as HttpRedirects from "../../../../mcp-client/src/http/HttpRedirects.ts"
import * as HttpSender from "../../../../mcp-client/src/http/HttpSender.ts"
import { Credentials } from "../../../../mcp-client/src/oauth/credentials/Credentials.ts"
import * as ScriptedAuth from "../../../../mcp-client/test/support/ScriptedAuth.ts"
import * as ServerConfigs from "../../../../mcp-client/test/support/ServerConfigs.ts"
import type { HttpRequest, HttpSend } from "../../../src/index.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

/** A web with a `send` of its own, and what went over it and over `fetch`. */
const ways = (answer: ScriptedWeb.Answer = () => undefined) =>
  Effect.map(ScriptedWeb.server(answer), (server) => {
    const fetched: Array<string> = []
    const sent: Array<HttpRequest> = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      fetched.push(init?.method ?? "GET")
      return server.fetch(input, init)
    }
    const over = FetchSend.over(server.fetch)
    const send: HttpSend = (request, receiver) => {
      sent.push(request)
      return over(request, receiver)
    }
    return { ...server, fetched, sent, web: { fetch, send } }
  })

const called = (web: Parameters<typeof ScriptedWeb.withRegistry>[0], entry: Record<string, unknown> = {}) =>
  ScriptedWeb.withRegistry(web, entry, (registry) => Effect.exit(registry.call("web_find", {})))

describe("HttpSend", () => {
  it.effect("carries the whole conversation where the host has one", () =>
    Effect.gen(function*() {
      const { fetched, of, sent, web } = yield* ways()
      assert.strictEqual((yield* called(web))._tag, "Success")
      assert.isEmpty(fetched)
      assert.includeMembers(sent.map(({ method }) => method), ["POST", "GET", "DELETE"])
      assert.lengthOf(of("tools/call"), 1)
    }))

  it.effect("is the public one for an entry that may reach public addresses only (R77)", () =>
    Effect.gen(function*() {
      const open = yield* ways()
      const guarded = yield* ways()
      const web = { ...open.web, publicFetch: guarded.web.fetch, publicSend: guarded.web.send }
      assert.strictEqual((yield* called(web, { publicOnly: true }))._tag, "Success")
      assert.isEmpty(open.seen)
      assert.isAbove(guarded.sent.length, 3)
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

  it.effect("is aborted also behind a redirect that was followed", () =>
    Effect.gen(function*() {
      const aborted: Array<string> = []
      const send: HttpSend = ({ url }, receiver) => {
        if (url.pathname === "/mcp") {
          queueMicrotask(() => {
            receiver.onHeaders(307, { location: "http://127.0.0.1/mcp/" })
            receiver.onEnd()
          })
        }
        return () => void aborted.push(url.pathname)
      }
      const none = () => ({})
      const auth: HttpAuth.HttpAuth = Object.assign(Object.create(null), { headers: none, accepted: none })
      const sender = yield* HttpSender.make(auth, send)
      const abort = sender({
        method: "POST",
        url: new URL("http://127.0.0.1/mcp"),
        rpcMethod: "tools/call",
        headers: (signed) => signed,
        body: "{}",
        onSuccess: () => HttpSender.IGNORED,
        onFailure: () => assert.fail("nobody waits for it")
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      abort()
      assert.deepStrictEqual(aborted, ["/mcp", "/mcp/"])
    }))

  it.effect.each(
    [
      { how: "breaks", renew: Effect.die(new Error("the store is broken")), words: "the store is broken" },
      { how: "is interrupted", renew: Effect.interrupt, words: "interrupted" }
    ]
  )("fails a request whose renewal of credentials $how", ({ renew, words }) =>
    Effect.gen(function*() {
      const send: HttpSend = (_, receiver) => {
        queueMicrotask(() => {
          receiver.onHeaders(401, {})
          receiver.onEnd()
        })
        return () => {}
      }
      const http = ServerConfigs.http("http://127.0.0.1/mcp")
      const auth: HttpAuth.HttpAuth = { ...HttpAuth.none(ServerConfigs.config({}), http), renew: () => renew }
      const sender = yield* HttpSender.make(auth, send)
      const failure = yield* Effect.callback<HttpFailure>((resume) => {
        sender({
          method: "POST",
          url: new URL("http://127.0.0.1/mcp"),
          rpcMethod: "tools/call",
          headers: (signed) => signed,
          body: "{}",
          onSuccess: () => HttpSender.IGNORED,
          onFailure: (found) => resume(Effect.succeed(found))
        })
      })
      assert.strictEqual(failure._tag, "Thrown")
      if (failure._tag === "Thrown") assert.include(String(failure.error), words)
    }))

  it.effect("makes its headers once for a session, not for each call", () =>
    Effect.gen(function*() {
      const { sent, web } = yield* ways()
      yield* ScriptedWeb.withRegistry(web, { headers: { "X-Own": "1" } }, (registry) =>
        Effect.gen(function*() {
          yield* registry.call("web_find", {})
          yield* registry.call("web_find", {})
        }))
      const calls = sent.filter(({ body }) => body?.includes("tools/call") === true)
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

describe("The headers of requests", () => {
  const keep = (access: string) =>
    Effect.flatMap(
      Credentials,
      (store) =>
        store.change(
          ScriptedAuth.KEY,
          () => Effect.succeed({ keep: ScriptedAuth.credential(access, "refresh-token-0"), give: null })
        )
    )

  it.effect("carry the token of who is signed in, made once, to its server only (R80)", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      const stranger = yield* ScriptedAuth.signed(web.fetch)
      const url = new URL(ScriptedAuth.MCP)
      assert.deepStrictEqual(stranger.auth.headers(url), {})
      yield* keep("old")
      const { auth, sender } = yield* ScriptedAuth.signed(web.fetch)
      const old = auth.headers(url)
      assert.strictEqual(auth.headers(url), old)
      yield* ScriptedAuth.post(sender)
      assert.deepStrictEqual(
        web.at("/mcp").map(({ authorization }) => authorization),
        ["Bearer old", "Bearer access-token-1"]
      )
      assert.deepStrictEqual(auth.headers(url), { authorization: "Bearer access-token-1" })
      assert.deepStrictEqual(auth.headers(new URL("https://elsewhere.example/mcp")), {})
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
  const follow = Effect.fnUntraced(function*(
    method: HttpRequest["method"],
    status: number,
    ...places: ReadonlyArray<string>
  ) {
    const seen: Array<string> = []
    const left = [...places]
    const config = ServerConfigs.config({})
    const auth = HttpAuth.none(config, ServerConfigs.http(URL_OF_SERVER.href))
    const sender = yield* HttpSender.make(
      auth,
      FetchSend.over((url) => {
        seen.push(String(url))
        const location = left.shift()
        const answer = location === undefined
          ? new Response("there")
          : new Response(null, { status, headers: { location } })
        return Promise.resolve(answer)
      })
    )
    const failure = yield* Effect.callback<HttpFailure | null>((resume) => {
      sender({
        method,
        url: URL_OF_SERVER,
        rpcMethod: "x",
        headers: () => ({}),
        body: null,
        onFailure: (found) => resume(Effect.succeed(found)),
        onSuccess: () => {
          resume(Effect.succeed(null))
          return HttpSender.IGNORED
        }
      })
    })
    return { seen, failure }
  })

  it.effect("are followed within the origin, where the method stays, and to the same host with TLS (R76)", () =>
    Effect.gen(function*() {
      const within = yield* follow("POST", 307, "/v2", "https://mcp.example/v3")
      assert.deepStrictEqual(within.seen, ["http://mcp.example/mcp", "http://mcp.example/v2", "https://mcp.example/v3"])
      assert.isNull((yield* follow("GET", 302, "/v2")).failure)
      for (
        const [method, status, place] of [
          ["POST", 302, "/v2"],
          ["POST", 307, "https://evil.example/"],
          ["POST", 307, "http://mcp.example:8080/"],
          ["POST", 307, "http://user:word@mcp.example/v2"]
        ] as const
      ) {
        const { failure, seen } = yield* follow(method, status, place)
        assert.lengthOf(seen, 1, place)
        assert.deepInclude(failure, { _tag: "Refused", status })
        assert.match(JSON.stringify(failure), /"Redirect to \S+ not followed"/)
        assert.notInclude(JSON.stringify(failure), "word")
      }
      assert.lengthOf((yield* follow("POST", 308, ...Array.from({ length: 9 }, () => "/again"))).seen, 6)
    }))

  it("from https to plain http are told with the better address", () => {
    const headers = { location: "http://mcp.example/v2?a" }
    assert.strictEqual(
      HttpRedirects.words(new URL("https://mcp.example/mcp"), 301, headers),
      "Redirect from https to plain http not followed; try https://mcp.example/v2 as the endpoint"
    )
    assert.isNull(HttpRedirects.words(URL_OF_SERVER, 200, headers))
  })
})
