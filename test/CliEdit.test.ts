import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as Command from "./support/Command.ts"

const CONFIG = `{
  // servers of this house
  "mcpServers": {
    // for notes
    "notes": { "command": "notes", "x-mine": [1.0] }, // keep
    "off": {
      "command": "off", /* how */
      "disabled": true
    }
  },
  "other": null
}
`

const data = Effect.map(Command.folder({ "data/mcp.json": CONFIG }), (root) => {
  const file = join(root, "data/mcp.json")
  return {
    root,
    file,
    /** Flags of ours stand before `--`. */
    run: ([verb = "", ...args]: ReadonlyArray<string>, stdin = "") =>
      AppCommand.run(["mcp", verb, "--data", join(root, "data"), ...args], { cwd: root, stdin }),
    /** As a process of its own. */
    add: (name: string) =>
      Command.run(["mcp", "add", "--data", join(root, "data"), name, "--json", "--", "npx", name], { cwd: root }),
    text: () => readFileSync(file, "utf8"),
    servers: () =>
      Object.keys(
        JSON.parse(readFileSync(file, "utf8").replaceAll(/^ *\/\/.*$|\/\/ keep|\/\*.*\*\//gm, "")).mcpServers
      ),
    rest: () => readdirSync(join(root, "data"))
  }
})

describe("boocode mcp add and remove", () => {
  it.live("edit a file and leave everything else in it as it was", () =>
    Effect.gen(function*() {
      const { rest, run, text } = yield* data
      const snippet =
        "\"new\": { \"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": { \"API_KEY\": \"CANARY\" } },"
      const fromReadme = yield* run(["add", "--from-json", "-"], snippet)
      assert.strictEqual(fromReadme.code, 0, fromReadme.stderr)
      assert.notInclude(fromReadme.stdout + fromReadme.stderr, "CANARY")
      assert.include(fromReadme.stderr, "'${API_KEY}' takes it from the environment")
      const withNew = CONFIG.replace(
        "\"disabled\": true\n    }\n",
        "\"disabled\": true\n    },\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"x\"],\n" +
          "      \"env\": { \"API_KEY\": \"CANARY\" }\n    }\n"
      )
      assert.strictEqual(text(), withNew)
      assert.strictEqual((yield* run(["remove", "new"])).code, 0)
      assert.strictEqual(text(), CONFIG)
      assert.deepStrictEqual(rest(), ["mcp.json"])
    }), 120_000)

  it.live("keep a symbolic link and the mode of what it leads to", () =>
    Effect.gen(function*() {
      const { file, root, run } = yield* data
      const far = join(root, "far.json")
      renameSync(file, far)
      symlinkSync("../far.json", file)
      chmodSync(far, 0o640)
      const ended = yield* run(["add", "new", "--", "npx"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.isTrue(lstatSync(file).isSymbolicLink())
      assert.strictEqual(statSync(far).mode & 0o777, 0o640)
      assert.include(readFileSync(far, "utf8"), "\"new\"")
    }), 120_000)

  it.live("lose nothing when several of them add a server at the same time", () =>
    Effect.gen(function*() {
      const { add, rest, servers } = yield* data
      const names = Array.from({ length: 3 }, (_, index) => `s${index}`)
      const all = yield* Effect.forEach(names, add, { concurrency: "unbounded" })
      assert.deepStrictEqual(all.map(({ code }) => code), names.map(() => 0), all.map(({ stdout }) => stdout).join(""))
      assert.deepStrictEqual(servers().slice(0, 2), ["notes", "off"])
      assert.deepStrictEqual(servers().slice(2).sort(), names.toSorted())
      assert.deepStrictEqual(rest(), ["mcp.json"])
    }), 300_000)

  it.live("take over the lock of a program that died, and leave nothing of it", () =>
    Effect.gen(function*() {
      const { rest, root, run, servers } = yield* data
      for (const name of [".mcp.json.editing", ".mcp.json.dead1.claim", ".mcp.json.dead1.draft"]) {
        writeFileSync(join(root, "data", name), "dead1")
      }
      const ended = yield* run(["add", "new", "--", "npx"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(servers(), ["notes", "off", "new"])
      assert.deepStrictEqual(rest(), ["mcp.json"])
    }), 120_000)

  it.live("work on the file of the scope that is asked for", () =>
    Effect.gen(function*() {
      const { root } = yield* data
      mkdirSync(join(root, "repo/.git"), { recursive: true })
      mkdirSync(join(root, "repo/deep"))
      const env = { MCP_CONFIG_PATH: join(root, "data/mcp.json"), HOME: join(root, "home") }
      const run = ([verb = "", ...args]: ReadonlyArray<string>) =>
        AppCommand.run(["mcp", verb, "--json", ...args], { cwd: join(root, "repo/deep"), env })
      const project = yield* run(["add", "notes", "--scope", "project", "--", "npx"])
      assert.strictEqual(project.code, 0, project.stderr)
      assert.include(readFileSync(join(root, "repo/.mcp.json"), "utf8"), "\"notes\"")
      assert.strictEqual(JSON.parse(project.stdout).servers[0].now.scope, "data")
      const user = yield* run(["add", "mine", "--scope", "user", "--url", "https://x.example/mcp"])
      assert.strictEqual(user.code, 0, user.stderr)
      const own = join(root, "home/.config/boocode/mcp.json")
      assert.strictEqual(statSync(own).mode & 0o777, 0o600)
    }), 120_000)
})
