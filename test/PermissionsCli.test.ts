/** `permissions`, `mcp call` of tools that write, and `undo`, on a real data folder. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { data } from "./support/CliFolder.ts"
import type * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"

const FILESYSTEM = fileURLToPath(new URL("node_modules/.bin/mcp-server-filesystem", import.meta.url))

const RULES = `{
  "write": "ask",
  "rules": [
    { "deny": "files_*", "where": { "path": "secret/*" } },
    { "allow": "write_file", "where": { "path": "notes/*" } },
    { "ask": "files_raed_text_file" }
  ],
  "examples": [
    { "tool": "write_file", "args": { "path": "notes/a.md" }, "expect": "allow" },
    { "tool": "files_write_file", "args": { "path": "a.md" }, "expect": "ask" }
  ]
}
`

const place = Effect.gen(function*() {
  const here = yield* data(
    { "data/permissions.jsonc": RULES, "data/workspace/notes/a.md": "one" },
    { files: { command: FILESYSTEM, args: ["workspace"] } }
  )
  const state = join(here.folder, "state")
  const run = (args: ReadonlyArray<string>) =>
    AppCommand.run([...args, "--data", here.data], { cwd: here.folder, env: { BOOCODE_STATE_DIR: state } })
  return { ...here, state, run, file: (path: string) => join(here.data, "workspace", path) }
})

const json = ({ stdout }: Command.Ended) => JSON.parse(stdout)

describe("Permissions, on the command line", Deadline.TEST, () => {
  it.live("are listed and tested, and hold for a person's own calls, alone and beside a server", () =>
    Effect.gen(function*() {
      const here = yield* place
      const list = json(yield* here.run(["permissions", "list", "--json"]))
      assert.strictEqual(list.write, "ask")
      assert.match(list.rules[2].problem, /^it matches no tool of \d+; did you mean files_read_text_file/)
      const tested = yield* here.run(["permissions", "test", "--json"])
      assert.deepStrictEqual([tested.code, json(tested).passed], [0, 2])
      const argsOf = (path: string) => ["--args", JSON.stringify({ path: here.file(path), content: path })]
      const write = (path: string, ...flags: ReadonlyArray<string>) =>
        here.run(["mcp", "call", "files_write_file", ...argsOf(path), ...flags])
      const refused = Effect.fnUntraced(function*(words: string, name: string, ...flags: ReadonlyArray<string>) {
        const { code, stderr } = yield* write(name, ...flags)
        assert.strictEqual(code, 1)
        assert.include(stderr, words)
        assert.isFalse(existsSync(here.file(name)))
      })
      const allowed = Effect.fnUntraced(function*(name: string) {
        const { code, stdout } = yield* write(name, "--allow", "files_*")
        assert.strictEqual(code, 0, stdout)
        assert.strictEqual(readFileSync(here.file(name), "utf8"), name)
      })

      yield* refused(
        "there is no terminal to say yes in; the same command with --allow files_write_file allows it",
        "alone.txt"
      )
      yield* allowed("alone.txt")
      assert.strictEqual(yield* here.left, 0)

      const server = yield* AppServer.start(here.data, { BOOCODE_STATE_DIR: here.state })
      yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
      yield* refused("says deny files_* where path is secret/*", "secret/a", "--allow", "*")
      yield* allowed("beside.txt")
      const trace = readFileSync(join(here.state, "own-writes.jsonl"), "utf8").trim().split("\n")
      assert.deepStrictEqual(
        trace.map((line) => JSON.parse(line)).map(({ args, name, outcome }) => [name, args.content, outcome]),
        ["alone.txt", "beside.txt"].map((content) => ["files_write_file", content, "done"])
      )
    }))

  it.live("let a chat write without a question, and the command line takes it back", () =>
    Effect.gen(function*() {
      const here = yield* place
      const said = yield* here.run(["chat", "/write_file {\"path\":\"notes/a.md\",\"content\":\"two\"}"])
      assert.strictEqual(said.code, 0, said.stderr)
      const text = () => readFileSync(here.file("notes/a.md"), "utf8")
      assert.strictEqual(text(), "two")
      const { writes } = json(yield* here.run(["undo", "--json"]))
      assert.deepStrictEqual([writes[0].name, writes[0].allowedBy, writes[0].undo.possible], [
        "write_file",
        "rule",
        true
      ])
      const undone = yield* here.run(["undo", writes[0].id.slice(0, 8)])
      assert.strictEqual(undone.code, 0, undone.stderr)
      assert.strictEqual(text(), "one")
    }))
})
