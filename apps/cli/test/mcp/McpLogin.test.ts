import { Environment, McpConfig } from "@boocode/mcp-config"
import { type AuthorizationRequest, McpError, McpErrors, toStatusError } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { openable } from "../../src/terminal/Browser.ts"
import { boocode, json, type Script, status } from "../support/Scripted.ts"

const STATE = "a-state-that-nobody-guesses"

/** An entry `web` with this under `oauth`. */
const configuration = (oauth?: Schema.JsonObject) => {
  const entry = { url: "https://mcp.example/mcp", ...(oauth === undefined ? {} : { oauth }) }
  const layer = Layer.provide(McpConfig.layerEntries({ web: entry }), [
    Environment.layer({}),
    FileSystem.layerNoop({}),
    Path.layer
  ])
  return Effect.provide(Effect.flatMap(McpConfig, ({ current }) => current), layer)
}

/** A registry whose login sends a person to `url`, and says of its server what they came back with. */
const script = (more: Script = {}, url = `https://auth.example/authorize?state=${STATE}`): Script => ({
  servers: [status("web", { state: "needs-auth", tools: 0 })],
  login: (name, asking) =>
    Effect.gen(function*() {
      if (asking === null) return status(name)
      const { redirectUri } = asking
      const request: AuthorizationRequest = {
        server: name,
        url,
        state: STATE,
        redirectUri,
        issuer: "https://auth.example",
        scopes: []
      }
      const came = yield* Effect.mapError(asking.authorize(request), (reason) => new McpError({ server: name, reason }))
      return status(name, { warnings: [came] })
    }),
  ...more
})

const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>, given: Script, oauth?: Schema.JsonObject) {
  return yield* boocode(["mcp", "login", "web", "--json", ...args], {
    ...given,
    configuration: yield* configuration(oauth)
  })
})

/** What the browser or the person brought. */
const came = (stdout: string) => Object(json(stdout)).warnings[0]

describe("mcp login", () => {
  it.effect("opens the browser, waits for it at a port of this machine, and prints the server as it stands then", () =>
    Effect.gen(function*() {
      const ended = yield* run([], script({ back: "code=c" }))
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.strictEqual(came(ended.stdout), `http://127.0.0.1:7001/oauth/callback?code=c&state=${STATE}`)
      assert.deepStrictEqual(
        ended.log.filter((line) => /^(listen|browser)/.test(line)),
        ["listen http://127.0.0.1:7001/oauth/callback", `browser https://auth.example/authorize?state=${STATE}`]
      )
      assert.match(ended.stderr, /^Your browser opens to sign in to web at auth\.example\./)
    }))

  it.effect("prints the address and takes the pasted one where no browser comes back, refusing those of something else", () =>
    Effect.gen(function*() {
      const back = `http://127.0.0.1:7001/oauth/callback?code=c&state=${STATE}`
      const typed = [
        "",
        "code",
        `https://evil.example/?code=c&state=${STATE}`,
        back.replace(STATE, "other"),
        ` ${back} `
      ]
      const ended = yield* run(["--no-browser"], script({ typed }))
      assert.strictEqual(came(ended.stdout), back)
      assert.strictEqual(ended.stderr.match(/is not where this leads back to/g)?.length, 3)
      assert.include(ended.stderr, `\nhttps://auth.example/authorize?state=${STATE}\n`)
      assert.isEmpty(ended.log.filter((line) => line.startsWith("browser")))
      const piped = yield* run([], script({ stdin: `${back}\n` }))
      assert.strictEqual(came(piped.stdout), back)
    }))

  it.effect("says at once that nobody can come back where nothing is waited for and nothing will be pasted", () =>
    Effect.gen(function*() {
      const ended = yield* run([], script({ stdin: "" }), { redirectUri: "https://hub.example/back" })
      assert.strictEqual(ended.code, 1)
      assert.include(Object(json(ended.stdout)).error.message, "https://hub.example/back")
    }))

  it.effect("comes back to the port and the address that the entry has", () =>
    Effect.gen(function*() {
      const port = yield* run([], script({ back: "code=c" }), { callbackPort: 8123 })
      assert.strictEqual(came(port.stdout), `http://127.0.0.1:8123/oauth/callback?code=c&state=${STATE}`)
      const redirectUri = "http://localhost:3118/callback"
      const own = yield* run([], script({ back: "code=c" }), { redirectUri })
      assert.strictEqual(came(own.stdout), `${redirectUri}?code=c&state=${STATE}`)
      const elsewhere = "https://hub.example/back"
      const typed = [`${elsewhere}?code=c&state=${STATE}`]
      const far = yield* run([], script({ typed }), { redirectUri: elsewhere })
      assert.strictEqual(came(far.stdout), typed[0])
      assert.isEmpty(far.log.filter((line) => line.startsWith("listen")))
    }))

  it.effect("gives no program an address that is neither https nor on this machine (R79)", () =>
    Effect.gen(function*() {
      const bad = [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://auth.example/authorize",
        "https://user:word@auth.example/",
        "-a Calculator",
        "$(touch x)"
      ]
      for (const url of bad) {
        const ended = yield* run([], script({ back: "code=c" }, url))
        assert.strictEqual(ended.code, 1)
        assert.strictEqual(Object(json(ended.stdout)).error._tag, "AuthorizationFailed")
        assert.isEmpty(ended.log.filter((line) => line.startsWith("browser")))
      }
      // One argument, in which nothing is left that a shell or an option parser would take for its own.
      assert.match(openable("https://a.example/?q=$(touch x) \"y&state=s")?.href ?? "", /^https:\/\/[^\s"]+$/)
      assert.strictEqual(openable("http://127.0.0.1:7/x")?.href, "http://127.0.0.1:7/x")
    }))

  it.effect("says which server there is instead of an unknown one, before anything is waited for", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "login", "wbe", "--json"], {
        ...script(),
        configuration: yield* configuration()
      })
      assert.strictEqual(ended.code, 1)
      assert.strictEqual(Object(json(ended.stdout)).error._tag, "UnknownServer")
      assert.isEmpty(ended.log.filter((line) => line.startsWith("listen")))
    }))

  it.effect("signs in at a running server, which keeps the tokens", () =>
    Effect.gen(function*() {
      const login = {
        id: "l",
        server: "web",
        state: "waiting",
        url: `https://auth.example/authorize?state=${STATE}`,
        returns: false,
        message: null,
        hint: null,
        expiresAt: "2026-11-22T00:10:00.000Z"
      }
      const ready = status("web")
      const answers = (last: Schema.JsonObject): NonNullable<Script["answer"]> => {
        let now: Schema.JsonObject = login
        return (asked, body) =>
          Effect.sync(() => {
            if (asked === "POST /api/mcp/servers/web/login") {
              assert.deepStrictEqual(body, { redirectUri: "http://127.0.0.1:7001/oauth/callback" })
            } else if (asked === "POST /api/mcp/logins/l") {
              assert.deepStrictEqual(body, {
                callbackUrl: `http://127.0.0.1:7001/oauth/callback?code=c&state=${STATE}`
              })
              now = { ...login, url: null, ...last }
            } else if (asked === "GET /api/mcp/servers") {
              return Response.json({ servers: [ready], problems: [], write: "off" })
            }
            return Response.json(now, { status: asked.endsWith("/login") ? 201 : 200 })
          })
      }
      const running = { running: "http://127.0.0.1:4266", back: "code=c" }
      const done = yield* run([], { ...running, answer: answers({ state: "done" }) })
      assert.strictEqual(done.code, 0, done.stderr)
      assert.deepStrictEqual(json(done.stdout), ready)
      assert.notInclude(done.log, "open")
      const failed = yield* run([], {
        ...running,
        answer: answers({ state: "failed", message: "web: authorization failed: x", hint: "try" })
      })
      assert.strictEqual(failed.code, 1)
      assert.deepStrictEqual(json(failed.stdout), {
        error: { _tag: "AuthorizationFailed", message: "web: authorization failed: x", hint: "try" }
      })
    }))

  it.effect("ends when somebody else was quicker at the page, and cancels what nobody will answer", () =>
    Effect.gen(function*() {
      let state = "waiting"
      const answer: NonNullable<Script["answer"]> = (asked) =>
        Effect.sync(() =>
          asked === "GET /api/mcp/servers"
            ? Response.json({ servers: [status("web")], problems: [], write: "off" })
            : asked === "DELETE /api/mcp/logins/l"
            ? new Response(null, { status: 204 })
            : Response.json({
              id: "l",
              server: "web",
              state,
              url: state === "waiting" ? `https://auth.example/?state=${STATE}` : null,
              returns: false,
              message: null,
              hint: null,
              expiresAt: "2026-11-22T00:10:00.000Z"
            }, { status: asked.endsWith("/login") ? 201 : 200 })
        )
      const waiting = { running: "http://127.0.0.1:4266", answer }
      const quicker = yield* Effect.forkChild(run([], waiting))
      yield* TestClock.adjust("2 seconds")
      state = "done"
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(quicker)).code, 0)
      state = "waiting"
      const log: Array<string> = []
      const given = yield* Effect.forkChild(run([], {
        ...waiting,
        answer: (asked, body) => {
          log.push(asked)
          return answer(asked, body)
        }
      }))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.interrupt(given)
      assert.include(log, "DELETE /api/mcp/logins/l")
    }))
})

describe("mcp logout", () => {
  it.effect("signs out where the tokens are: here, or at the running server", () =>
    Effect.gen(function*() {
      const here = yield* boocode(["mcp", "logout", "web"], { ...script(), configuration: yield* configuration() })
      assert.strictEqual(here.code, 0, here.stderr)
      assert.match(here.stdout, /^ {2}web {2}log in/)
      assert.include(here.log, "logout web")
      const there = yield* boocode(["mcp", "logout", "web", "--json"], {
        running: "http://127.0.0.1:4266",
        answer: (asked) =>
          asked === "POST /api/mcp/servers/web/logout"
            ? Effect.sync(() => Response.json(status("web", { state: "needs-auth" })))
            : Effect.die(asked)
      })
      assert.strictEqual(Object(json(there.stdout)).state, "needs-auth")
      assert.isEmpty(there.log.filter((line) => line === "open"))
    }))
})

describe("A server that wants a login", () => {
  it.effect("says in mcp list and mcp doctor which command signs in, and afterwards as what", () =>
    Effect.gen(function*() {
      const http = { transport: "streamableHttp" } as const
      const wanting = new McpErrors.AuthRequired({ code: 401, login: "web", scopes: ["mcp:tools"] })
      const auth = { signedIn: true, issuer: "https://auth.example", scopes: ["mcp:tools"], expiresAt: null }
      const servers = [
        status("signed", { ...http, auth }),
        status("web", { ...http, state: "needs-auth", tools: 0, error: toStatusError(wanting) })
      ]
      const list = yield* boocode(["mcp", "list"], { servers })
      assert.match(list.stdout, /^ {2}signed +ready.* signed in/m)
      assert.match(list.stdout, /^ {2}web +log in.*it wants mcp:tools\n +sign in with: boocode mcp login web$/m)
      const doctor = yield* boocode(["mcp", "doctor", "--verbose"], { servers })
      assert.match(doctor.stdout, /authentication +signed in at https:\/\/auth\.example, may mcp:tools/)
      assert.match(doctor.stdout, /problem +authentication[^]*sign in with: boocode mcp login web/)
    }))
})
