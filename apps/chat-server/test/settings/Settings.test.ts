import { ModelFacts } from "@boocode/language-models"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as References from "effect/References"
import { DataFolder } from "../../src/settings/DataFolder.ts"
import { logLevel, Settings } from "../../src/settings/Settings.ts"

const missing = PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "readFile" })

const DEFAULTS: typeof Settings.Service = {
  allowedHosts: [],
  approvals: { ask: [] },
  auditDays: 90,
  codeMode: "off",
  credentials: "auto",
  limits: {},
  logFormat: "pretty",
  logLevel: "warn",
  loginShellPath: false,
  maxConnecting: null,
  metrics: true,
  model: null,
  models: {},
  privateAddresses: [],
  proxySignIn: null,
  publicUrl: null,
  registry: "https://registry.modelcontextprotocol.io",
  sampling: "ask",
  scopes: [],
  signIn: null,
  titles: "model",
  token: null,
  toolSearch: { mode: "auto", threshold: 10_000 },
  trustedPublishers: []
}

/** The settings of a file with this text, and what the log says about it. */
const read = Effect.fnUntraced(function*(text: string | null) {
  const logged: Array<string> = []
  const files = FileSystem.layerNoop({
    readFileString: () => text === null ? Effect.fail(missing) : Effect.succeed(text)
  })
  const settings = yield* Effect.provide(
    Settings.use(Effect.succeed),
    Settings.layer.pipe(
      Layer.provide(DataFolder.layer({ dataDir: "/d", configFile: null })),
      Layer.provide([files, Path.layer, Environment.layer({ BOOCODE_STATE_DIR: "/s" })]),
      Layer.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]))
    )
  )
  return { settings, logged }
})

describe("Settings", () => {
  it.effect("reads its keys and warns of unknown ones, remarks aside", () =>
    Effect.gen(function*() {
      const { logged, settings } = yield* read(
        `{"allowedHosts":["chat.example"],"logLevel":"debug","logLvel":1,"$schema":"","later":1}`
      )
      assert.deepStrictEqual({ ...settings }, { ...DEFAULTS, allowedHosts: ["chat.example"], logLevel: "debug" })
      assert.deepStrictEqual(logged, [
        "/d/settings.json: unknown key \"logLvel\", not read; did you mean logLevel?",
        "/d/settings.json: unknown key \"later\", not read"
      ])
    }))

  it.effect("asks about every call while what is to be asked about cannot be told", () =>
    Effect.gen(function*() {
      const good = yield* read(`{"approvals":{"ask":["files_write_*","!files_write_log"]}}`)
      assert.deepStrictEqual(good.settings.approvals, { ask: ["files_write_*", "!files_write_log"] })
      assert.deepStrictEqual(good.logged, [])
      for (
        const wrong of [`"files_write"`, `{"ask":"*"}`, `{"asks":[]}`, `{"ask":["files.write"]}`, `{"ask":["!a"]}`]
      ) {
        const { logged, settings } = yield* read(`{"approvals":${wrong}}`)
        assert.deepStrictEqual(settings.approvals, { ask: ["*"] }, wrong)
        assert.match(logged.join("\n"), /"approvals" is ignored: .* until it is right \{"ask":\["\*"\]\} holds/)
      }
      const { logged, settings } = yield* read(`{"approvals": {"ask": ["a"]}`)
      assert.deepStrictEqual(settings.approvals, { ask: ["*"] })
      assert.include(logged.join("\n"), "every call asks first")
    }))

  it.effect("offers models to admins only while it cannot be told for whom each is, and names the key that is wrong", () =>
    Effect.gen(function*() {
      const good = yield* read(`{"models":{"openai/a":{"for":["group:dev"],"inputPrice":1}}}`)
      assert.deepStrictEqual(good.settings.models, { "openai/a": { for: ["group:dev"], inputPrice: 1 } })
      for (
        const [wrong, key] of [
          [`{"openai/a":{"for":["group:dev"]},"openai/b":{"inputPrice":-1}}`, "openai/b > inputPrice"],
          [`{"openai/a":{"fro":["group:dev"]}}`, "openai/a > fro"],
          [`{"openai/a":{"for":"dev"}}`, "openai/a > for"]
        ] as const
      ) {
        const { logged, settings } = yield* read(`{"models":${wrong}}`)
        for (const id of ["openai/a", "openai/b", "other/c"]) {
          assert.deepStrictEqual(ModelFacts.audienceOf(id, settings.models), ["admins"], `${wrong} ${id}`)
        }
        assert.include(logged.join("\n"), `; ${key} is wrong; until it is right {"*":{"for":["admins"]}} holds`)
      }
      const { settings } = yield* read(`{"models": {`)
      assert.deepStrictEqual(ModelFacts.audienceOf("openai/a", settings.models), ["admins"])
    }))

  it.effect("has defaults, without a word, when there is no file", () =>
    Effect.gen(function*() {
      const { logged, settings } = yield* read(null)
      assert.deepStrictEqual({ ...settings }, DEFAULTS)
      assert.deepStrictEqual(logged, [])
    }))

  it.effect("warns of a wrong key by name and keeps the others", () =>
    Effect.gen(function*() {
      const { logged, settings } = yield* read(`{"allowedHosts":["chat.example"],"logLevel":"loud"}`)
      assert.deepStrictEqual({ ...settings }, { ...DEFAULTS, allowedHosts: ["chat.example"] })
      assert.deepStrictEqual(logged, [
        "/d/settings.json: \"logLevel\" is ignored: expected \"trace\", \"debug\", \"info\", \"warn\", \"error\" or \"none\""
      ])
      assert.match((yield* read(`{"allowedHosts":"x"}`)).logged.join(), /expected a list of names such as/)
    }))

  it.effect("takes mode and threshold of tool search, each alone too, and nothing of it when a part is wrong (R48)", () =>
    Effect.gen(function*() {
      const toolSearch = (value: unknown) => read(JSON.stringify({ toolSearch: value }))
      const given = { mode: "always", threshold: 0 }
      assert.deepStrictEqual((yield* toolSearch(given)).settings.toolSearch, given)
      assert.deepStrictEqual((yield* toolSearch({ mode: "never" })).settings.toolSearch, {
        mode: "never",
        threshold: 10_000
      })
      const wrong = [{ mode: "sometimes" }, { threshold: -1 }, { threshold: 1.5 }, { threshhold: 5 }, "always", null]
      for (const value of wrong) {
        const { logged, settings } = yield* toolSearch(value)
        assert.deepStrictEqual(settings.toolSearch, DEFAULTS.toolSearch, JSON.stringify(value))
        assert.match(
          logged.join(),
          /"toolSearch" is ignored: expected \{"mode": "auto", "always" or "never", "threshold"/
        )
      }
    }))

  it.effect("takes trusted publishers as whole https origins, and none of a list with anything else (R70)", () =>
    Effect.gen(function*() {
      const good = yield* read(`{"trustedPublishers":["https://mcp.example.com","https://mcp.example.com:8443"]}`)
      assert.deepStrictEqual(good.settings.trustedPublishers, [
        "https://mcp.example.com",
        "https://mcp.example.com:8443"
      ])
      assert.deepStrictEqual(good.logged, [])
      for (
        const origin of ["mcp.example.com", "http://mcp.example.com", "https://mcp.example.com/", "https://*", "@scope"]
      ) {
        const text = JSON.stringify({ trustedPublishers: ["https://mcp.example.com", origin] })
        const { logged, settings } = yield* read(text)
        assert.deepStrictEqual(settings.trustedPublishers, [], origin)
        assert.match(logged.join(), /"trustedPublishers" is ignored: expected a list of https origins/)
      }
    }))

  it.effect("warns of a file that is not a JSON object and goes on", () =>
    Effect.gen(function*() {
      for (const text of ["{ oops", "[]", "3"]) {
        const { logged, settings } = yield* read(text)
        assert.deepStrictEqual(settings.allowedHosts, [])
        assert.match(logged.join(), /\/d\/settings\.json:1:\d cannot be used/)
      }
    }))

  it.effect("gives way to the log level of the command line", () =>
    Effect.gen(function*() {
      const level = (asked: "Debug" | null) =>
        Effect.provide(
          Effect.service(References.MinimumLogLevel),
          logLevel(asked).pipe(Layer.provide(Settings.layerValues({ logLevel: "error" })))
        )
      assert.strictEqual(yield* level(null), "Error")
      assert.strictEqual(yield* level("Debug"), "Debug")
    }))
})
