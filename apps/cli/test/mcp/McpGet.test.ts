import type { ConfiguredServer } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { DECLARED } from "../support/Declared.ts"
import { boocode, json, type Script, trustDetails } from "../support/Scripted.ts"

describe("mcp get", () => {
  const limits = {
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
    instructions: true,
    ask: [],
    protocol: "auto",
    lazy: false,
    session: "shared",
    idleTtl: null,
    pin: "off",
    logLevel: "info",
    writes: null,
    trustAnnotations: true,
    classes: {},
    targets: {}
  } as const
  const server = (name: string, config: ConfiguredServer["config"]): ConfiguredServer => ({
    name,
    transport: "stdio",
    source: "data/mcp.json",
    enabled: true,
    needsApproval: false,
    config,
    warnings: ["unknown key \"enviroment\""]
  })
  const secrets = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Redacted.make(text)]))
  const texts = (values: ReadonlyArray<string>) => values.map((text) => Redacted.make(text))
  const DATABASE = "postgres://me:CANARY-7@db.example/main?key=CANARY-8"
  const local = {
    ...server(
      "local",
      Result.succeed({
        name: "local",
        transport: {
          _tag: "stdio",
          command: "run",
          args: texts(["--token", "CANARY-1", "--key=CANARY-2", "-y", "/CANARY-3/files", DATABASE]),
          env: secrets({ KEY: "CANARY-4", TOKEN: "CANARY-5", BOTH: "CANARY-6" }),
          cwd: "/srv",
          inheritEnv: []
        },
        ...limits
      })
    ),
    written: {
      args: texts(["--token", "CANARY-1", "--key=${KEY}", "-y", "${ROOT}/files", DATABASE]),
      env: secrets({ KEY: "CANARY-4", TOKEN: "${TOKEN}", BOTH: "${TOKEN:-CANARY-6}" }),
      headers: {}
    }
  }
  const remote: ConfiguredServer = {
    ...server(
      "remote",
      Result.succeed({
        name: "remote",
        transport: {
          _tag: "streamableHttp",
          url: Redacted.make("https://example.com:8443/CANARY-3?key=CANARY-4"),
          headers: { Authorization: Redacted.make("Bearer CANARY-5") }
        },
        ...limits
      })
    ),
    transport: "streamableHttp"
  }
  const configuration = {
    servers: [local, remote],
    sources: [
      { file: "data/mcp.json", scope: "data" as const, state: "read" as const, hidden: [], error: null },
      { file: "~/.mcprc", scope: "user" as const, state: "read" as const, hidden: ["local"], error: null }
    ],
    warnings: []
  }

  it.effect("shows the entry as understood, where it comes from and what it hides, and no secret (Decision 15)", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "get", "local", "--json"], { configuration })
      assert.strictEqual(ended.code, 0)
      assert.deepStrictEqual(json(ended.stdout), {
        name: "local",
        transport: "stdio",
        enabled: true,
        needsApproval: false,
        approval: null,
        source: "data/mcp.json",
        scope: "data",
        hides: ["~/.mcprc"],
        entry: {
          command: "run",
          args: [
            "--token",
            "<redacted>",
            "--key=${KEY}",
            "-y",
            "${ROOT}/files",
            "postgres://<redacted>@db.example/main?key=<redacted>"
          ],
          env: { KEY: "<redacted>", TOKEN: "${TOKEN}", BOTH: "${TOKEN:-<redacted>}" },
          cwd: "/srv",
          inheritEnv: [],
          url: null,
          headers: null,
          startupTimeoutMillis: 30_000,
          timeoutMillis: 60_000,
          maxTotalTimeoutMillis: 600_000,
          maxConcurrency: null,
          maxInstances: 20,
          maxMessageBytes: 16_777_216,
          maxResultBytes: 5_000_000,
          results: "content",
          restart: "never",
          retry: "never",
          pingMillis: null,
          tools: null,
          alwaysLoad: false,
          instructions: true,
          ask: [],
          protocol: "auto",
          lazy: false,
          session: "shared",
          idleTtlMillis: null,
          pin: "off",
          logLevel: "info",
          writes: null,
          trustAnnotations: true,
          classes: {},
          targets: {}
        },
        warnings: ["unknown key \"enviroment\""],
        error: null
      })
      assert.deepStrictEqual(ended.log, [])
    }))

  it.effect("keeps every value out of both forms (Decision 15)", () =>
    Effect.gen(function*() {
      for (const name of ["local", "remote"]) {
        for (const form of [[], ["--json"]]) {
          const ended = yield* boocode(["mcp", "get", name, ...form], { configuration })
          assert.notInclude(ended.stdout + ended.stderr, "CANARY")
          assert.include(ended.stdout, name === "local" ? "KEY" : "https://example.com:8443/<redacted>")
        }
      }
    }))

  const declared = { ...DECLARED, type: "streamableHttp" } as const

  it.effect("shows the path of an address as its file has it, without what looks like a key (Decision 15)", () =>
    Effect.gen(function*() {
      const shown = Effect.fnUntraced(function*(url: string) {
        const server = { ...remote, declared: { ...declared, url: Redacted.make(url) } }
        const ended = yield* boocode(["mcp", "get", "remote", "--json"], {
          configuration: { ...configuration, servers: [server] }
        })
        return Object(json(ended.stdout)).entry.url
      })
      assert.strictEqual(yield* shown("https://x.example/v1/mcp"), "https://x.example/v1/mcp")
      assert.strictEqual(yield* shown("https://${HOST}/${TENANT}/mcp"), "https://${HOST}/${TENANT}/mcp")
      assert.strictEqual(
        yield* shown("https://me:CANARY@x.example/CANARY0123456789x/mcp?key=CANARY#CANARY"),
        "https://<redacted>@x.example/<redacted>/mcp?key=<redacted>#<redacted>"
      )
      assert.strictEqual(
        yield* shown("https://x.example/${KEY:-CANARY0123456789x}"),
        "https://x.example/${KEY:-<redacted>}"
      )
    }))

  it.effect("says what was decided about a server of a project file, for good and for the run of a server", () =>
    Effect.gen(function*() {
      const server = { ...remote, needsApproval: true, source: ".mcp.json", declared }
      const script = { configuration: { ...configuration, servers: [server] } }
      const first = (script: Script) =>
        Effect.map(boocode(["mcp", "get", "remote"], script), ({ stdout }) => stdout.split("\n")[0])
      const cases = [["always", "approved"], ["publisher", "approved, because its publisher is trusted"]] as const
      assert.strictEqual(yield* first(script), "remote  streamableHttp  needs approval")
      for (const [by, words] of cases) {
        assert.strictEqual(
          yield* first({ ...script, standing: { decision: "approved", by } }),
          `remote  streamableHttp  ${words}`
        )
      }
      assert.strictEqual(
        yield* first({ ...script, standing: { decision: "rejected", by: "always" } }),
        "remote  streamableHttp  rejected"
      )
      const changes = [{ key: "args[0]", before: "a", after: "b" }]
      assert.strictEqual(
        yield* first({ ...script, standing: { changes } }),
        "remote  streamableHttp  needs approval: args[0] changed since it was decided on"
      )
      const running = (hash: string): Script => ({
        ...script,
        running: "http://127.0.0.1:4266",
        answer: () =>
          Effect.sync(() =>
            Response.json({ ...trustDetails, server: "remote", decision: "approved", by: "once", hash })
          )
      })
      assert.strictEqual(yield* first(running("ab12")), "remote  streamableHttp  approved, for this run")
      // It decided about another entry than the one that is shown.
      assert.strictEqual(yield* first(running("ef56")), "remote  streamableHttp  needs approval")
      const { stdout } = yield* boocode(["mcp", "get", "remote", "--json"], running("ab12"))
      assert.isFalse(Object(json(stdout)).needsApproval)
      assert.deepStrictEqual(Object(json(stdout)).approval, { decision: "approved", by: "once", changed: [] })
    }))

  it.effect("names the nearest server", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "get", "locall", "--json"], { configuration })
      assert.strictEqual(ended.code, 1)
      assert.deepStrictEqual(json(ended.stdout), {
        error: { _tag: "UnknownServer", message: "no server is called locall", hint: "did you mean local?" }
      })
    }))
})
