import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { FULL } from "../../../../packages/mcp-config/test/support/ClientFiles.ts"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { boocode, json, type Script } from "../support/Scripted.ts"

const HOME = "/home/me"
const DATA = "/data/mcp.json"
const CLAUDE = `${HOME}/.claude.json`
const PROFILES = { "/data/gateway.jsonc": "{ \"profiles\": { \"work\": {} } }" }
const CURSOR = `${HOME}/.cursor/mcp.json`

/** A machine: its files, and a command line run on them. */
const machine = (files: ConstructorParameters<typeof MemoryFiles>[0], variables: Script["variables"] = {}) => {
  const memory = new MemoryFiles({ "/work/x": "", [`${HOME}/x`]: "", [DATA]: "{}\n", ...files })
  const run = (args: ReadonlyArray<string>, script: Script = {}) =>
    boocode(args, {
      files: Layer.succeed(FileSystem.FileSystem, memory.view()),
      variables: { INIT_CWD: "/work", HOME, ...variables },
      scopes: { dataFile: DATA, projectFrom: null, home: HOME },
      ...script
    })
  const read = (path: string) => Object(JSON.parse(memory.text(path) ?? "{}"))
  return { memory, run, read }
}

const SECRET =
  "{ \"mcpServers\": { \"hub\": { \"command\": \"npx\", \"env\": { \"HUB_TOKEN\": \"s3cret\", \"LOG\": \"x\" } } } }"

describe("connect", () => {
  it.effect("alone lists the applications: found or not, connected or not, and how many servers they have", () =>
    Effect.gen(function*() {
      const { memory, run } = machine({
        ...{ ...PROFILES, [CURSOR]: FULL["cursor"] ?? "", [CLAUDE]: "{ [" },
        "/home/me/.codex/x": ""
      })
      yield* run(["connect", "codex", "--profile", "work"])
      const before = JSON.stringify([...memory.nodes])
      const { stderr, stdout } = yield* run(["connect"])
      assert.match(stdout, /^cursor +not connected {2}2 other servers {2}~\/\.cursor\/mcp\.json$/m)
      assert.match(stdout, /^codex +connected \(work\) {2}~\/\.codex\/config\.toml$/m)
      assert.match(stdout, /^zed +not found {2}~\/\.config\/zed\/settings\.json$/m)
      assert.match(stderr, /warning {2}Claude Code: \/home\/me\/\.claude\.json:1:\d+: /)
      const document = json((yield* run(["connect", "--json"])).stdout)
      assert.strictEqual(Object(document).clients.length, 10)
      assert.deepStrictEqual(Object(document).clients[2], {
        ...{ id: "cursor", title: "Cursor", file: "~/.cursor/mcp.json", found: true, profile: null, problem: null },
        servers: 2
      })
      assert.deepStrictEqual(Object(document).entry.mcpServers.boocode.args.slice(1), ["mcp", "serve"])
      assert.strictEqual(JSON.stringify([...memory.nodes]), before)
    }))

  it.effect("asks at a terminal whether to take over what an application has, and does it after a yes", () =>
    Effect.gen(function*() {
      const { memory, read, run } = machine({ [CURSOR]: FULL["cursor"] ?? "" })
      const ended = yield* run(["connect", "cursor"], { typed: ["y"] })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.match(ended.stderr, /Cursor has 2 servers that BooCode can take over: docs, web/)
      assert.match(ended.stdout, /took over docs, web into \/data\/mcp\.json; off in Cursor now/)
      assert.deepStrictEqual(read(DATA).mcpServers, {
        docs: { command: "npx", args: ["-y", "docs"] },
        web: { url: "https://x.example/mcp" }
      })
      assert.notInclude(memory.text(CURSOR) ?? "", "docs")
      const back = yield* run(["disconnect", "cursor"])
      assert.match(back.stdout, /is as it was before\n {2}docs, web on again there/)
      assert.strictEqual(memory.text(CURSOR), FULL["cursor"])
      const again = yield* run(["connect", "cursor", "--yes"])
      assert.match(again.stdout, /took over docs, web/)
      yield* run(["connect", "cursor", "--undo"])
      assert.strictEqual(memory.text(CURSOR), FULL["cursor"])
    }))

  it.effect("takes nothing over after a no, and without a terminal unless it is told to", () =>
    Effect.gen(function*() {
      for (const script of [{ typed: ["n"] }, { typed: [] }, {}]) {
        const { memory, run } = machine({ [CURSOR]: FULL["cursor"] ?? "" })
        const ended = yield* run(["connect", "cursor"], script)
        assert.strictEqual(memory.text(DATA), "{}\n")
        assert.include(memory.text(CURSOR) ?? "", "docs")
        assert.include(memory.text(CURSOR) ?? "", "boocode")
        assert.match(ended.stdout, /docs stays in Cursor: it was not taken over/)
        assert.match(ended.stderr, /boocode connect cursor --take-over/)
      }
    }))

  it.effect("moves secrets to .env, and takes the same servers over again without asking for a second name", () =>
    Effect.gen(function*() {
      const { memory, read, run } = machine({ [CURSOR]: SECRET, "/data/.env": "A=1\n" })
      const done = Object(json((yield* run(["connect", "cursor", "--take-over", "--json"])).stdout))
      assert.deepStrictEqual([done.takenOver, done.secrets], [[{ name: "hub", outcome: "added" }], ["HUB_TOKEN"]])
      assert.notInclude(JSON.stringify(done), "s3cret")
      assert.deepStrictEqual(read(DATA).mcpServers.hub.env, { HUB_TOKEN: "${HUB_TOKEN}", LOG: "x" })
      assert.deepStrictEqual([memory.text("/data/.env"), memory.file("/data/.env").mode], [
        "A=1\nHUB_TOKEN=s3cret\n",
        0o600
      ])
      yield* run(["disconnect", "cursor"])
      const again = Object(json((yield* run(["connect", "cursor", "--take-over", "--json"])).stdout))
      assert.deepStrictEqual(again.takenOver, [{ name: "hub", outcome: "unchanged" }])
      assert.strictEqual(memory.text("/data/.env"), "A=1\nHUB_TOKEN=s3cret\n")
    }))

  it.effect("gives a secret another name where the variable has another value", () =>
    Effect.gen(function*() {
      const { memory, read, run } = machine({ [CURSOR]: SECRET }, { HUB_TOKEN: "other" })
      yield* run(["connect", "cursor", "--take-over"])
      assert.strictEqual(read(DATA).mcpServers.hub.env.HUB_TOKEN, "${HUB_HUB_TOKEN}")
      assert.strictEqual(memory.text("/data/.env"), "HUB_HUB_TOKEN=s3cret\n")
    }))

  it.effect("leaves a server where it is that BooCode has otherwise, or cannot use", () =>
    Effect.gen(function*() {
      const { read, run } = machine({
        [DATA]: "{ \"mcpServers\": { \"docs\": { \"command\": \"own\" } } }",
        [CURSOR]:
          "{ \"mcpServers\": { \"docs\": { \"command\": \"x\" }, \"bad\": { \"command\": 1 }, \"new\": { \"command\": \"n\" } } }"
      })
      const { stdout } = yield* run(["connect", "cursor", "--take-over"])
      assert.match(stdout, /took over new into/)
      assert.match(stdout, /docs stays in Cursor: BooCode has another server of that name: it differs in command/)
      assert.deepStrictEqual(Object.keys(read(CURSOR).mcpServers), ["docs", "bad", "boocode"])
      assert.strictEqual(read(DATA).mcpServers.docs.command, "own")
    }))

  it.effect("takes over no servers of projects out of Claude Code's file", () =>
    Effect.gen(function*() {
      const { read, run } = machine({ [CLAUDE]: (FULL["claude-code"] ?? "").replace("\"/p\"", "\"/work\"") })
      yield* run(["connect", "claude-code", "--take-over"])
      assert.deepStrictEqual(Object.keys(read(DATA).mcpServers), ["docs", "web"])
      assert.deepStrictEqual(Object.keys(read(CLAUDE).projects["/work"].mcpServers), ["near"])
    }))

  it.effect("writes nothing at all where the application's file is refused", () =>
    Effect.gen(function*() {
      const { memory, run } = machine({ [CURSOR]: { link: "/home/me/x" } })
      const before = JSON.stringify([...memory.nodes])
      const ended = yield* run(["connect", "cursor", "--take-over", "--json"])
      assert.strictEqual(ended.code, 1)
      assert.deepInclude(Object(json(ended.stdout)).error, { _tag: "ConnectionRefused" })
      assert.strictEqual(JSON.stringify([...memory.nodes]), before)
    }))

  it.effect("refuses a profile that is not there, with the nearest, and writes nothing", () =>
    Effect.gen(function*() {
      const { memory, run } = machine(PROFILES)
      const { code, stderr } = yield* run(["connect", "cursor", "--profile", "wrok"])
      assert.strictEqual(code, 1)
      assert.match(stderr, /there is no profile wrok in \/data\/gateway\.jsonc/)
      assert.match(stderr, /did you mean work\?/)
      assert.isNull(memory.text(CURSOR))
    }))

  it.effect("refuses a wrong name, and a file of one command", () =>
    Effect.gen(function*() {
      const { run } = machine({})
      for (
        const args of [
          ["connect", "emacs"],
          ["connect", "--take-over"],
          ["connect", "cursor", "--config", "x.json"],
          ["disconnect"]
        ]
      ) assert.strictEqual((yield* run(args)).code, 2, args.join(" "))
    }))
})
