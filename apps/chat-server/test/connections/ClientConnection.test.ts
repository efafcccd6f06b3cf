import { Environment } from "@boocode/mcp-config"
import { Clients } from "@boocode/mcp-config/Exchange"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import * as Schema from "effect/Schema"
import { FULL } from "../../../../packages/mcp-config/test/support/ClientFiles.ts"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import * as ClientConnection from "../../src/connections/ClientConnection.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"

const HOME = "/home/me"

const FILES: Readonly<Record<string, string>> = {
  "claude-code": ".claude.json",
  "claude-desktop": ".config/Claude/claude_desktop_config.json",
  cursor: ".cursor/mcp.json",
  vscode: ".config/Code/User/mcp.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
  windsurf: ".codeium/windsurf/mcp_config.json",
  opencode: ".config/opencode/opencode.json",
  zed: ".config/zed/settings.json",
  goose: ".config/goose/config.yaml"
}

const fileOf = (id: string): string => `${HOME}/${FILES[id] ?? ""}`

const clientOf = (id: string) => Clients.named(id) ?? assert.fail(id)

/** A machine with these files. */
const machine = (
  files: ConstructorParameters<typeof MemoryFiles>[0],
  variables: Readonly<Record<string, string>> = { BOOCODE_STATE_DIR: "/state" },
  dataDir: string | null = "/data"
) => {
  const memory = new MemoryFiles({ [`${HOME}/x`]: "", ...files })
  const layer = DataFolder.layer({ dataDir, configFile: null }).pipe(
    Layer.provide(UserDirectories.layer),
    Layer.provideMerge(Layer.mergeAll(
      Layer.succeed(FileSystem.FileSystem, memory.view()),
      Path.layer,
      Environment.layer({ HOME, ...variables })
    ))
  )
  const run = <A, E, R extends Layer.Success<typeof layer>>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, layer)
  return {
    memory,
    look: (id: string) => run(ClientConnection.look(clientOf(id))),
    connect: (id: string, off: ReadonlyArray<string> = [], profile = "default") =>
      run(ClientConnection.connect(clientOf(id), profile, off)),
    disconnect: (id: string) => run(ClientConnection.disconnect(clientOf(id)))
  }
}

/** Everything in memory, to be compared. */
const everything = ({ nodes }: MemoryFiles) => JSON.stringify([...nodes])

describe("ClientConnection", () => {
  for (const id of Object.keys(FULL)) {
    const file = fileOf(id)
    const full = FULL[id] ?? ""

    describe(id, () => {
      it.effect("is connected where it has no file, and has none again afterwards", () =>
        Effect.gen(function*() {
          const { connect, disconnect, look, memory } = machine({})
          const done = yield* connect(id, [], "work")
          assert.deepStrictEqual([done.file, done.isChanged, done.kept], [file, true, null])
          assert.strictEqual(memory.file(file).mode, 0o600)
          assert.deepStrictEqual((yield* look(id)).profile, "work")
          assert.strictEqual((yield* disconnect(id)).outcome, "restored")
          assert.isNull(memory.text(file))
        }))

      it.effect("is connected in an empty file and in one with other servers, and is byte by byte as before afterwards", () =>
        Effect.gen(function*() {
          for (const before of ["", full, `\uFEFF${full}`, full.replaceAll("\n", "\r\n")]) {
            const { connect, disconnect, look, memory } = machine({ [file]: before })
            memory.file(file).mode = 0o640
            const servers = before === "" ? [] : ["docs", "web"]
            assert.deepStrictEqual((yield* look(id)).servers, servers)
            const done = yield* connect(id, servers)
            assert.deepStrictEqual((yield* look(id)).servers, [])
            assert.deepStrictEqual([memory.text(done.kept ?? ""), memory.file(done.kept ?? "").mode], [before, 0o600])
            assert.strictEqual(memory.file(file).mode, 0o640)
            const after = memory.text(file)
            assert.isFalse((yield* connect(id)).isChanged)
            assert.strictEqual(memory.text(file), after)
            assert.deepStrictEqual((yield* disconnect(id)).outcome, "restored")
            assert.strictEqual(memory.text(file), before)
            assert.notInclude([...memory.nodes.keys()].join(), "/state/connected/")
          }
        }))

      it.effect("is refused, with nothing changed, where its file is broken, a link, read-only or another user's", () =>
        Effect.gen(function*() {
          const machines = [
            machine({ [file]: "{ [" }),
            machine({ [file]: { link: "/home/me/dotfiles/file" }, "/home/me/dotfiles/file": full }),
            machine({ [file]: { link: "/nowhere" } }),
            machine({ [file]: full }),
            machine({ [file]: full }),
            machine({ [file]: new Uint8Array([0xff, 0xfe, 0x00]) })
          ]
          const [, , , readOnly, others] = machines
          if (readOnly !== undefined) readOnly.memory.file(file).mode = 0o444
          if (others !== undefined) others.memory.file(file).uid = 7
          const words = [/:1:\d+: /, /is a link to/, /is a link to/, /is read-only/, /another user/, /not UTF-8/]
          for (const [at, { connect, disconnect, memory }] of machines.entries()) {
            const before = everything(memory)
            const error = yield* Effect.flip(connect(id))
            assert.match(error.message, words[at] ?? /^$/)
            assert.include(error.message, file)
            assert.match(error.hint, /nothing was changed/)
            assert.strictEqual((yield* Effect.flip(disconnect(id)))._tag, "ConnectionRefused")
            assert.strictEqual(everything(memory), before)
          }
        }))
    })
  }

  it.effect("loses its entry alone, and has its servers again, when the file was changed since", () =>
    Effect.gen(function*() {
      const { connect, disconnect, look, memory } = machine({ [fileOf("cursor")]: FULL["cursor"] ?? "" })
      yield* connect("cursor", ["docs", "web"])
      const now = memory.text(fileOf("cursor")) ?? ""
      memory.write(
        fileOf("cursor"),
        now.replace("\"mcpServers\": {", "\"mcpServers\": {\n    \"new\": { \"command\": \"n\" },")
      )
      const done = yield* disconnect("cursor")
      assert.deepStrictEqual([done.outcome, done.back, done.left, done.kept], ["merged", ["docs", "web"], [], null])
      assert.deepStrictEqual((yield* look("cursor")).servers.toSorted(), ["docs", "new", "web"])
      assert.include(memory.text(fileOf("cursor")) ?? "", "// mine")
    }))

  it.effect("keeps the old file while a server that somebody changed since is left as it is", () =>
    Effect.gen(function*() {
      const { connect, disconnect, memory } = machine({ [fileOf("cursor")]: FULL["cursor"] ?? "" })
      yield* connect("cursor", ["docs"])
      const now = memory.text(fileOf("cursor")) ?? ""
      memory.write(
        fileOf("cursor"),
        now.replace("\"mcpServers\": {", "\"mcpServers\": {\n    \"docs\": { \"command\": \"n\" },")
      )
      const done = yield* disconnect("cursor")
      assert.deepStrictEqual([done.left, memory.text(done.kept ?? "")], [["docs"], FULL["cursor"]])
      assert.include(memory.text(fileOf("cursor")) ?? "", "\"docs\": { \"command\": \"n\" }")
    }))

  it.effect("goes all the way back after it was connected twice, with a change of somebody else's between", () =>
    Effect.gen(function*() {
      const file = fileOf("codex")
      const { connect, disconnect, look, memory } = machine({ [file]: FULL["codex"] ?? "" })
      yield* connect("codex", ["docs"])
      yield* connect("codex", ["web"], "work")
      assert.deepStrictEqual([(yield* look("codex")).profile, (yield* look("codex")).servers], ["work", []])
      memory.write(file, (memory.text(file) ?? "").replace("\"dark\"", "\"light\""))
      yield* connect("codex", [], "play")
      assert.strictEqual((yield* disconnect("codex")).outcome, "restored")
      assert.deepStrictEqual((yield* look("codex")).servers, ["docs", "web"])
      assert.include(memory.text(file) ?? "", "theme = \"light\" # at night")
    }))

  it.effect("has nothing to undo where it is not connected, and forgets a file that is gone", () =>
    Effect.gen(function*() {
      const { connect, disconnect, memory } = machine({})
      assert.strictEqual((yield* disconnect("zed")).outcome, "absent")
      yield* connect("zed")
      memory.nodes.delete(fileOf("zed"))
      assert.strictEqual((yield* disconnect("zed")).outcome, "absent")
      assert.isNull(memory.text(fileOf("zed")))
    }))

  it.effect("takes the place of the entry of another installation, and loses that one without a record", () =>
    Effect.gen(function*() {
      const before =
        "{ \"mcpServers\": { \"boocode\": { \"command\": \"npx\", \"args\": [\"boocode\", \"mcp\", \"serve\"] } } }"
      const { connect, disconnect, memory } = machine({ [fileOf("cursor")]: before })
      yield* connect("cursor")
      assert.notInclude(memory.text(fileOf("cursor")) ?? "", "npx")
      yield* disconnect("cursor")
      assert.deepStrictEqual(JSON.parse(memory.text(fileOf("cursor")) ?? ""), { mcpServers: {} })
      memory.write(fileOf("cursor"), before)
      assert.strictEqual((yield* disconnect("cursor")).outcome, "merged")
    }))

  it.effect("is started with the data folder and the state folder that it was connected for", () =>
    Effect.gen(function*() {
      const written = (variables: Readonly<Record<string, string>>, dataDir: string | null) => {
        const { connect, memory } = machine({}, variables, dataDir)
        return Effect.map(
          connect("cursor", [], "work"),
          () => Object(JSON.parse(memory.text(fileOf("cursor")) ?? "")).mcpServers.boocode
        )
      }
      const named = yield* written({ BOOCODE_STATE_DIR: "/state" }, "/my data")
      assert.match(named.command, /^\/.*node/)
      assert.match(named.args[0], /^\/.*\/Boocode\.mjs$/)
      assert.deepStrictEqual(named.args.slice(1), ["mcp", "serve", "--data", "/my data", "--profile", "work"])
      assert.deepStrictEqual(named.env, { BOOCODE_STATE_DIR: "/state" })
      const moved = yield* written({ MCP_CONFIG_PATH: "/d/servers.json" }, null)
      assert.deepStrictEqual([moved.args.slice(1), moved.env], [["mcp", "serve", "--profile", "work"], {
        MCP_CONFIG_PATH: "/d/servers.json"
      }])
    }))

  const Piece = Schema.Literals(["a", " ", "// c", "é", "\\\"", "\\t", "${X}", "#"])
  const Name = Schema.Array(Piece).check(Schema.isMaxLength(4))

  it.effect.prop(
    "brings any file back byte by byte",
    [Name, Schema.Literals(["\n", "\r\n"]), Schema.Literals(["cursor", "zed", "claude-code", "windsurf"])],
    ([pieces, eol, id]) =>
      Effect.gen(function*() {
        const key = id === "zed" ? "context_servers" : "mcpServers"
        const text = [
          "{",
          `  // ${pieces.join("")}`,
          `  "${key}": {`,
          `    "s${pieces.join("")}": { "command": "x" }, // c`
        ]
        const before = [...text, "  },", "  \"z\": [1,", "2]", "}"].join(eol)
        const { connect, disconnect, look, memory } = machine({ [fileOf(id)]: before })
        yield* connect(id, (yield* look(id)).servers)
        assert.notStrictEqual(memory.text(fileOf(id)), before)
        yield* disconnect(id)
        assert.strictEqual(memory.text(fileOf(id)), before)
      }),
    { arbitrary: { runs: 20 } }
  )
})
