import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as RecordedRegistry from "../../../../../packages/mcp-config/test/support/RecordedRegistry.ts"
import * as EntriesStage from "../../support/EntriesStage.ts"

const RECORDED = Object.fromEntries(
  ["servers", "memory", "plain"].map((name) => [
    `/d/registry/${name}.json`,
    RecordedRegistry.text(`registry/${name}.json`)
  ])
)

const stage = (options: EntriesStage.Options = {}) =>
  EntriesStage.open({ ...options, files: { ...RECORDED, ...options.files } })

const path = (name: string, version = "") =>
  `/api/registry/servers/${encodeURIComponent(name)}${version === "" ? "" : `?version=${version}`}`

const WEATHER = {
  name: "io.github.acme/weather",
  version: "1.2.3",
  candidate: "npm:@acme/weather-mcp@1.2.3",
  inputs: { units: "metric", WEATHER_API_KEY: "s3cret" }
}

const TOKEN = "a-token-of-some-length"

describe("The MCP registry over HTTP", () => {
  it.effect("is searched by words; what was deleted is not listed, and each server says how it can be installed", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage()
      const { body, status } = yield* ask("GET", "/api/registry/servers?search=acme%20forecasts")
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.deepInclude(body, { registry: "file:registry", keptAt: null, nextCursor: null, problems: [] })
      const brief = body.servers.map(({ kinds, name, status }: Record<string, unknown>) => [name, status, kinds])
      assert.deepStrictEqual(brief, [
        ["io.github.acme/weather", "active", ["npm", "remote"]],
        ["io.github.acme/old-weather", "deprecated", ["npm"]]
      ])
      const all = (yield* ask("GET", "/api/registry/servers")).body.servers
      const named = all.map(({ name, version }: Record<string, unknown>) => `${name}@${version}`)
      assert.notInclude(named.join(), "stealer")
      assert.include(named, "io.github.modelcontextprotocol/server-memory@2026.8.31")
    }))

  it.effect("shows what each way to install a server would run and asks for, and why one is refused", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage()
      const { body } = yield* ask("GET", path("io.github.acme/weather"))
      assert.deepInclude(body, {
        publisher: "io.github.acme",
        repository: "https://github.com/acme/weather-mcp",
        suggestedName: "weather",
        installed: []
      })
      const [npm, remote] = body.candidates
      assert.strictEqual(
        npm.runs,
        "npx -y @acme/weather-mcp@1.2.3 --units {units} --verbose {place}"
      )
      assert.deepStrictEqual(npm.inputs.map(({ key }: { readonly key: string }) => key), [
        "units",
        "WEATHER_API_KEY",
        "place",
        "WEATHER_LANGUAGE"
      ])
      assert.deepInclude(npm.inputs[0], { choices: ["metric", "imperial"], default: null, isRequired: true })
      assert.deepInclude(remote, { kind: "remote", runs: "https://{region}.weather.example/mcp", refused: null })
      const bundle = (yield* ask("GET", path("io.github.acme/bundle"))).body.candidates[0]
      assert.match(bundle.refused, /not supported yet/)
      const old = (yield* ask("GET", path("io.github.modelcontextprotocol/server-memory", "2026.7.4"))).body
      assert.strictEqual(old.candidates[0].title, "@modelcontextprotocol/server-memory@2026.7.4")
      const all = yield* ask("GET", `${path("io.github.modelcontextprotocol/server-memory")}/versions`)
      assert.deepStrictEqual(all.body.versions.map(({ version }: { readonly version: string }) => version), [
        "2026.8.31",
        "2026.7.4"
      ])
      assert.strictEqual((yield* ask("GET", `${path("io.github.acme/wether")}/versions`)).status, 404)
      const unknown = yield* ask("GET", path("io.github.acme/wether"))
      assert.strictEqual(unknown.status, 404)
      assert.include(unknown.body.nearest, "io.github.acme/weather")
    }))

  it.effect("installs a server: secrets go to .env, the entry says where it is from, and a dry run writes nothing", () =>
    Effect.gen(function*() {
      const { ask, memory, text } = yield* stage()
      const before = text()
      const dry = yield* ask("POST", "/api/registry/install", { ...WEATHER, dryRun: true })
      assert.strictEqual(dry.status, 200, JSON.stringify(dry.body))
      assert.strictEqual(dry.body.server, null)
      assert.strictEqual(text(), before)
      assert.isNull(memory.text("/d/.env"))
      const { body, status } = yield* ask("POST", "/api/registry/install", WEATHER)
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.deepInclude(body, { name: "weather", file: "/d/mcp.json", variables: ["WEATHER_API_KEY"] })
      assert.deepStrictEqual({ ...dry.body, server: null }, { ...body, server: null })
      assert.deepStrictEqual(JSON.parse(text()).mcpServers.weather, {
        command: "npx",
        args: ["-y", "@acme/weather-mcp@1.2.3", "--units", "metric", "--verbose"],
        env: { WEATHER_API_KEY: "${WEATHER_API_KEY}", WEATHER_LANGUAGE: "en", WEATHER_CLIENT: "mcp" },
        startupTimeout: "3 minutes",
        from: "io.github.acme/weather@1.2.3"
      })
      assert.strictEqual(memory.text("/d/.env"), "WEATHER_API_KEY=s3cret\n")
      assert.notInclude(JSON.stringify(body), "s3cret")
      const again = (yield* ask("GET", path("io.github.acme/weather"))).body
      assert.deepStrictEqual([again.installed, again.suggestedName], [["weather"], "weather-2"])
    }))

  it.effect("tries a server with its values in place, and writes nothing", () =>
    Effect.gen(function*() {
      const { ask, memory, text, tried } = yield* stage()
      const before = text()
      const { body, status } = yield* ask("POST", "/api/registry/try", WEATHER)
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.strictEqual(body.server.state, "ready")
      assert.lengthOf(body.tools, 1)
      const [{ args, env }] = tried.map((one) => Object(one))
      const words = args.map(Redacted.value)
      assert.deepStrictEqual(words, ["-y", "@acme/weather-mcp@1.2.3", "--units", "metric", "--verbose"])
      assert.strictEqual(Redacted.value(env.WEATHER_API_KEY), "s3cret")
      assert.strictEqual(text(), before)
      assert.isNull(memory.text("/d/.env"))
      assert.deepStrictEqual((yield* ask("POST", "/api/registry/try", { ...WEATHER, inputs: {} })).status, 400)
      const away = yield* stage({ token: TOKEN })
      assert.deepStrictEqual((yield* away.ask("POST", "/api/registry/try", WEATHER)).body._tag, "NotOverHttp")
      assert.deepStrictEqual(away.tried, [])
    }))

  it.effect("says what is outdated, what an upgrade would change, and upgrades the entry with what a person added", () =>
    Effect.gen(function*() {
      const memory = {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-memory@2026.7.4"],
        env: { MEMORY_FILE_PATH: "/m.json", MINE: "s3cret" },
        timeout: 5000,
        from: "io.github.modelcontextprotocol/server-memory@2026.7.4"
      }
      const mine = { command: "x" }
      const { ask, text, tried } = yield* stage({ file: JSON.stringify({ mcpServers: { memory, mine } }) })
      const before = text()
      const { body } = yield* ask("GET", "/api/registry/outdated")
      assert.deepStrictEqual((yield* ask("GET", "/api/registry/outdated?kept=true")).body, body)
      assert.deepStrictEqual(body.servers, [{
        server: "memory",
        name: "io.github.modelcontextprotocol/server-memory",
        version: "2026.7.4",
        latest: "2026.8.31",
        status: "active"
      }])
      const dry = (yield* ask("POST", "/api/registry/upgrade", { server: "memory", dryRun: true })).body
      assert.deepInclude(dry, { from: "2026.7.4", to: "2026.8.31", missing: [], standing: null })
      assert.strictEqual(dry.change.runs, "npx -y @modelcontextprotocol/server-memory@2026.8.31")
      assert.include(dry.change.before, "server-memory@2026.7.4")
      assert.include(dry.change.after, "server-memory@2026.8.31")
      assert.notInclude(JSON.stringify(dry), "s3cret")
      assert.deepInclude(dry.change.tools, { added: [], changed: [], removed: [] })
      assert.lengthOf(tried, 2)
      assert.strictEqual(text(), before)
      const done = yield* ask("POST", "/api/registry/upgrade", { server: "memory", version: "2026.8.31" })
      assert.strictEqual(done.status, 200, JSON.stringify(done.body))
      assert.strictEqual(done.body.standing.state, "ready")
      const { args, ...rest } = JSON.parse(text()).mcpServers.memory
      assert.deepStrictEqual(args, ["-y", "@modelcontextprotocol/server-memory@2026.8.31"])
      assert.deepStrictEqual(rest, {
        ...{ command: "npx", env: memory.env, timeout: 5000 },
        from: "io.github.modelcontextprotocol/server-memory@2026.8.31"
      })
      assert.deepStrictEqual((yield* ask("GET", "/api/registry/outdated")).body.servers, [])
      const none = yield* ask("POST", "/api/registry/upgrade", { server: "mine" })
      assert.deepStrictEqual([none.status, none.body._tag], [409, "NotInstallable"])
    }))

  it.effect("an upgrade that needs a value says which, and writes nothing before it is there", () =>
    Effect.gen(function*() {
      const weather = {
        command: "npx",
        args: ["-y", "@acme/weather-mcp@1.0.0"],
        from: "io.github.acme/weather@1.0.0"
      }
      const { ask, memory, text } = yield* stage({ file: JSON.stringify({ mcpServers: { weather } }) })
      const before = text()
      const upgrade = (inputs: object) => ask("POST", "/api/registry/upgrade", { server: "weather", inputs })
      const { body } = yield* upgrade({ WEATHER_API_KEY: "s3cret" })
      assert.deepStrictEqual(body.missing.map(({ key }: { readonly key: string }) => key), ["units"])
      assert.isNull(body.standing)
      assert.strictEqual(text(), before)
      assert.isNull(memory.text("/d/.env"))
      assert.strictEqual((yield* upgrade({ WEATHER_API_KEY: "s3cret", units: "kelvin" })).status, 400)
      const done = yield* upgrade({ WEATHER_API_KEY: "s3cret", units: "metric" })
      assert.isNotNull(done.body.standing)
      assert.include(text(), "${WEATHER_API_KEY}")
      assert.strictEqual(memory.text("/d/.env"), "WEATHER_API_KEY=s3cret\n")
    }))

  it.effect("refuses what was deleted, what is not supported, a name that is there, and values that do not fit", () =>
    Effect.gen(function*() {
      const { ask, text } = yield* stage({ file: "{ \"mcpServers\": { \"mine\": { \"command\": \"x\" } } }" })
      const before = text()
      const refused = Effect.fnUntraced(function*(change: object) {
        const { body, status } = yield* ask("POST", "/api/registry/install", { ...WEATHER, ...change })
        return [status, body._tag, body.state ?? body.problems ?? null]
      })
      const one = (name: string, candidate: string) => ({ name, version: "1.0.0", candidate, inputs: {} })
      assert.deepStrictEqual(yield* refused(one("io.github.evil/stealer", "npm:stealer-mcp@1.0.0")), [
        409,
        "NotInstallable",
        "refused"
      ])
      const bundle = (yield* ask("GET", path("io.github.acme/bundle"))).body.candidates[0].id
      assert.deepStrictEqual((yield* refused(one("io.github.acme/bundle", bundle)))[0], 409)
      assert.deepStrictEqual((yield* refused({ candidate: "npm:other@1" }))[1], "NotInstallable")
      assert.deepStrictEqual(yield* refused({ as: "mine" }), [409, "FileConflict", "exists"])
      assert.deepStrictEqual(yield* refused({ inputs: { units: "kelvin" } }), [400, "WrongInputs", [
        { field: "units", message: "it is one of metric, imperial" },
        { field: "WEATHER_API_KEY", message: "a value is needed" }
      ]])
      assert.deepStrictEqual((yield* refused({ version: "9.9.9" }))[0], 404)
      assert.strictEqual(text(), before)
    }))

  it.effect("installs no program where others reach the server, and keeps a secret of a remote in its entry", () =>
    Effect.gen(function*() {
      const { ask, memory, text } = yield* stage({ token: TOKEN })
      const program = yield* ask("POST", "/api/registry/install", { ...WEATHER, dryRun: true })
      assert.deepStrictEqual([program.status, program.body._tag], [403, "NotOverHttp"])
      const remote = { ...WEATHER, candidate: "remote:https://{region}.weather.example/mcp" }
      const { body, status } = yield* ask("POST", "/api/registry/install", {
        ...remote,
        inputs: { region: "eu", token: "s3cret" }
      })
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.notInclude(JSON.stringify(body), "s3cret")
      assert.deepInclude(JSON.parse(text()).mcpServers.weather, {
        headers: { Authorization: "Bearer s3cret" },
        publicOnly: true
      })
      assert.isNull(memory.text("/d/.env"))
    }))

  it.effect("names a recorded answer that is broken, with its place", () =>
    Effect.gen(function*() {
      const { ask } = yield* stage({ files: { "/d/registry/torn.json": "{ \"servers\": [\n{ \"server\": " } })
      const { body, status } = yield* ask("GET", "/api/registry/servers")
      assert.deepStrictEqual([status, body._tag], [502, "RegistryUnreachable"])
      assert.match(body.detail, /\/d\/registry\/torn\.json:2:\d+/)
      const nameless = yield* stage({ files: { "/d/registry/nameless.json": "{ \"server\": { \"name\": \"x\" } }" } })
      assert.match((yield* nameless.ask("GET", "/api/registry/servers")).body.detail, /nameless\.json .*name/)
    }))
})
