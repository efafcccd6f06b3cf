import type { Trial } from "@boocode/chat-server/EntryTrial"
import type { ConfiguredServer } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import * as RecordedRegistry from "../../../../packages/mcp-config/test/support/RecordedRegistry.ts"
import { boocode, json, status, tool } from "../support/Scripted.ts"

const RECORDED = Object.fromEntries(
  ["servers", "memory", "plain"].map((
    name
  ) => [`/registry/${name}.json`, RecordedRegistry.text(`registry/${name}.json`)])
)

type Started = { readonly command: string; readonly env: Readonly<Record<string, string>> }

/** A machine with recorded answers of a registry; `state` is how a started server ends up. */
const machine = (
  mcp = "{}",
  { env = "", seconds = 0, state = "ready" }: {
    readonly env?: string
    readonly seconds?: number
    readonly state?: "ready" | "failed"
  } = {}
) => {
  const memory = new MemoryFiles({ "/data/mcp.json": mcp, ...RECORDED, ...(env === "" ? {} : { "/data/.env": env }) })
  const started: Array<Started> = []
  const trial = (server: ConfiguredServer) =>
    Effect.sync((): Trial => {
      const transport = Result.isSuccess(server.config) ? server.config.success.transport : null
      const words = transport?._tag === "stdio" ? [transport.command, ...transport.args.map(Redacted.value)] : []
      const given = transport?._tag === "stdio" ? Object.entries(transport.env) : []
      started.push({
        command: words.join(" "),
        env: Object.fromEntries(given.map(([key, value]) => [key, Redacted.value(value)]))
      })
      const isOld = words.some((word) => word.endsWith("@2026.7.4"))
      const read = { ...tool(server.name, "read"), description: isOld ? "Reads" : "Reads, and sends it away" }
      const more = isOld ? tool(server.name, "forget") : tool(server.name, "relate")
      return { server: status(server.name, { state }), tools: [read, more], log: [], millis: 5 }
    }).pipe(Effect.delay(`${seconds} seconds`))
  const run = (args: ReadonlyArray<string>, typed?: ReadonlyArray<string>, variables: Record<string, string> = {}) =>
    boocode(["mcp", ...args], {
      files: Layer.succeed(FileSystem.FileSystem, memory.view()),
      variables: { INIT_CWD: "/", ...variables },
      trial,
      ...(typed === undefined ? {} : { typed, isTerminal: true })
    })
  const servers = () => Object(JSON.parse(memory.text("/data/mcp.json") ?? "{}").mcpServers)
  return { memory, run, servers, started }
}

const WEATHER = "io.github.acme/weather"
const MEMORY = "io.github.modelcontextprotocol/server-memory"
const plain = (text: string) => text.replaceAll(/\u001B\[\d+m/g, "")

describe("mcp discover", () => {
  it.effect("finds servers by words, and says how each can be installed", () =>
    Effect.gen(function*() {
      const { run } = machine()
      const { code, stdout } = yield* run(["discover", "acme", "forecasts"])
      assert.strictEqual(code, 0)
      assert.include(stdout, "io.github.acme/weather  1.2.3  remote, npm")
      assert.include(stdout, "io.github.acme/old-weather  0.9.0  npm  deprecated")
      const all = Object(json((yield* run(["discover", "--json"])).stdout)).servers
      assert.notInclude(JSON.stringify(all), "stealer")
      assert.include((yield* run(["discover", "nothing-like-it"])).stdout, "no server was found")
    }))
})

describe("mcp install", () => {
  it.effect("asks for what is needed first, takes no choice by Enter alone, tries the server, and keeps the secret in .env", () =>
    Effect.gen(function*() {
      const { memory, run, servers, started } = machine()
      const typed = ["1", "", "2", "", "s3cret", "Oslo", "", "", "y"]
      const { code, stderr, stdout } = yield* run(["install", WEATHER], typed)
      const told = plain(stderr)
      assert.strictEqual(code, 0, told)
      assert.match(told, /publisher {2}io\.github\.acme\n/)
      assert.include(told, "https://github.com/acme/weather-mcp")
      assert.match(told, /✗ a value is needed[^]*✗ a value is needed/)
      assert.include(told, "npx -y @acme/weather-mcp@1.2.3 --units imperial --verbose Oslo")
      assert.notInclude(told + stdout, "s3cret")
      assert.deepStrictEqual(started, [{
        command: "npx -y @acme/weather-mcp@1.2.3 --units imperial --verbose Oslo",
        env: { WEATHER_API_KEY: "s3cret", WEATHER_LANGUAGE: "en", WEATHER_CLIENT: "mcp" }
      }])
      assert.deepInclude(servers().weather, {
        env: { WEATHER_API_KEY: "${WEATHER_API_KEY}", WEATHER_LANGUAGE: "en", WEATHER_CLIENT: "mcp" },
        startupTimeout: "3 minutes",
        from: "io.github.acme/weather@1.2.3"
      })
      assert.strictEqual(memory.text("/data/.env"), "WEATHER_API_KEY=s3cret\n")
      assert.include(plain(stdout), "added weather to /data/mcp.json (data)")
    }))

  it.effect("without a terminal names the flags that are missing, and writes nothing", () =>
    Effect.gen(function*() {
      const { memory, run, started } = machine()
      const missing = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
        const { code, stderr } = yield* run(["install", ...args])
        assert.strictEqual(code, 2, stderr)
        return stderr
      })
      assert.include(
        yield* missing(WEATHER),
        `boocode mcp install ${WEATHER} --package npm, or boocode mcp install ${WEATHER} --remote`
      )
      const npm = [WEATHER, "--package", "npm"]
      const some = yield* missing(...npm, "--set", "units=metric")
      assert.include(some, "values are missing: WEATHER_API_KEY")
      assert.include(some, `boocode mcp install ${WEATHER} --set 'WEATHER_API_KEY=…'`)
      const all = [...npm, "--set", "units=metric", "--set", "WEATHER_API_KEY=k"]
      assert.include(yield* missing(...all), `add --yes: boocode mcp install ${WEATHER} --yes`)
      assert.include(yield* missing(...all, "--set", "units=kelvin"), "units: it takes one value")
      assert.include(yield* missing(...all, "--set", "x"), "--set needs KEY=VALUE")
      assert.include(yield* missing("weather"), "there is io.github.acme/weather")
      assert.strictEqual(memory.text("/data/mcp.json"), "{}")
      assert.deepStrictEqual(started, [])
      const dry = yield* run(["install", ...all, "--dry-run", "--json"])
      assert.deepInclude(Object(json(dry.stdout)), { name: "weather", variables: ["WEATHER_API_KEY"], warnings: [] })
      assert.strictEqual(memory.text("/data/mcp.json"), "{}")
    }))

  it.effect("installs with flags alone, under another name where its own is taken, and takes a variable that is there", () =>
    Effect.gen(function*() {
      const { memory, run, servers } = machine("{ \"mcpServers\": { \"weather\": { \"command\": \"x\" } } }")
      const args = ["install", WEATHER, "--remote", "--set", "region=eu", "--yes"]
      const done = yield* run([...args, "--set", "token=t0ken"])
      assert.strictEqual(done.code, 0, done.stderr)
      assert.deepInclude(servers()["weather-2"], {
        url: "https://eu.weather.example/mcp",
        headers: { Authorization: "Bearer ${WEATHER_2_TOKEN}" }
      })
      assert.strictEqual(memory.text("/data/.env"), "WEATHER_2_TOKEN=t0ken\n")
      const other = yield* run([...args, "--set", "token=${MINE}", "--as", "mine"], undefined, { MINE: "m" })
      assert.strictEqual(other.code, 0, other.stderr)
      assert.deepInclude(servers().mine, { headers: { Authorization: "Bearer ${MINE}" } })
      const taken = yield* run([...args, "--set", "token=t", "--as", "mine"])
      assert.deepStrictEqual([taken.code, taken.stderr.includes(`boocode mcp install ${WEATHER} --as NAME`)], [1, true])
    }))

  it.effect("says what it waits for while a start is silent", () =>
    Effect.gen(function*() {
      const { run } = machine("{}", { seconds: 45 })
      const fiber = yield* Effect.forkChild(run(["install", MEMORY, "--yes"]))
      yield* TestClock.adjust("100 millis").pipe(
        Effect.andThen(TestClock.withLive(Effect.sleep("1 millis"))),
        Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined })
      )
      const { code, stderr } = yield* Fiber.join(fiber)
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(
        stderr.match(/still waiting .*/g),
        [10, 40].map((seconds) =>
          `still waiting for npx to start memory: ${seconds} s of 5 minutes; ` +
          "it may be downloading, or trying the network again"
        )
      )
    }))

  it.effect("warns of a deprecated server, refuses a deleted one and a bundle, and keeps nothing of one that does not start", () =>
    Effect.gen(function*() {
      const { memory, run } = machine("{}", { state: "failed" })
      assert.include(
        (yield* run(["install", "io.github.acme/old-weather", "--dry-run"])).stderr,
        "use io.github.acme/weather"
      )
      const deleted = yield* run(["install", "io.github.evil/stealer", "--yes"])
      assert.deepStrictEqual([deleted.code, deleted.stderr.includes("was deleted from the registry (malware)")], [
        1,
        true
      ])
      const bundle = yield* run(["install", "io.github.acme/bundle", "--yes"])
      assert.deepStrictEqual([bundle.code, bundle.stderr.includes("not supported yet")], [1, true])
      const broken = yield* run(["install", MEMORY, "--yes"])
      assert.deepStrictEqual([broken.code, broken.stderr.includes("did not start")], [1, true], broken.stderr)
      assert.strictEqual(memory.text("/data/mcp.json"), "{}")
      const untested = yield* run([
        "install",
        "vscode:mcp/by-name/io.github.modelcontextprotocol%2Fserver-memory",
        "--yes",
        "--untested"
      ])
      assert.strictEqual(untested.code, 0, untested.stderr)
    }))
})

const OLD = `{
  "mcpServers": {
    // ours
    "memory": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-memory@2026.7.4"],
      "env": { "MEMORY_FILE_PATH": "/m.json", "MINE": "1" }, // kept
      "timeout": "5 minutes",
      "from": "${MEMORY}@2026.7.4"
    },
    "other": { "command": "x" }
  }
}
`

describe("mcp outdated", () => {
  it.effect("ends with 1 for another version, 0 for none, and 2 with the reason when the registry cannot tell", () =>
    Effect.gen(function*() {
      const { run } = machine(OLD)
      const some = yield* run(["outdated"])
      assert.deepStrictEqual([some.code, some.stdout], [1, `memory  2026.7.4 → 2026.8.31  ${MEMORY}\n`])
      const none = yield* machine(OLD.replaceAll("2026.7.4", "2026.8.31")).run(["outdated"])
      assert.deepStrictEqual([none.code, none.stdout], [0, "every installed server is of the latest version\n"])
      const gone = yield* run(["outdated", "--registry", "https://registry.example"])
      assert.deepStrictEqual([gone.code, gone.stderr.includes("https://registry.example: it cannot be reached")], [
        2,
        true
      ])
      const torn = yield* run(["outdated", "--registry", "file:/nowhere"])
      assert.deepStrictEqual([torn.code, torn.stderr.includes("/nowhere cannot be read")], [2, true], torn.stderr)
    }))
})

describe("mcp upgrade", () => {
  it.effect("shows what changes of the entry and of the tools before it writes, and keeps what the person added", () =>
    Effect.gen(function*() {
      const { memory, run, started } = machine(OLD)
      const no = yield* run(["upgrade", "memory"], ["n"])
      assert.strictEqual(no.code, 1)
      assert.strictEqual(memory.text("/data/mcp.json"), OLD)
      const { code, stderr, stdout } = yield* run(["upgrade", "memory"], ["y"])
      assert.strictEqual(code, 0, stderr)
      const told = plain(stdout)
      assert.match(told, /- .*server-memory@2026\.7\.4"\n.*\+ .*server-memory@2026\.8\.31"/)
      assert.match(
        told,
        /changed read[^]*- Reads\n[^]*\+ Reads, and sends it away\n[^]*added {3}relate[^]*removed forget/
      )
      assert.notInclude(told, "/m.json")
      assert.strictEqual(memory.text("/data/mcp.json"), OLD.replaceAll("2026.7.4", "2026.8.31"))
      assert.strictEqual(started.length, 4)
      const again = yield* run(["upgrade", "memory"], [])
      assert.deepStrictEqual([again.code, plain(again.stdout)], [0, `memory is ${MEMORY} 2026.8.31 already\n`])
    }))

  it.effect("goes to the version that is asked for, and refuses a server that came from nowhere", () =>
    Effect.gen(function*() {
      const { memory, run } = machine(OLD.replaceAll("2026.7.4", "2026.8.31"))
      const back = yield* run(["upgrade", "memory", "--version", "2026.7.4", "--yes"])
      assert.strictEqual(back.code, 0, back.stderr)
      assert.include(memory.text("/data/mcp.json") ?? "", `"from": "${MEMORY}@2026.7.4"`)
      const dry = yield* run(["upgrade", "memory", "--dry-run", "--json"])
      assert.deepInclude(Object(json(dry.stdout)), { name: "memory", from: `${MEMORY}@2026.8.31` })
      const other = yield* run(["upgrade", "other", "--yes"])
      assert.deepStrictEqual([other.code, other.stderr.includes("was not installed from a registry")], [1, true])
      assert.strictEqual((yield* run(["upgrade", "memory", "--version", "9.9.9", "--yes"])).code, 1)
    }))
})
