import { LanguageModels, ModelFetch, PublicModelFetch } from "@boocode/language-models"
import { Credentials } from "@boocode/mcp-client"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { HostAddresses } from "../../src/access/PublicFetch.ts"
import { ModelProviders } from "../../src/settings/ModelProviders.ts"
import { open, post, withPage } from "../support/Scripted.ts"
import * as Standing from "../support/Standing.ts"

const KEY = "sk-proj-Zq8rT2vLx0Pa7Kd3"
const LIST = { data: [{ id: "qwen3", context_length: 32_768 }, { id: "nomic-embed-text" }] }

interface Setting {
  /** settings.json. */
  readonly settings?: string
  readonly variables?: Record<string, string>
  /** The answer of every provider; by default a list of models. */
  readonly answer?: (url: string) => Promise<Response>
  /** Others reach the server, with this token. */
  readonly token?: string
  readonly addresses?: Readonly<Record<string, string>>
}

/** A server with its files, what it asked providers for, and how it is asked. */
const start = Effect.fnUntraced(function*(
  { addresses = {}, answer = () => Promise.resolve(Response.json(LIST)), settings, token, variables = {} }: Setting = {}
) {
  const memory = new MemoryFiles(settings === undefined ? {} : { "/d/settings.json": settings })
  const files = Layer.succeed(FileSystem.FileSystem, memory.view())
  const sent: Array<{ readonly url: string; readonly way: string; readonly headers: Record<string, string> }> = []
  const fetch = (way: string): typeof globalThis.fetch => (input, init) => {
    sent.push({ url: String(input), way, headers: Object.fromEntries(new Headers(init?.headers)) })
    return answer(String(input))
  }
  const providers = ModelProviders.layer.pipe(
    Layer.provide([Standing.folder, Environment.layer(variables), files, Credentials.layerMemory])
  )
  const models = Layer.unwrap(Effect.map(ModelProviders, ({ entries }) => LanguageModels.layerOf(entries))).pipe(
    Layer.provide(Layer.succeed(ModelFetch, fetch("any"))),
    Layer.provide(Layer.succeed(PublicModelFetch, fetch("public"))),
    Layer.provideMerge(providers),
    Layer.orDie
  )
  const hosts = Layer.succeed(HostAddresses, {
    of: (host) => Effect.succeed(addresses[host] === undefined ? [] : [addresses[host]])
  })
  const request = yield* open({
    models,
    files: Layer.mergeAll(withPage(memory.view()), hosts, Path.layer),
    ...(token === undefined ? {} : { token })
  })
  const ask = Effect.fnUntraced(function*(method: string, path: string, body?: unknown) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const init = body === undefined ? { method, headers } : {
      ...post(body),
      method,
      headers: { "content-type": "application/json", ...headers }
    }
    const response = yield* request(path, init)
    const text = yield* Effect.promise(() => response.text())
    return { status: response.status, text, body: text === "" ? null : Object(JSON.parse(text)) }
  })
  const list = Effect.map(ask("GET", "/api/providers"), ({ body }) => Array.from<Provider>(body.providers))
  const one = (name: string) => Effect.map(list, (all) => all.find((provider) => provider.name === name))
  /** What waits for the next event of a type. */
  const events = Effect.map(request("/api/events"), (response) => {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    return (type: string) =>
      Effect.promise(async () => {
        for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
          if (read.value.includes(`{"type":"${type}"`)) return
        }
        assert.fail("the events ended")
      })
  })
  return { ask, list, one, sent, events, settings: () => memory.text("/d/settings.json") ?? "" }
})

type Provider = Readonly<Record<string, unknown>> & { readonly name: string }

const TOKEN = "a-token-of-more-than-sixteen"
const LOCAL = { name: "local", kind: "openai-compatible", url: "http://127.0.0.1:11434/v1" }

describe("The providers over HTTP", () => {
  it.effect("are those of the environment, and those of settings.json under names of their own", () =>
    Effect.gen(function*() {
      const { ask } = yield* start({
        settings: `{"providers": {"work": {"kind": "openai", "key": "\${WORK_KEY}"}}}`,
        variables: { OPENAI_API_KEY: KEY, WORK_KEY: "k" }
      })
      const { body, text } = yield* ask("GET", "/api/providers")
      assert.deepStrictEqual(
        body.providers.map(({ key, name, ready, source }: Provider) => [name, source, ready, key]),
        [
          ["anthropic", "environment", false, { from: "none", variable: null }],
          ["google", "environment", false, { from: "none", variable: null }],
          ["openai", "environment", true, { from: "variable", variable: "OPENAI_API_KEY" }],
          ["work", "settings.json", true, { from: "variable", variable: "WORK_KEY" }]
        ]
      )
      assert.deepStrictEqual(body.kinds.map(({ kind, url }: Record<string, unknown>) => [kind, url]).at(-1), [
        "openai-compatible",
        null
      ])
      assert.deepStrictEqual(body.found, [])
      assert.notInclude(text, KEY)
      const models = (yield* ask("GET", "/api/models")).body.models.find(({ provider }: Record<string, unknown>) =>
        provider === "work"
      )
      assert.match(models.suggested[0].id, /^work\/gpt-/)
      assert.containsAllKeys(models.suggested[0], ["seesImages", "used"])
    }))

  it.effect("work as soon as they are added, changed and removed, and leave comments of settings.json alone", () =>
    Effect.gen(function*() {
      const { ask, one, settings } = yield* start({ settings: "{\n  // quiet\n  \"logLevel\": \"error\"\n}\n" })
      const added = yield* ask("POST", "/api/providers", { ...LOCAL, key: KEY })
      assert.strictEqual(added.status, 201)
      assert.deepInclude(added.body, { ...LOCAL, ready: true, missing: null, key: { from: "stored", variable: null } })
      assert.notInclude(settings() + added.text, KEY)
      assert.include(settings(), "// quiet")
      const found = (yield* ask("GET", "/api/models")).body.models.find(({ provider }: Record<string, unknown>) =>
        provider === "local"
      )
      assert.deepStrictEqual(found.suggested.map(({ id }: { readonly id: string }) => id), ["local/qwen3"])
      assert.strictEqual((yield* ask("POST", "/api/providers", LOCAL)).status, 409)
      assert.deepInclude((yield* ask("PATCH", "/api/providers/local", { key: null })).body, {
        key: { from: "none", variable: null }
      })
      assert.strictEqual((yield* ask("DELETE", "/api/providers/local")).status, 204)
      assert.isUndefined(yield* one("local"))
      assert.notInclude(settings(), "local")
    }))

  it.effect("are told of as `models` events, and so is another model of chats that name none", () =>
    Effect.gen(function*() {
      const { ask, events } = yield* start()
      const changes: ReadonlyArray<readonly [string, string, unknown?]> = [
        ["POST", "/api/providers", LOCAL],
        ["PATCH", "/api/settings", { model: "local/qwen3" }],
        ["DELETE", "/api/providers/local"]
      ]
      const next = yield* events
      yield* next("configuration")
      for (const [method, path, body] of changes) {
        const heard = yield* Effect.forkChild(next("models"), { startImmediately: true })
        const { status, text } = yield* ask(method, path, body)
        assert.isBelow(status, 300, text)
        yield* Fiber.join(heard)
      }
    }))

  it.effect("offer the model of chats that name none, which settings.json says and which holds at once", () =>
    Effect.gen(function*() {
      const { ask, settings } = yield* start()
      const models = Effect.map(ask("GET", "/api/models"), ({ body }) => [body.default, body.command.active])
      assert.deepStrictEqual(yield* models, [null, true])
      const { body } = yield* ask("PATCH", "/api/settings", { model: "local/qwen3" })
      const setting = body.settings.find(({ key }: { readonly key: string }) => key === "model")
      assert.deepInclude(setting, {
        value: "local/qwen3",
        written: "local/qwen3",
        source: "settings.json",
        restart: false
      })
      assert.deepStrictEqual(yield* models, ["local/qwen3", false])
      for (const model of ["qwen3", KEY, `openai/${KEY}`, 3, "a/ b"]) {
        const refused = yield* ask("PATCH", "/api/settings", { model })
        assert.strictEqual(refused.status, 400)
        assert.notInclude(refused.text, KEY)
      }
      assert.include(settings(), "local/qwen3")
      yield* ask("PATCH", "/api/settings", { model: null })
      assert.deepStrictEqual(yield* models, [null, true])
    }))

  it.effect("get their key at the address that it was saved with, and at no other", () =>
    Effect.gen(function*() {
      const { ask, sent, settings } = yield* start({ variables: { OPENAI_API_KEY: "of-the-environment" } })
      yield* ask("POST", "/api/providers", { ...LOCAL, key: KEY })
      const url = "https://elsewhere.example/v1"
      const moved = yield* ask("PATCH", "/api/providers/local", { url })
      assert.strictEqual(moved.status, 400)
      assert.match(moved.body.hint, /type the key again/)
      const tried = yield* ask("POST", "/api/providers/local/test", { url })
      assert.strictEqual(tried.body.ok, false)
      assert.match(tried.body.error.hint, /type the key again/)
      // A variable belongs to its address as well, and an entry that takes a provider's place begins without its key.
      assert.strictEqual((yield* ask("PATCH", "/api/providers/openai", { url })).status, 400)
      assert.strictEqual((yield* ask("POST", "/api/providers", { name: "openai", kind: "openai", url })).status, 201)
      yield* ask("POST", "/api/providers/openai/test", {})
      assert.deepStrictEqual(sent.map(({ headers, url }) => [url, headers["authorization"] ?? null]), [
        ["https://elsewhere.example/v1/models", null]
      ])
      assert.include(settings(), "11434")
      assert.deepInclude((yield* ask("PATCH", "/api/providers/local", { url, key: "another-key" })).body, { url })
      yield* ask("POST", "/api/providers/local/test", {})
      assert.strictEqual(sent.at(-1)?.headers["authorization"], "Bearer another-key")
    }))

  it.effect("take no variable as a key, but the one that stands there", () =>
    Effect.gen(function*() {
      const { ask, one } = yield* start({ variables: { ANTHROPIC_API_KEY: "k", AWS_SECRET: "s" } })
      const taken = yield* ask("POST", "/api/providers", { ...LOCAL, key: "${AWS_SECRET}" })
      assert.strictEqual(taken.status, 400)
      assert.match(taken.body.hint, /--key-from-env/)
      const kept = yield* ask("PATCH", "/api/providers/anthropic", { key: "${ANTHROPIC_API_KEY}" })
      assert.strictEqual(kept.status, 200)
      assert.deepInclude(yield* one("anthropic"), {
        source: "settings.json",
        ready: true,
        key: { from: "variable", variable: "ANTHROPIC_API_KEY" }
      })
    }))

  it.effect("have names and addresses that are no keys, and no answer repeats one", () =>
    Effect.gen(function*() {
      const { ask, settings } = yield* start()
      const answers = [
        yield* ask("POST", "/api/providers", { ...LOCAL, name: KEY.toLowerCase() }),
        yield* ask("POST", "/api/providers", { ...LOCAL, name: "A B" }),
        yield* ask("POST", "/api/providers", { ...LOCAL, url: `https://models.example/v1?key=${KEY}` }),
        yield* ask("POST", "/api/providers", { ...LOCAL, url: `https://u:${KEY}@models.example/v1` }),
        yield* ask("POST", "/api/providers", { ...LOCAL, url: "localhost:11434" }),
        yield* ask("POST", "/api/providers", { name: "local", kind: "openai-compatible" }),
        yield* ask("POST", "/api/providers", { ...LOCAL, key: "one\nline" }),
        yield* ask("PATCH", "/api/settings", { providers: { local: LOCAL } }),
        yield* ask("PATCH", "/api/settings", { models: { [KEY]: { inputPrice: 1 } } }),
        yield* ask("PATCH", "/api/settings", { [KEY]: 1 }),
        yield* ask("POST", "/api/providers", { ...LOCAL, kind: KEY }),
        yield* ask("POST", "/api/providers", { ...LOCAL, [KEY]: true }),
        yield* ask("POST", "/api/providers/local/test", { kind: "openai-compatible", url: 1, key: { [KEY]: KEY } })
      ]
      assert.deepStrictEqual(answers.map(({ status }) => status), answers.map(() => 400))
      assert.notMatch(answers.map(({ text }) => text).join(), /Zq8rT2vLx0Pa7Kd3/i)
      assert.strictEqual(settings(), "")
      assert.strictEqual((yield* ask("PATCH", "/api/providers/nobody", {})).status, 404)
      assert.strictEqual((yield* ask("DELETE", "/api/providers/openai")).status, 409)
    }))

  it.effect("say what is wrong with an entry of settings.json, and use no key that stands there", () =>
    Effect.gen(function*() {
      const { ask, list } = yield* start({
        settings: JSON.stringify({
          providers: {
            open: { ...LOCAL, name: undefined, key: KEY },
            odd: { kind: "nothing" },
            [KEY.toLowerCase()]: { kind: "openai" }
          }
        })
      })
      const all = yield* list
      assert.deepStrictEqual(all.map(({ name }) => name), ["anthropic", "google", "open", "openai"])
      assert.match(String(all[2]?.["missing"]), /boocode setup/)
      const { body, text } = yield* ask("GET", "/api/settings")
      assert.strictEqual(body.problems.length, 3)
      assert.notMatch(text, /Zq8rT2vLx0Pa7Kd3/i)
    }))

  it.effect("have public addresses where others reach the server, and are reached through the guarded fetch", () =>
    Effect.gen(function*() {
      const { ask, sent, settings } = yield* start({
        token: TOKEN,
        addresses: { "models.example": "93.184.216.34", "inside.example": "10.0.0.7" }
      })
      for (const url of ["http://127.0.0.1:11434/v1", "http://inside.example/v1", "http://169.254.169.254/v1"]) {
        assert.strictEqual((yield* ask("POST", "/api/providers", { ...LOCAL, url })).status, 403)
        const tried = yield* ask("POST", "/api/providers/local/test", { kind: "openai-compatible", url })
        assert.strictEqual(tried.status, 403)
      }
      const url = "https://models.example/v1"
      assert.strictEqual((yield* ask("POST", "/api/providers", { ...LOCAL, url })).status, 201)
      assert.include(settings(), "\"publicOnly\": true")
      yield* ask("POST", "/api/providers/local/test", {})
      assert.deepStrictEqual(sent.map(({ url, way }) => [url, way]), [["https://models.example/v1/models", "public"]])
      assert.deepStrictEqual((yield* ask("GET", "/api/providers?find=true")).body.found, [])
    }))

  it.effect("are found at their usual addresses on this machine, when that is asked for", () =>
    Effect.gen(function*() {
      const { ask } = yield* start({
        answer: (url) =>
          url.includes(":11434/") ? Promise.resolve(Response.json(LIST)) : Promise.reject(new TypeError("fetch failed"))
      })
      assert.deepStrictEqual((yield* ask("GET", "/api/providers?find=true")).body.found, [
        { name: "ollama", kind: "openai-compatible", url: "http://127.0.0.1:11434/v1", models: 1 }
      ])
    }))
})

const refusedConnection = () =>
  Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:11434") }))
const page = () =>
  Promise.resolve(new Response("<!doctype html><p>hello", { headers: { "content-type": "text/html" } }))

describe("A provider that is tried", () => {
  it.effect("lists its models with what is known of them, and need not exist yet", () =>
    Effect.gen(function*() {
      const { ask, sent, settings } = yield* start()
      const { body, status } = yield* ask("POST", "/api/providers/local/test", { ...LOCAL, name: undefined, key: KEY })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { ok: true, error: null })
      assert.deepStrictEqual(body.models, [
        { id: "local/qwen3", contextTokens: 32_768, inputPrice: null, outputPrice: null, seesImages: null }
      ])
      assert.strictEqual(sent[0]?.headers["authorization"], `Bearer ${KEY}`)
      assert.strictEqual(settings(), "")
    }))

  it.effect.each([
    {
      wire: "anthropic",
      list: { data: [{ id: "claude-sonnet-5" }] },
      url: "https://api.anthropic.com/v1/models?limit=1000",
      header: "x-api-key"
    },
    {
      wire: "google",
      list: {
        models: [
          { name: "models/gemma-99-it", inputTokenLimit: 4096, supportedGenerationMethods: ["generateContent"] },
          { name: "models/imagen-9", supportedGenerationMethods: ["predict"] }
        ]
      },
      url: "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
      header: "x-goog-api-key"
    },
    {
      wire: "openai-responses",
      list: { data: [{ id: "gpt-5" }] },
      url: "https://api.openai.com/v1/models",
      header: "authorization"
    }
  ])("is asked as $wire wants it", ({ header, list, url, wire }) =>
    Effect.gen(function*() {
      const { ask, sent } = yield* start({ answer: () => Promise.resolve(Response.json(list)) })
      const { body } = yield* ask("POST", "/api/providers/mine/test", { kind: wire, key: "k1" })
      assert.strictEqual(body.models.length, 1)
      assert.match(body.models[0].id, /^mine\/(claude|gemma|gpt)/)
      assert.isNotNull(body.models[0].contextTokens)
      assert.strictEqual(sent[0]?.url, url)
      assert.include(sent[0]?.headers[header], "k1")
    }))

  it.effect.each([
    {
      what: "a refused key",
      answer: () => Promise.resolve(Response.json({ error: { message: `no ${KEY}` } }, { status: 401 })),
      says: /refuses the key \(401\)/,
      hint: /key is whole/
    },
    {
      what: "a refused connection",
      answer: refusedConnection,
      says: /cannot be reached: .*ECONNREFUSED/,
      hint: /start the server/
    },
    { what: "a web page", answer: page, says: /a web page/, hint: /\/v1/ },
    {
      what: "a path that is not there",
      answer: () => Promise.resolve(new Response("404", { status: 404 })),
      says: /answers 404/,
      hint: /\/v1/
    },
    {
      what: "a redirect to another origin",
      answer: () =>
        Promise.resolve(new Response(null, { status: 307, headers: { location: "https://other.example/" } })),
      says: /redirects to https:\/\/other\.example/,
      hint: /give the address/
    }
  ])("says what is wrong for $what, and not the key", ({ answer, hint, says }) =>
    Effect.gen(function*() {
      const { ask, sent } = yield* start({ answer })
      const { body, status, text } = yield* ask("POST", "/api/providers/local/test", {
        ...LOCAL,
        name: undefined,
        key: KEY
      })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { ok: false, models: [] })
      assert.match(body.error.message, says)
      assert.match(body.error.hint, hint)
      assert.notInclude(text, KEY)
      assert.strictEqual(sent.length, 1)
    }))

  it.effect("says so without asking anybody for an address that is no URL, and for a key that is not there", () =>
    Effect.gen(function*() {
      const { ask, sent } = yield* start()
      const noUrl = yield* ask("POST", "/api/providers/local/test", { kind: "openai-compatible", url: "localhost" })
      assert.match(noUrl.body.error.message, /is not a URL/)
      const noKey = yield* ask("POST", "/api/providers/openai/test", null)
      assert.match(noKey.body.error.hint, /platform\.openai\.com/)
      assert.strictEqual((yield* ask("POST", "/api/providers/nobody/test", {})).status, 404)
      assert.strictEqual(sent.length, 0)
    }))
})
