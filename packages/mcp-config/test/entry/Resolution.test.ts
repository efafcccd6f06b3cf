import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Configuration, type Http, type Stdio, VariableUnset } from "../../src/index.ts"
import { configurationOfServers, type Files } from "../support/Files.ts"

const SECRET = "s3cret-canary"

const resultOf = (configuration: Configuration) => configuration.servers[0]?.config ?? assert.fail("there is no server")

const failure = (configuration: Configuration) =>
  Result.match(resultOf(configuration), { onSuccess: () => assert.fail("it is usable"), onFailure: (error) => error })

const transport = (configuration: Configuration): Stdio | Http =>
  Result.match(resultOf(configuration), {
    onSuccess: (config) => config.transport,
    onFailure: (error) => assert.fail(error.message)
  })

const stdio = (configuration: Configuration): Stdio => {
  const found = transport(configuration)
  return found._tag === "stdio" ? found : assert.fail("it is not stdio")
}

const http = (configuration: Configuration): Http => {
  const found = transport(configuration)
  return found._tag === "stdio" ? assert.fail("it is stdio") : found
}

const values = (record: Readonly<Record<string, Redacted.Redacted<string>>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, Redacted.value(value)]))

const one = (entry: unknown, variables: Readonly<Record<string, string>> = {}, files: Files = {}) =>
  configurationOfServers({ a: entry }, variables, files)

describe("Resolution", () => {
  it.effect("expands command, args, env, cwd, url and headers (R65)", () =>
    Effect.gen(function*() {
      const started = stdio(
        yield* one(
          { command: "${BIN}/x", args: ["--key=${KEY}"], env: { K: "${KEY}", D: "${NOPE:-d}" }, cwd: "${BIN}" },
          { BIN: "/bin", KEY: SECRET }
        )
      )
      assert.strictEqual(started.command, "/bin/x")
      assert.deepStrictEqual(started.args.map(Redacted.value), [`--key=${SECRET}`])
      assert.deepStrictEqual(values(started.env), { K: SECRET, D: "d" })
      assert.strictEqual(started.cwd, "/bin")
      const reached = http(
        yield* one({ url: "https://${HOST}/mcp", headers: { Authorization: "Bearer ${KEY}" } }, {
          HOST: "h",
          KEY: SECRET
        })
      )
      assert.strictEqual(Redacted.value(reached.url), "https://h/mcp")
      assert.deepStrictEqual(values(reached.headers), { Authorization: `Bearer ${SECRET}` })
    }))

  it.effect("fails the server that needs an unset variable by the variable's name, and only that server (R65)", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfServers({
        a: { url: "https://x", headers: { A: "${NOPE}" } },
        b: { command: "x" }
      })
      const found = failure(configuration)
      assert.instanceOf(found, VariableUnset)
      assert.strictEqual(
        found.message,
        "/data/mcp.json:6:14: mcpServers.a.headers.A needs the variable NOPE, which is not set"
      )
      assert.isTrue(Result.isSuccess(configuration.servers[1]?.config ?? assert.fail("b is gone")))
    }))

  it.effect("takes the folder of the declaring file as cwd, and a relative cwd from there", () =>
    Effect.gen(function*() {
      assert.strictEqual(stdio(yield* one({ command: "x" })).cwd, "/data")
      assert.strictEqual(stdio(yield* one({ command: "x", cwd: "sub/../tools" })).cwd, "/data/tools")
      assert.strictEqual(stdio(yield* one({ command: "x", cwd: "/opt" })).cwd, "/opt")
    }))

  it.effect("takes roots from the folder of the declaring file, or from home, with their variables", () =>
    Effect.gen(function*() {
      const rootsOf = (roots: unknown, variables = { HOME: "/home/me", SUB: "s" }) =>
        Effect.map(one({ command: "x", roots }, variables), (configuration) =>
          Result.match(resultOf(configuration), {
            onSuccess: (config) => config.roots,
            onFailure: (error) => assert.fail(error.message)
          }))
      assert.deepStrictEqual(yield* rootsOf([".", "../x", "/abs", "~", "~/src", "${SUB}/t", "~other"]), [
        "/data",
        "/x",
        "/abs",
        "/home/me",
        "/home/me/src",
        "/data/s/t",
        "/data/~other"
      ])
      assert.deepStrictEqual(yield* rootsOf("src"), ["/data/src"])
      assert.deepStrictEqual([yield* rootsOf(true), yield* rootsOf(false), yield* rootsOf([])], [true, [], []])
      assert.strictEqual(failure(yield* one({ command: "x", roots: ["~/a"] })).key, "mcpServers.a.roots[0]")
      assert.strictEqual(failure(yield* one({ command: "x", roots: ["a", ""] })).key, "mcpServers.a.roots[1]")
      assert.instanceOf(failure(yield* one({ url: "https://x", roots: ["${NOPE}"] })), VariableUnset)
    }))

  it.effect("leaves a header out that expands to nothing (R65)", () =>
    Effect.gen(function*() {
      const configuration = yield* one({ url: "https://x", headers: { "X-API-Key": "${NOPE:-}", B: "b", C: " " } })
      assert.deepStrictEqual(values(http(configuration).headers), { B: "b" })
    }))

  it.effect("takes spaces around a url away, with a warning (R67)", () =>
    Effect.gen(function*() {
      const configuration = yield* one({ url: " https://x.example/mcp\n" })
      assert.strictEqual(Redacted.value(http(configuration).url), "https://x.example/mcp")
      assert.include(configuration.servers[0]?.warnings.join(), "mcpServers.a.url: spaces around the address")
    }))

  it.effect("refuses an address that is none, and headers that cannot be sent", () =>
    Effect.gen(function*() {
      for (const url of ["x.example/mcp", "ftp://x", "https://", "unix:///tmp/s", "javascript:alert(1)"]) {
        assert.strictEqual(failure(yield* one({ url })).key, "mcpServers.a.url", url)
      }
      const newline = yield* one({ url: "https://x", headers: { A: "${KEY}" } }, { KEY: `${SECRET}\nB: c` })
      assert.strictEqual(failure(newline).key, "mcpServers.a.headers.A")
      assert.strictEqual(
        failure(yield* one({ url: "https://x", headers: { "A b": "c" } })).key,
        "mcpServers.a.headers.A b"
      )
    }))

  it.effect("refuses a command that expands to nothing, names no variable can have, and NUL", () =>
    Effect.gen(function*() {
      assert.include(failure(yield* one({ command: "${NOPE:-}" })).message, "expanded to nothing")
      assert.strictEqual(failure(yield* one({ command: "x", env: { "A=B": "c" } })).key, "mcpServers.a.env.A=B")
      assert.include(failure(yield* one({ command: "x", args: ["a\0b"] })).message, "NUL")
    }))

  it.effect("refuses another application's way to write a variable and says whose it is (R65, R67)", () =>
    Effect.gen(function*() {
      const foreign = [
        ["$API_KEY", "Gemini CLI"],
        ["${env:API_KEY}", "Cursor"],
        ["{env:API_KEY}", "opencode"],
        ["${input:api-key}", "VS Code"],
        ["${workspaceFolder}", "VS Code"]
      ] as const
      for (const [value, application] of foreign) {
        const found = failure(yield* one({ command: "x", env: { K: value } }))
        assert.strictEqual(found._tag, "InvalidEntry")
        assert.include(found.message, application)
        assert.strictEqual(found.key, "mcpServers.a.env.K")
      }
      const password = yield* one({ command: "x", args: ["^a$"], env: { K: "pa$word" } })
      assert.deepStrictEqual(values(stdio(password).env), { K: "pa$word" })
    }))

  it.effect("puts the variables of envFile under those of env", () =>
    Effect.gen(function*() {
      const files = { "/data/keys.env": "A=file\nB='two words'" }
      const configuration = yield* one({ command: "x", envFile: "keys.env", env: { A: "entry" } }, {}, files)
      assert.deepStrictEqual(values(stdio(configuration).env), { A: "entry", B: "two words" })
    }))

  it.effect("fails an entry whose envFile is absent, forbidden or no file, and does not wait for a device", () =>
    Effect.gen(function*() {
      const files: Files = { "/data/device": { type: "device" } }
      assert.include(
        failure(yield* one({ command: "x", envFile: "no.env" })).message,
        "mcpServers.a.envFile: the file is not"
      )
      assert.include(
        failure(yield* one({ command: "x", envFile: "device" }, {}, files)).message,
        "this is not an ordinary file"
      )
      assert.instanceOf(failure(yield* one({ command: "x", envFile: "${NOPE}/.env" })), VariableUnset)
    }))

  it.effect("keeps what was written beside what it stands for", () =>
    Effect.gen(function*() {
      const configuration = yield* one(
        { command: "x", args: ["--root", "${ROOT}"], env: { A: "${ROOT}/a" } },
        { ROOT: "/srv" }
      )
      const { written } = configuration.servers[0] ?? {}
      assert.deepStrictEqual(written?.args.map(Redacted.value), ["--root", "${ROOT}"])
      assert.deepStrictEqual(values(written?.env ?? {}), { A: "${ROOT}/a" })
    }))

  it.effect("shows no value in anything that is printed", () =>
    Effect.gen(function*() {
      const variables = { KEY: SECRET, LINES: `${SECRET}\n${SECRET}` }
      const files = { "/data/.env": `KEY=${SECRET}` }
      const entries: ReadonlyArray<unknown> = [
        { command: "x", args: [SECRET, "${KEY}"], env: { K: SECRET, L: "${KEY}" }, envFile: ".env" },
        { command: "x", env: { K: `$${SECRET.replace("-", "_")}` } },
        { command: "x", env: { K: `\${env:${SECRET}}` } },
        { command: "x", env: { K: `\${${SECRET}}` } },
        { command: "x", args: [SECRET, 5] },
        { command: "x", timeout: SECRET, restart: SECRET, ping: SECRET, protocol: SECRET, pin: SECRET },
        { url: SECRET },
        { url: `https://x/?key=${SECRET}`, headers: { A: "${LINES}", B: SECRET } },
        { url: `  https://x/?key=${SECRET}`, headers: { B: SECRET }, env: { C: SECRET } },
        { enabled: SECRET, command: [SECRET] },
        SECRET
      ]
      for (const entry of entries) {
        const configuration = yield* one(entry, variables, files)
        const hint = Result.match(resultOf(configuration), { onSuccess: () => "", onFailure: (error) => error.hint })
        const printed = JSON.stringify(configuration) + String(resultOf(configuration)) + hint
        assert.notInclude(printed, SECRET.slice(0, 6), JSON.stringify(entry))
      }
    }))
})
