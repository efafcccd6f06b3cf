import * as Connect from "@boocode/mcp-client/Connect"
import { type Configuration, Environment, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as ScriptedAuth from "../../../mcp-client/test/support/ScriptedAuth.ts"
import {
  Admission,
  ConnectionPerson,
  ConnectionSource,
  McpFetch,
  McpRegistries,
  type McpRegistry,
  PersonalValues,
  ProcessTree,
  Programs
} from "../../src/index.ts"
import * as Reloading from "../support/Reloading.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"
import * as ScriptedWeb from "../support/ScriptedWeb.ts"

const PEOPLE = ["qann", "qbob", "qcid"] as const
type Person = (typeof PEOPLE)[number]

/** The first part of a token says whose it is. */
const ownerOf = (token: string) => PEOPLE.find((person) => token.startsWith(`canary-${person}-`))

/** A remote server that offers each person a tool and a resource of their own, and notes requests of one made with another's token. */
const upstream = Effect.gen(function*() {
  const owners = new Map<string, Person>()
  const crossings: Array<string> = []
  const web = yield* ScriptedWeb.server((seen) => {
    const token = seen.headers.get("authorization")?.replace("Bearer ", "") ?? ""
    const person = ownerOf(token)
    if (person === undefined) {
      crossings.push(`a request with ${JSON.stringify(token)}`)
      return undefined
    }
    const session = seen.headers.get("mcp-session-id")
    if (session !== null && owners.get(session) !== person) {
      crossings.push(`${person} in a session of ${owners.get(session)}`)
    }
    const said = JSON.stringify(seen.message?.["params"] ?? {})
    const meant = PEOPLE.find((one) => said.includes(`for ${one}`))
    if (meant !== undefined && meant !== person) crossings.push(`for ${meant} with ${token}`)
    switch (seen.method) {
      case "initialize": {
        const answer = ScriptedWeb.initialized(seen, "2025-11-25")
        owners.set(answer.headers.get("mcp-session-id") ?? "", person)
        return answer
      }
      case "tools/list":
        return ScriptedWeb.json(ScriptedWeb.result(seen, {
          tools: [ScriptedHost.tool("say"), {
            ...ScriptedHost.tool(`of_${person}`),
            description: `only ${person} sees it`
          }]
        }))
      case "tools/call":
        return ScriptedWeb.json(ScriptedWeb.result(seen, ScriptedWeb.text(`the answer for ${person}`)))
      default:
        return undefined
    }
  })
  return { web, crossings }
})

/**
 * In front of the same server an authorization server with tokens for each person, whose access tokens end in 400 s and whose
 * refresh tokens are good once. `refreshed` are the people whose tokens were renewed.
 */
const guarded = Effect.gen(function*() {
  const { crossings, web } = yield* upstream
  const refreshed: Array<Person> = []
  const clock = yield* Clock.Clock
  const current = new Map<Person, { readonly access: string; readonly refresh: string; readonly until: number }>()
  let grants = 0
  const grant = (person: Person) => {
    grants += 1
    const until = clock.currentTimeMillisUnsafe() + 400_000
    const tokens = { access: `canary-${person}-a${grants}`, refresh: `canary-${person}-r${grants}`, until }
    current.set(person, tokens)
    const { access, refresh } = tokens
    return ScriptedAuth.json({ access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 400 })
  }
  const guard = ScriptedAuth.make(({ authorization, form, path }) => {
    if (path === "/mcp") {
      const token = authorization?.replace("Bearer ", "") ?? ""
      const owner = ownerOf(token)
      const tokens = owner === undefined ? undefined : current.get(owner)
      const isGood = tokens?.access === token && tokens.until > clock.currentTimeMillisUnsafe()
      return isGood ? ScriptedAuth.json({ ok: true }) : ScriptedAuth.refusal()
    }
    if (path !== "/token") return undefined
    const shown = form.get("refresh_token")
    const owner = shown === null ? PEOPLE.find((one) => form.get("code") === `code-${one}`) : ownerOf(shown)
    if (owner === undefined) return undefined
    if (shown === null) return grant(owner)
    refreshed.push(owner)
    if (current.get(owner)?.refresh === shown) return grant(owner)
    crossings.push(`${shown} a second time`)
    return ScriptedAuth.json({ error: "invalid_grant" }, 400)
  })
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await guard.fetch(input, init)
    return String(input) === ScriptedAuth.MCP && answer.ok ? web.fetch(input, init) : answer
  }
  const signIn = (person: Person) =>
    ScriptedAuth.person([], (callback) => callback.searchParams.set("code", `code-${person}`))
  /** The server knows the access token of a person no more. */
  const forget = (person: Person) => {
    const tokens = current.get(person)
    if (tokens !== undefined) current.set(person, { ...tokens, access: "" })
  }
  return { crossings, fetch, forget, refreshed, signIn }
})

interface World {
  readonly of: (person: string) => Effect.Effect<McpRegistry["Service"], never, Scope.Scope>
  readonly registries: McpRegistries["Service"]
  readonly give: (person: string, name: string, value: string | null) => Effect.Effect<void>
  readonly save: (entries: Reloading.Entries) => Effect.Effect<void>
  readonly put: (configuration: Configuration) => Effect.Effect<void>
}

const withPeople = <A, E>(
  fetch: typeof globalThis.fetch,
  entries: Reloading.Entries,
  body: (world: World) => Effect.Effect<A, E, Scope.Scope>,
  admission: Layer.Layer<never> = Layer.empty,
  start: (typeof Programs.Service)["start"] = () => Effect.die("no process here")
) =>
  Effect.gen(function*() {
    const values = new Map<string, Record<string, Redacted.Redacted<string>>>()
    const changes = yield* PubSub.unbounded<string>()
    const ref = yield* SubscriptionRef.make(yield* Reloading.configurationOf(entries, { workspace: "/work" }))
    const put = (configuration: Configuration) =>
      Effect.andThen(SubscriptionRef.set(ref, configuration), ScriptedHost.drain)
    const platform = Layer.mergeAll(
      McpFetch.layer(fetch),
      Layer.succeed(Programs, { start }),
      Layer.succeed(ProcessTree, {
        mark: Effect.succeed("mark"),
        watch: () => Effect.void,
        note: () => Effect.void,
        alive: () => Effect.succeed(0),
        signal: () => Effect.void
      }),
      Environment.layer({}),
      FileSystem.layerNoop({}),
      Path.layer,
      Layer.succeed(PersonalValues, {
        of: (person) => Effect.sync(() => values.get(person) ?? {}),
        changes: Stream.fromPubSub(changes),
        workspace: (person) => Effect.succeed(person === "qcid" ? null : `/work/users/${person}`),
        areSeveral: Effect.sync(() => values.size > 0)
      }),
      admission
    )
    const layer = McpRegistries.layer().pipe(Layer.provide([McpConfig.layerRef(ref), platform]))
    return yield* McpRegistries.use((registries) =>
      Effect.scoped(body({
        registries,
        of: registries.of,
        give: (person, name, value) =>
          Effect.gen(function*() {
            const { [name]: _, ...others } = values.get(person) ?? {}
            values.set(person, value === null ? others : { ...others, [name]: Redacted.make(value) })
            yield* PubSub.publish(changes, person)
            yield* ScriptedHost.drain
          }),
        save: (next) => Effect.flatMap(Reloading.configurationOf(next), put),
        put
      }))
    ).pipe(Effect.provide(layer))
  })

const entry = (more: Readonly<Record<string, unknown>> = {}) => ({
  mail: { url: "https://mail.example/mcp", headers: { Authorization: "Bearer ${user:TOKEN}" }, ...more }
})

const names = (registry: McpRegistry["Service"]) => Effect.map(registry.tools, (tools) => tools.map(({ name }) => name))

const absent = PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" })

const stateOf = (registry: McpRegistry["Service"]) =>
  Effect.map(Effect.orDie(registry.server("mail")), ({ error, state }) => `${state} ${error?.message ?? ""}`.trim())

const Step = Schema.Struct({
  person: Schema.Literals(PEOPLE),
  does: Schema.Literals(["call", "call", "look", "refresh", "restart", "rotate", "forget", "reload"]),
  /** Whether the next step waits for this one. */
  isAwaited: Schema.Boolean
})

const LoginStep = Schema.Struct({
  person: Schema.Literals(["qann", "qbob"]),
  does: Schema.Literals(["call", "call", "look", "restart", "forget", "reload", "pass"]),
  isAwaited: Schema.Boolean
})

describe("A personal entry", () => {
  it.effect("has a server for each person, who needs a token first, and sees their own tools and nobody else's", () =>
    Effect.gen(function*() {
      const { crossings, web } = yield* upstream
      yield* withPeople(web.fetch, entry(), ({ give, of, registries }) =>
        Effect.gen(function*() {
          const [ann, bob] = [yield* of("qann"), yield* of("qbob")]
          yield* ScriptedHost.drain
          assert.strictEqual(yield* stateOf(ann), "needs-auth it needs your token TOKEN")
          yield* give("qann", "TOKEN", "canary-qann-1")
          yield* ScriptedHost.until(Effect.map(stateOf(ann), (state) => state === "ready"))
          assert.deepStrictEqual(yield* names(ann), ["mail_of_qann", "mail_say"])
          assert.deepStrictEqual(yield* names(bob), [])
          assert.deepStrictEqual(yield* names(registries.shared), [])
          assert.strictEqual(yield* stateOf(bob), "needs-auth it needs your token TOKEN")
          const unknown = yield* Effect.flip(bob.call("mail_of_qan", {}))
          assert.notInclude(`${unknown.message} ${unknown.hint}`, "mail_of_qann")
          const known = yield* Effect.orDie(registries.shared.server("mail"))
          assert.strictEqual(known.sharing, "personal")
          assert.strictEqual(known.instances, 1)
          assert.deepStrictEqual(known.secrets, ["TOKEN"])
          yield* give("qann", "TOKEN", null)
          yield* ScriptedHost.until(Effect.map(stateOf(ann), (state) => state.startsWith("needs-auth")))
          assert.strictEqual((yield* Effect.orDie(registries.shared.server("mail"))).instances, 0)
        }))
      assert.deepStrictEqual(crossings, [])
    }))

  it.effect("ends the server of a person whom nobody called for in ten minutes, or as its entry says, and the next call wakes it", () =>
    Effect.gen(function*() {
      const { web } = yield* upstream
      yield* withPeople(web.fetch, entry(), ({ give, of, registries }) =>
        Effect.gen(function*() {
          const instances = Effect.map(Effect.orDie(registries.shared.server("mail")), (status) => status.instances)
          yield* give("qann", "TOKEN", "canary-qann-1")
          const ann = yield* of("qann")
          yield* ann.settled
          assert.strictEqual(yield* instances, 1)
          yield* ScriptedHost.advance(601)
          assert.strictEqual(yield* instances, 0)
          assert.deepStrictEqual(yield* names(ann), ["mail_of_qann", "mail_say"])
          yield* ann.call("mail_say", {})
          assert.strictEqual(yield* instances, 1)
        }))
    }))

  it.effect("gets the connections of a person's servers for that person, and those that all share for nobody", () =>
    Effect.gen(function*() {
      const { web } = yield* upstream
      const opened = new Set<string>()
      const noting = Layer.succeed(
        ConnectionSource,
        (config, searchAfterPath, attempt) =>
          Effect.flatMap(ConnectionPerson, (person) => {
            opened.add(`${config.name} for ${person}`)
            return Connect.open(config, searchAfterPath, attempt)
          })
      )
      const entries = { ...entry(), shared: { url: "https://mail.example/mcp" } }
      yield* withPeople(web.fetch, entries, ({ give, of }) =>
        Effect.gen(function*() {
          yield* give("qann", "TOKEN", "canary-qann-1")
          const ann = yield* of("qann")
          yield* ann.settled
          assert.strictEqual(yield* stateOf(ann), "ready")
        }), noting)
      assert.deepStrictEqual([...opened].toSorted(), ["mail for qann", "shared for null"])
    }))

  it.effect("lets in as many people as the entry says, and tells the next one why", () =>
    Effect.gen(function*() {
      const { web } = yield* upstream
      yield* withPeople(web.fetch, entry({ maxInstances: 1 }), ({ give, of }) =>
        Effect.gen(function*() {
          yield* Effect.forEach(["qann", "qbob"] as const, (person) => give(person, "TOKEN", `canary-${person}-1`))
          yield* (yield* of("qann")).settled
          const bob = yield* of("qbob")
          yield* ScriptedHost.drain
          assert.include(yield* stateOf(bob), "1 people use this server now")
        }))
    }))

  it.effect("with a login of each person signs in that one alone, and a person who is gone leaves no token behind", () =>
    Effect.gen(function*() {
      const mcp = yield* ScriptedWeb.server()
      const guard = ScriptedAuth.make()
      const sent: Array<string | null> = []
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const refused = await guard.fetch(input, init)
        if (String(input) !== ScriptedAuth.MCP) return refused
        sent.push(new Headers(init?.headers).get("authorization"))
        return refused.ok ? mcp.fetch(input, init) : refused
      }
      const mail = { mail: { url: ScriptedAuth.MCP, oauth: { login: "user" } } }
      yield* withPeople(fetch, mail, ({ of, registries }) =>
        Effect.gen(function*() {
          const shared = yield* Effect.flip(registries.shared.login("mail", ScriptedAuth.person()))
          assert.include(shared.message, "each person signs in")
          const [ann, bob] = [yield* of("qann"), yield* of("qbob")]
          yield* Effect.all([ann.settled, bob.settled])
          assert.strictEqual((yield* ann.login("mail", ScriptedAuth.person())).state, "ready")
          const token = `Bearer ${guard.tokens().current}`
          sent.length = 0
          yield* Effect.ignore(bob.restart("mail"))
          assert.include(yield* stateOf(bob), "needs-auth")
          assert.isAtLeast(sent.length, 1)
          assert.notInclude(sent, token)
          assert.deepStrictEqual(yield* names(bob), [])
          yield* registries.forget("qbob")
          assert.lengthOf(guard.at("/revoke"), 0)
          yield* registries.forget("qann")
          assert.isAtLeast(guard.at("/revoke").length, 1)
          const again = yield* of("qann")
          yield* ScriptedHost.drain
          assert.include(yield* stateOf(again), "needs-auth")
        }))
    }))

  it.effect("that names the folder of the person alone has one server until there are several people, and then one for each in their folder", () =>
    Effect.gen(function*() {
      const { web } = yield* upstream
      const started: Array<string> = []
      const start: (typeof Programs.Service)["start"] = ({ args }) =>
        Effect.andThen(Effect.sync(() => started.push(args.map(Redacted.value).join(" "))), Effect.fail(absent))
      const entries = { mail: { command: "files", args: ["${workspace}"] } }
      yield* withPeople(
        web.fetch,
        entries,
        ({ give, of, registries }) =>
          Effect.gen(function*() {
            const sharing = Effect.map(Effect.orDie(registries.shared.server("mail")), (status) => status.sharing)
            yield* of("qann")
            yield* ScriptedHost.drain
            assert.strictEqual(yield* sharing, "shared")
            assert.deepStrictEqual(started, ["/work"])
            // The first value says that there are several.
            yield* give("qann", "TOKEN", "canary-qann-1")
            const [, , cid] = [yield* of("qann"), yield* of("qbob"), yield* of("qcid")]
            yield* ScriptedHost.drain
            assert.strictEqual(yield* sharing, "personal")
            assert.deepStrictEqual(started, ["/work", "/work/users/qann", "/work/users/qbob"])
            assert.include(yield* stateOf(cid), "needs the variable workspace, which is not set")
          }),
        Layer.empty,
        start
      )
    }))

  it.effect("needs one approval for everybody", () =>
    Effect.gen(function*() {
      const { web } = yield* upstream
      let isApproved = false
      const admission = Layer.succeed(Admission, {
        admit: (configured) =>
          Effect.sync(() => ({ ...configured, needsApproval: configured.needsApproval && !isApproved }))
      })
      yield* withPeople(web.fetch, entry(), ({ give, of, put, registries }) =>
        Effect.gen(function*() {
          const read = yield* Reloading.configurationOf(entry())
          yield* give("qann", "TOKEN", "canary-qann-1")
          yield* put({ ...read, servers: read.servers.map((server) => ({ ...server, needsApproval: true })) })
          const ann = yield* of("qann")
          yield* ScriptedHost.drain
          assert.include(yield* stateOf(ann), "needs-approval")
          isApproved = true
          yield* registries.shared.apply
          yield* ScriptedHost.until(Effect.map(stateOf(ann), (state) => state === "ready"))
        }), admission)
    }))

  it.effect.prop(
    "sends no token of one person in a request made for another, and shows nobody what is another's, whatever they do at the same time",
    [Schema.Array(Step).check(Schema.isMinLength(4), Schema.isMaxLength(16))],
    ([steps]) =>
      Effect.gen(function*() {
        const { crossings, web } = yield* upstream
        const seen: Array<string> = []
        let version = 0
        yield* withPeople(web.fetch, entry(), ({ give, of, save }) =>
          Effect.gen(function*() {
            yield* Effect.forEach(PEOPLE, (person) => give(person, "TOKEN", `canary-${person}-0`))
            const note = (person: Person, what: unknown) => seen.push(`${person}: ${JSON.stringify(what)}`)
            const run = ({ does, person }: typeof Step.Type) =>
              Effect.scoped(Effect.gen(function*() {
                const registry = yield* of(person)
                switch (does) {
                  case "call":
                    return note(person, yield* Effect.result(registry.call("mail_say", { words: `for ${person}` })))
                  case "look":
                    return note(person, [
                      yield* registry.tools,
                      yield* registry.servers,
                      yield* registry.view(["mail_of_*"]),
                      yield* registry.log("mail"),
                      yield* Effect.result(registry.tool("mail_of"))
                    ])
                  case "refresh":
                  case "restart":
                    return note(person, yield* Effect.result(registry[does]("mail")))
                  case "rotate":
                    return yield* give(person, "TOKEN", `canary-${person}-${++version}`)
                  case "forget":
                    return yield* give(person, "TOKEN", null)
                  case "reload":
                    return yield* save(entry({ timeout: 60_000 + ++version }))
                }
              }))
            for (const step of steps) {
              const running = run(step)
              yield* step.isAwaited ? running : Effect.forkChild(running)
            }
            yield* ScriptedHost.drain
          }))
        assert.deepStrictEqual(crossings, [])
        for (const line of seen) {
          const mine = line.slice(0, line.indexOf(":"))
          for (const other of PEOPLE.filter((one) => one !== mine)) assert.notInclude(line.slice(mine.length), other)
          assert.notInclude(line, "canary")
        }
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect.prop(
    "renews the tokens of each person's login ahead of their end for that person alone, whatever they do at the same time",
    [Schema.Array(LoginStep).check(Schema.isMinLength(3), Schema.isMaxLength(12))],
    ([steps]) =>
      Effect.gen(function*() {
        const { crossings, fetch, forget, refreshed, signIn } = yield* guarded
        const two = ["qann", "qbob"] as const
        const seen: Array<string> = []
        const mail = (more: object = {}) => ({ mail: { url: ScriptedAuth.MCP, oauth: { login: "user" }, ...more } })
        let version = 0
        yield* withPeople(fetch, mail(), ({ of, save }) =>
          Effect.gen(function*() {
            for (const person of two) {
              const registry = yield* of(person)
              yield* Effect.ignore(registry.settled)
              assert.strictEqual((yield* registry.login("mail", signIn(person))).state, "ready")
            }
            const note = (person: Person, what: unknown) => seen.push(`${person}: ${JSON.stringify(what)}`)
            const call = Effect.fnUntraced(function*(person: Person) {
              const registry = yield* of(person)
              note(person, yield* Effect.result(registry.call("mail_say", { words: `for ${person}` })))
            })
            const run = ({ does, person }: typeof LoginStep.Type) =>
              Effect.scoped(Effect.gen(function*() {
                const registry = yield* of(person)
                switch (does) {
                  case "call":
                    return yield* call(person)
                  case "look":
                    return note(person, [yield* registry.tools, yield* registry.servers, yield* registry.log("mail")])
                  case "restart":
                    return note(person, yield* Effect.result(registry.restart("mail")))
                  case "forget":
                    return forget(person)
                  case "reload":
                    return yield* save(mail({ timeout: 60_000 + ++version }))
                  case "pass":
                    return yield* ScriptedHost.advance(361)
                }
              }))
            for (const step of steps) {
              const running = run(step)
              yield* step.isAwaited ? running : Effect.forkChild(running)
            }
            yield* ScriptedHost.drain
            // Awake and with new tokens, so that their end is near soon.
            two.forEach(forget)
            yield* Effect.forEach(two, (person) => Effect.scoped(call(person)))
            refreshed.length = 0
            yield* ScriptedHost.advance(361)
            assert.deepStrictEqual([...new Set(refreshed)].toSorted(), [...two])
          }))
        assert.deepStrictEqual(crossings, [])
        for (const line of seen) {
          const mine = line.slice(0, line.indexOf(":"))
          for (const other of two.filter((one) => one !== mine)) assert.notInclude(line.slice(mine.length), other)
          assert.notInclude(line, "canary")
        }
      }),
    { arbitrary: { runs: 4 } }
  )
})
