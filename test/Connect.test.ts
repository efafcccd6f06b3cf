import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { FULL } from "../packages/mcp-config/test/support/ClientFiles.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as Command from "./support/Command.ts"

/** A person's home with files of applications, and commands run there. */
const home = Effect.map(
  Command.folder({
    ".cursor/mcp.json": FULL["cursor"] ?? "",
    ".codex/config.toml": FULL["codex"] ?? "",
    ".config/goose/config.yaml": FULL["goose"] ?? "",
    ".config/zed/settings.json": FULL["zed"] ?? "",
    "dotfiles/mcp_config.json": "{}",
    ".codeium/windsurf/x": "",
    "data/mcp.json": "{}\n"
  }),
  (root) => ({
    root,
    at: (file: string) => join(root, file),
    text: (file: string) => readFileSync(join(root, file), "utf8"),
    mode: (file: string) => statSync(join(root, file)).mode & 0o777,
    run: (args: ReadonlyArray<string>) =>
      AppCommand.run([...args, "--data", join(root, "data")], {
        cwd: root,
        env: { HOME: root, BOOCODE_STATE_DIR: join(root, "state"), XDG_CONFIG_HOME: "" }
      })
  })
)

const FILES: Readonly<Record<string, string>> = {
  cursor: ".cursor/mcp.json",
  codex: ".codex/config.toml",
  goose: ".config/goose/config.yaml",
  zed: ".config/zed/settings.json"
}

describe("boocode connect", () => {
  it.live(
    "connects and disconnects real files: mode kept, old file private, byte by byte as before",
    () =>
      Effect.gen(function*() {
        const { at, mode, root, run, text } = yield* home
        for (const [id, file] of Object.entries(FILES)) {
          chmodSync(at(file), 0o640)
          const done = yield* run(["connect", id, "--take-over", "--json"])
          assert.strictEqual(done.code, 0, done.stderr)
          const { kept } = Object(JSON.parse(done.stdout))
          assert.deepStrictEqual([mode(file), statSync(kept).mode & 0o777, readFileSync(kept, "utf8")], [
            0o640,
            0o600,
            FULL[id]
          ])
          assert.strictEqual(statSync(join(root, "state/connected")).mode & 0o777, 0o700)
        }
        const { clients } = Object(JSON.parse((yield* run(["connect", "--json"])).stdout))
        assert.deepStrictEqual(
          clients.filter(({ profile }: { readonly profile: unknown }) => profile !== null).map((
            { id }: { id: string }
          ) => id),
          ["cursor", "codex", "zed", "goose"]
        )
        const listed = Object(JSON.parse((yield* run(["mcp", "list", "--json", "--local"])).stdout))
        assert.notInclude(JSON.stringify(listed), "boocode.mjs")
        const imported = yield* run(["mcp", "import", "cursor", "--dry-run", "--json"])
        assert.notInclude(imported.stdout, "\"outcome\":\"added\"")
        for (const [id, file] of Object.entries(FILES)) {
          assert.strictEqual((yield* run(["disconnect", id])).code, 0)
          assert.deepStrictEqual([text(file), mode(file)], [FULL[id], 0o640])
          assert.isFalse(existsSync(join(root, "state/connected", id)))
        }
      }),
    180_000
  )

  it.live("writes a command that runs where no shell has set a path, and refuses a link", () =>
    Effect.gen(function*() {
      const { at, root, run, text } = yield* home
      yield* run(["connect", "cursor"])
      const { args, command } = Object(JSON.parse(text(".cursor/mcp.json").replaceAll(/^ *\/\/.*$|\/\/ reads/gm, "")))
        .mcpServers.boocode
      const ran = spawnSync(command, [args[0], "--version"], { cwd: "/", env: { HOME: root }, encoding: "utf8" })
      assert.match(ran.stdout, /^boocode \d/, ran.stderr)
      symlinkSync(at("dotfiles/mcp_config.json"), at(".codeium/windsurf/mcp_config.json"))
      const refused = yield* run(["connect", "windsurf"])
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /is a link to .*dotfiles/)
      assert.strictEqual(text("dotfiles/mcp_config.json"), "{}")
    }), 120_000)
})
