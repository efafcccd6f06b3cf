import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Configuration, type ConfiguredServer, InvalidEntry, type ServerConfig } from "../../src/index.ts"
import published from "../fixtures/published-configs.json" with { type: "json" }
import { configurationOfServers, configurationOfText } from "../support/Files.ts"

const server = (configuration: Configuration, name: string): ConfiguredServer => {
  const found = configuration.servers.find((one) => one.name === name)
  return found ?? assert.fail(`no server ${name}`)
}

const config = (configuration: Configuration, name = "a"): ServerConfig => {
  const result = server(configuration, name).config
  return Result.isSuccess(result) ? result.success : assert.fail(result.failure.message)
}

const failure = (configuration: Configuration, name = "a") => {
  const result = server(configuration, name).config
  return Result.isFailure(result) ? result.failure : assert.fail(`${name} is usable`)
}

const one = (entry: unknown) => configurationOfServers({ a: entry })

describe("Native", () => {
  it.effect("decodes all 70 configurations that servers' authors publish, without a warning (R67)", () =>
    Effect.gen(function*() {
      assert.strictEqual(published.length, 70)
      for (const { config: block, server: name } of published) {
        const configuration = yield* configurationOfText(JSON.stringify(block))
        assert.strictEqual(configuration.servers.length, Object.keys(block.mcpServers).length, name)
        assert.deepStrictEqual(configuration.warnings, [], name)
        for (const configured of configuration.servers) {
          assert.strictEqual(config(configuration, configured.name).transport._tag, "stdio")
          assert.deepStrictEqual(configured.warnings, [], name)
        }
      }
    }))

  it.effect("refuses names with line breaks, control characters or marks of direction, and writes those out", () =>
    Effect.gen(function*() {
      const hiding = {
        "a\nready": "a\\u{a}ready",
        "a\u202eb": "a\\u{202e}b",
        "\u2066c": "\\u{2066}c",
        "d\u2028": "d\\u{2028}",
        "e\u2029": "e\\u{2029}"
      }
      const configuration = yield* configurationOfServers(
        Object.fromEntries([...Object.keys(hiding), "Grüße 👩‍🚀", "日本"].map((name) => [name, { command: "x" }]))
      )
      for (const name of Object.values(hiding)) {
        const error = failure(configuration, name)
        assert.include(error.message, "a name may not hold line breaks")
        assert.notMatch(`${error.message}${error.server}`, /[\n\u2028\u2029\u202e\u2066]/)
      }
      assert.strictEqual(config(configuration, "Grüße 👩‍🚀").name, "Grüße 👩‍🚀")
      assert.strictEqual(config(configuration, "日本").name, "日本")
    }))

  it.effect("fills in the defaults of every option", () =>
    Effect.gen(function*() {
      const { transport: _, ...options } = config(yield* one({ command: "x" }))
      assert.deepStrictEqual(options, {
        name: "a",
        startupTimeout: Duration.seconds(30),
        timeout: Duration.seconds(60),
        maxTotalTimeout: Duration.minutes(10),
        maxConcurrency: null,
        maxInstances: 20,
        maxMessageBytes: 16_777_216,
        maxResultBytes: 5_000_000,
        results: "content",
        restart: "never",
        retry: "never",
        ping: null,
        tools: null,
        alwaysLoad: false,
        ask: [],
        protocol: "auto",
        lazy: false,
        idleTtl: null,
        session: "shared",
        pin: "warn",
        logLevel: "info",
        instructions: true,
        writes: null,
        trustAnnotations: true,
        classes: {},
        targets: {}
      })
    }))

  it.effect("decodes every option", () =>
    Effect.gen(function*() {
      const configuration = yield* one({
        command: "x",
        inheritEnv: ["SSH_AUTH_SOCK"],
        startupTimeout: "5 seconds",
        timeout: 1500,
        maxTotalTimeout: "1 hour",
        maxConcurrency: 4,
        maxInstances: 20,
        maxMessageBytes: 1024,
        maxResultBytes: 2048,
        results: "structured",
        restart: "on-failure",
        retry: "idempotent",
        ping: "30 seconds",
        tools: ["read_*", "!read_secret"],
        alwaysLoad: ["read_file"],
        ask: "*",
        instructions: false,
        protocol: "2026-07-28",
        lazy: true,
        idleTtl: "10 minutes",
        session: "client",
        pin: "off",
        logLevel: "warning",
        writes: "ask",
        trustAnnotations: false,
        classes: { look: "reads", drop: "destroys" },
        targets: { put: { path: "at", read: "get" }, save: { path: "p", read: "r", write: "w", content: "c" } }
      })
      const { transport, ...options } = config(configuration)
      assert.deepStrictEqual(server(configuration, "a").warnings, [])
      assert.deepStrictEqual(transport._tag === "stdio" ? transport.inheritEnv : null, ["SSH_AUTH_SOCK"])
      assert.deepStrictEqual(options, {
        name: "a",
        startupTimeout: Duration.seconds(5),
        timeout: Duration.millis(1500),
        maxTotalTimeout: Duration.hours(1),
        maxConcurrency: 4,
        maxInstances: 20,
        maxMessageBytes: 1024,
        maxResultBytes: 2048,
        results: "structured",
        restart: "on-failure",
        retry: "idempotent",
        ping: Duration.seconds(30),
        tools: ["read_*", "!read_secret"],
        alwaysLoad: ["read_file"],
        ask: ["*"],
        protocol: "2026-07-28",
        lazy: true,
        idleTtl: Duration.minutes(10),
        session: "client",
        pin: "off",
        logLevel: "warning",
        instructions: false,
        writes: "ask",
        trustAnnotations: false,
        classes: { look: "reads", drop: "destroys" },
        targets: { put: { path: "at", read: "get" }, save: { path: "p", read: "r", write: "w", content: "c" } }
      })
    }))

  it.effect("says of a wrong class or target where it is and what to write", () =>
    Effect.gen(function*() {
      const wrong = [
        [{ for: [] }, "for", "an empty list is for nobody"],
        [{ for: "admin" }, "for", "\"admin\" is no role"],
        [{ for: ["admins", "groups:dev"] }, "for[1]", "\"groups:dev\" is no group"],
        [{ writes: "always" }, "writes", "expected \"off\" or \"ask\", found another text"],
        [{ trustAnnotations: "no" }, "trustAnnotations", "expected true or false, found a text"],
        [{ classes: ["reads"] }, "classes", "expected an object of words by name, found a list"],
        [
          { classes: { a: "reads", b: "harmless" } },
          "classes.b",
          "expected \"reads\" or \"undeclared\" or \"writes\" or \"destroys\", found another text"
        ],
        [{ targets: { put: "get" } }, "targets.put", "expected an object with \"path\" and \"read\", found a text"],
        [
          { targets: { put: { path: "at" } } },
          "targets.put",
          "expected an object with \"path\" and \"read\", found an object"
        ]
      ] as const
      for (const [entry, key, detail] of wrong) {
        const error = failure(yield* one({ command: "x", ...entry }))
        assert.deepInclude(error, { key: `mcpServers.a.${key}`, detail })
      }
    }))

  it.effect("takes publicOnly for an address, where it is more than a word", () =>
    Effect.gen(function*() {
      const of = (entry: unknown) => Effect.map(one(entry), (found) => Object(config(found).transport).publicOnly)
      const url = "https://mcp.example.com/mcp"
      assert.isTrue(yield* of({ url, publicOnly: true }))
      assert.isTrue(yield* of({ type: "sse", url, publicOnly: true }))
      assert.isUndefined(yield* of({ url, publicOnly: false }))
      assert.isUndefined(yield* of({ url }))
      assert.strictEqual(failure(yield* one({ url, publicOnly: "yes" }))._tag, "InvalidEntry")
      const misplaced = yield* one({ command: "x", publicOnly: true })
      assert.match(server(misplaced, "a").warnings.join(), /publicOnly/)
    }))

  it.effect("infers a missing type, and knows the names a type goes by (R67)", () =>
    Effect.gen(function*() {
      const url = "https://x.example/mcp"
      const configuration = yield* configurationOfServers({
        a: { command: "x" },
        b: { url },
        c: { type: "http", url },
        d: { type: "streamable-http", url },
        e: { type: "streamableHttp", url },
        f: { type: "sse", url },
        g: { type: "stdio", command: "x" }
      })
      assert.deepStrictEqual(
        configuration.servers.map(({ name }) => config(configuration, name).transport._tag),
        ["stdio", "streamableHttp", "streamableHttp", "streamableHttp", "streamableHttp", "sse", "stdio"]
      )
    }))

  it.effect("names command and url together as the error, and says which to keep (R67)", () =>
    Effect.gen(function*() {
      const configuration = yield* one({ command: "x", url: "https://x" })
      assert.include(failure(configuration).message, "\"command\" and \"url\" together")
      assert.strictEqual(server(configuration, "a").transport, null)
    }))

  it.effect("does not let one broken entry hurt the others (R66)", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfServers({
        a: { command: 5 },
        b: { command: "x" },
        c: "npx x",
        d: {},
        "": { command: "x" },
        e: { type: "ws", url: "wss://x" },
        f: { type: "stdio", url: "https://x" },
        g: { type: "sse", command: "x" }
      })
      assert.deepStrictEqual(
        configuration.servers.map((one) => [one.name, Result.isSuccess(one.config)]),
        [["", false], ["a", false], ["b", true], ["c", false], ["d", false], ["e", false], ["f", false], ["g", false]]
      )
      assert.include(failure(configuration, "c").message, "mcpServers.c: expected an object, found a text")
      assert.include(failure(configuration, "d").message, "neither \"command\" nor \"url\"")
      assert.include(failure(configuration, "e").hint, "streamableHttp")
      assert.include(failure(configuration, "f").message, "mcpServers.f.command")
      assert.include(failure(configuration, "g").message, "mcpServers.g.url")
    }))

  it.effect("says file, line, column, path of the key and what to write for a wrong value (R66)", () =>
    Effect.gen(function*() {
      const text = "{ \"mcpServers\": {\n  \"a\": {\n    \"command\": \"x\",\n    \"args\": [\"-p\", 8080]\n  } } }"
      const found = failure(yield* configurationOfText(text))
      assert.instanceOf(found, InvalidEntry)
      assert.strictEqual(found.message, "/data/mcp.json:4:20: mcpServers.a.args[1]: expected a text, found a number")
      assert.strictEqual(found.hint, "put the value in double quotes")
      assert.strictEqual(found.server, "a")
    }))

  it.effect("refuses values of the wrong type for every kind of key (R66)", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<readonly [string, unknown]> = [
        ["args", "-y x"],
        ["env", ["A=b"]],
        ["cwd", 1],
        ["inheritEnv", [1]],
        ["envFile", ""],
        ["enabled", "false"],
        ["disabled", 0],
        ["startupTimeout", "30s"],
        ["timeout", 0],
        ["timeout", -5],
        ["timeout", "soon"],
        ["timeout", true],
        ["idleTtl", [1, 2]],
        ["session", "each"],
        ["maxConcurrency", 1.5],
        ["maxMessageBytes", "16 MiB"],
        ["maxMessageBytes", 500_000_001],
        ["maxResultBytes", 0],
        ["restart", "always"],
        ["retry", true],
        ["ping", true],
        ["tools", { allow: [] }],
        ["alwaysLoad", 1],
        ["instructions", "no"],
        ["logLevel", "warn"],
        ["ask", null],
        ["protocol", "2025-11-25"],
        ["lazy", "yes"],
        ["pin", "no"],
        ["roots", 1],
        ["type", 1],
        ["command", "  "]
      ]
      for (const [key, value] of wrong) {
        const found = failure(yield* one({ command: "x", [key]: value }))
        assert.match(found.message, new RegExp(`^/data/mcp\\.json:\\d+:\\d+: mcpServers\\.a\\.${key}`), key)
        assert.isAbove(found.hint.length, 5, key)
      }
      assert.include(failure(yield* one({ command: "x", timeout: "30s" })).message, "\"30 seconds\"")
    }))

  it.effect("shows the first trouble in the order of the text as the error, the others as warnings (R66)", () =>
    Effect.gen(function*() {
      const configuration = yield* one({ timeout: "soon", command: 5, lazy: 1 })
      assert.strictEqual(failure(configuration).key, "mcpServers.a.timeout")
      const warnings = server(configuration, "a").warnings.join("\n")
      assert.include(warnings, "mcpServers.a.command")
      assert.include(warnings, "mcpServers.a.lazy")
    }))

  it.effect("honours enabled and disabled, and takes disagreement for disabled, with a warning", () =>
    Effect.gen(function*() {
      const command = "x"
      const configuration = yield* configurationOfServers({
        a: { command, enabled: false },
        b: { command, disabled: true },
        c: { command, enabled: true, disabled: false },
        d: { command, enabled: true, disabled: true },
        e: { command, enabled: false, disabled: false },
        f: { command, enabled: false, disabled: true }
      })
      assert.deepStrictEqual(
        configuration.servers.map((one) => [one.name, one.enabled, one.warnings.length]),
        [["a", false, 0], ["b", false, 0], ["c", true, 0], ["d", false, 1], ["e", false, 1], ["f", false, 0]]
      )
      assert.include(server(configuration, "d").warnings.join(), "contradicts \"enabled\"")
    }))

  it.effect("says what is wrong with a disabled entry as a warning", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfServers({
        a: { enabled: false, command: "x", timeout: "soon" },
        b: { disabled: true, url: "${NOPE}" }
      })
      assert.include(server(configuration, "a").warnings.join(), "mcpServers.a.timeout: expected a duration")
      assert.include(server(configuration, "b").warnings.join(), "NOPE, which is not set")
    }))

  it.effect("warns of an unknown key by its path, with the nearest key there is (R66)", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfText(
        "{ \"mcpServers\": { \"a\": { \"command\": \"x\",\n \"tiemout\": 5, \"environment\": {}, \"zzz\": 1 } } }"
      )
      assert.deepStrictEqual(server(configuration, "a").warnings, [
        "/data/mcp.json:2:2: mcpServers.a.tiemout: unknown key, not read; did you mean timeout?",
        "/data/mcp.json:2:16: mcpServers.a.environment: unknown key, not read; did you mean env?",
        "/data/mcp.json:2:35: mcpServers.a.zzz: unknown key, not read"
      ])
      assert.strictEqual(config(configuration).timeout.pipe(Duration.toMillis), 60_000)
    }))

  it.effect("ignores the keys of other applications and people's remarks in silence (R66, R67)", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfServers({
        a: {
          command: "x",
          name: "A",
          description: "…",
          autoApprove: [],
          alwaysAllow: ["read"],
          trust: true,
          _note: "hi"
        },
        b: { url: "https://x", oauth: { clientId: "i" }, auth: {}, "//": "hello" }
      })
      assert.deepStrictEqual(configuration.servers.flatMap((one) => one.warnings), [])
    }))

  it.effect("warns of keys that mean nothing for the entry's transport", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfServers({
        a: { url: "https://x", args: ["y"] },
        b: { command: "x", headers: { A: "b" } }
      })
      assert.include(
        server(configuration, "a").warnings.join(),
        "mcpServers.a.args: has no meaning for a streamableHttp"
      )
      assert.include(server(configuration, "b").warnings.join(), "mcpServers.b.headers: has no meaning for a stdio")
    }))

  it.effect("warns of a key written twice, and of tools that name denials alone", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfText(
        "{ \"mcpServers\": { \"a\": { \"command\": \"x\", \"command\": \"y\", \"tools\": [\"!z\"] } } }"
      )
      const { transport } = config(configuration)
      assert.strictEqual(transport._tag === "stdio" ? transport.command : null, "y")
      const warnings = server(configuration, "a").warnings.join("\n")
      assert.include(warnings, "mcpServers.a.command: is written more than once")
      assert.include(warnings, "mcpServers.a.tools: denials alone allow no tool")
    }))

  it.effect("keeps a server whose name every object has", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfText("{ \"mcpServers\": { \"__proto__\": { \"command\": \"x\" } } }")
      assert.strictEqual(config(configuration, "__proto__").name, "__proto__")
    }))
})
