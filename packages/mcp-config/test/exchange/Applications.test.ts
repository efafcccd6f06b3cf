import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Applications } from "../../src/Exchange.ts"
import { Environment } from "../../src/index.ts"
import { type Files, layerFiles } from "../support/Files.ts"
import { sampleOf } from "../support/Samples.ts"

const HOME = "/home/me"

/** A person who stands somewhere. */
const path = (folder: string) =>
  Layer.effect(
    Path.Path,
    Effect.map(Path.Path, (posix) => ({ ...posix, resolve: (...parts) => posix.resolve(folder, ...parts) }))
  ).pipe(Layer.provide(Path.layer))

const provided = (
  files: Files,
  variables: Readonly<Record<string, string>>,
  folder: string,
  reads: Array<string> = []
) => Layer.mergeAll(layerFiles(files, reads), path(folder), Environment.layer(variables))

const scan = (files: Files, variables: Readonly<Record<string, string>> = { HOME }, folder = "/home/me/project") =>
  Effect.map(Applications.scan(folder), (sources) =>
    sources.map(({ application, file, found, scope }) => {
      const names = Result.isSuccess(found) ? found.success.servers.map(({ key }) => key).join() : found.failure.message
      return `${application.id} ${scope} ${file}: ${names}`
    })).pipe(Effect.provide(provided(files, variables, folder)))

const SUPPORT = `${HOME}/Library/Application Support`

describe("Applications", () => {
  it.effect("finds the files of every application on macOS", () =>
    Effect.gen(function*() {
      const found = yield* scan({
        [`${SUPPORT}/Claude/claude_desktop_config.json`]: sampleOf("claude-desktop.json").text,
        [`${HOME}/.claude.json`]: sampleOf("claude-code.json").text,
        [`${HOME}/.cursor/mcp.json`]: sampleOf("cursor.json").text,
        [`${SUPPORT}/Code/User/mcp.json`]: sampleOf("vscode.jsonc").text,
        [`${HOME}/.gemini/settings.json`]: sampleOf("gemini.json").text,
        [`${HOME}/.codex/config.toml`]: sampleOf("codex.toml").text,
        [`${SUPPORT}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`]:
          sampleOf("cline.json").text,
        [`${SUPPORT}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json`]:
          sampleOf("roo.json").text,
        [`${HOME}/.config/1mcp/mcp.json`]: sampleOf("1mcp.json").text,
        [`${HOME}/.config/goose/config.yaml`]: sampleOf("goose.yaml").text,
        [`${HOME}/.config/opencode/opencode.jsonc`]: sampleOf("opencode.jsonc").text,
        [`${HOME}/.codeium/windsurf/mcp_config.json`]: sampleOf("windsurf.json").text,
        [`${HOME}/.kode.json`]: "{ \"mcpServers\": { \"k\": { \"command\": \"x\" } }, \"modelProfiles\": {} }"
      })
      assert.deepStrictEqual(found.map((line) => line.replace(/ \/.*: /, " ")), [
        "1mcp user local,open,template",
        "claude-code user docs,quiet,legacy",
        "claude-desktop user filesystem",
        "cline user local,bare,http,nested",
        "codex user docs,remote",
        "cursor user local,remote",
        "gemini user local,http,sse,old,off",
        "goose user gh,web",
        "kode user k",
        "opencode user playwright,github",
        "roo user local,remote",
        "vscode user local,remote,old",
        "windsurf user local,remote"
      ])
    }))

  it.effect("knows the folders of Linux and of Windows, and the variables that move them", () =>
    Effect.gen(function*() {
      const linux = yield* scan({
        "/xdg/Claude/claude_desktop_config.json": sampleOf("claude-desktop.json").text,
        "/xdg/Code/User/mcp.json": sampleOf("vscode.jsonc").text,
        "/xdg/opencode/opencode.json": sampleOf("opencode-v2.json").text,
        "/codex/config.toml": sampleOf("codex.toml").text
      }, { HOME, XDG_CONFIG_HOME: "/xdg", CODEX_HOME: "/codex" })
      assert.deepStrictEqual(linux, [
        "claude-desktop user /xdg/Claude/claude_desktop_config.json: filesystem",
        "codex user /codex/config.toml: docs,remote",
        "opencode user /xdg/opencode/opencode.json: fs,web",
        "vscode user /xdg/Code/User/mcp.json: local,remote,old"
      ])
      const windows = yield* scan(
        {
          "/appdata/Claude/claude_desktop_config.json": sampleOf("claude-desktop.json").text,
          "/appdata/Code/User/mcp.json": sampleOf("vscode.jsonc").text,
          "/appdata/Block/goose/config/config.yaml": sampleOf("goose.yaml").text,
          "/users/me/.cursor/mcp.json": sampleOf("cursor.json").text
        },
        { USERPROFILE: "/users/me", APPDATA: "/appdata" },
        "/users/me/work"
      )
      assert.deepStrictEqual(windows.map((line) => line.split(" ")[0]), ["claude-desktop", "cursor", "goose", "vscode"])
    }))

  it.effect("looks into the folders of a project up to its root, the nearest first, and not into the home as one", () =>
    Effect.gen(function*() {
      const one = (name: string) => `{ "mcpServers": { "${name}": { "command": "x" } } }`
      const found = yield* scan(
        {
          "/home/me/repo/.git/HEAD": "",
          "/home/me/repo/.mcp.json": one("root"),
          "/home/me/repo/app/.mcp.json": one("near"),
          "/home/me/repo/.vscode/mcp.json":
            "{ \"servers\": { \"v\": { \"command\": \"x\", \"args\": [\"${workspaceFolder}\"] } } }",
          "/home/me/repo/.mcprc": "{ \"bare\": { \"command\": \"x\" } }",
          "/home/me/.mcp.json": one("above"),
          "/home/me/.cursor/mcp.json": one("own")
        },
        { HOME },
        "/home/me/repo/app/src"
      )
      assert.deepStrictEqual(found, [
        "claude-code project /home/me/repo/app/.mcp.json: near",
        "claude-code project /home/me/repo/.mcp.json: root",
        "cursor user /home/me/.cursor/mcp.json: own",
        "kode project /home/me/repo/.mcprc: bare",
        "vscode project /home/me/repo/.vscode/mcp.json: v"
      ])
      assert.deepStrictEqual(yield* scan({ "/home/me/.cursor/mcp.json": one("own") }, { HOME }, HOME), [
        "cursor user /home/me/.cursor/mcp.json: own"
      ])
    }))

  it.effect("says why a file cannot be read, and leaves out those that say nothing about servers", () =>
    Effect.gen(function*() {
      const found = yield* scan({
        [`${HOME}/.codex/config.toml`]: "a = ",
        [`${HOME}/.claude.json`]: { type: "forbidden" },
        [`${HOME}/.gemini/settings.json`]: "{ \"theme\": \"x\" }",
        [`${HOME}/.config/Code/User/settings.json`]: "{ \"editor.fontSize\": 12, }"
      })
      assert.deepStrictEqual(found, [
        `claude-code user ${HOME}/.claude.json: ${HOME}/.claude.json: the file may not be read`,
        `codex user ${HOME}/.codex/config.toml: ${HOME}/.codex/config.toml:1:5: this is not TOML: unspecified values are invalid`
      ])
    }))

  it.effect("takes the project's folder for ${workspaceFolder}, and none for a person's own file", () =>
    Effect.gen(function*() {
      const text = "{ \"servers\": { \"v\": { \"command\": \"${workspaceFolder}/x\" } } }"
      const command = Effect.fnUntraced(function*(file: string, scope: "project" | "user") {
        const source = yield* Applications.read({ file, shape: "vscode", isOwn: scope === "user", from: "/p" })
        const found = source?.found
        return found !== undefined && Result.isSuccess(found) ? JSON.stringify(found.success.servers[0]?.value) : "none"
      })
      const files = { "/p/.vscode/mcp.json": text, "/home/me/.config/Code/User/mcp.json": text }
      const [near, far] = yield* Effect.all([
        command("/p/.vscode/mcp.json", "project"),
        command("/home/me/.config/Code/User/mcp.json", "user")
      ]).pipe(Effect.provide(provided(files, { HOME }, "/p")))
      assert.include(near, "\"/p/x\"")
      assert.include(far, "\"${workspaceFolder}/x\"")
    }))

  it.effect("tells a project's file from a person's own, also where the home folder is a repository (R70)", () =>
    Effect.gen(function*() {
      const files = { "/home/me/.git/HEAD": "", "/home/me/repo/.git/HEAD": "", "/srv/plain/x": "" }
      const isOfProject = (file: string, from: string, variables: Readonly<Record<string, string>> = { HOME }) =>
        Applications.isOfProject(file, from).pipe(Effect.provide(provided(files, variables, from)))
      const told = yield* Effect.all([
        isOfProject(".mcp.json", "/home/me/repo/sub"),
        isOfProject("../any.json", "/home/me/repo/sub"),
        isOfProject("/home/me/repo/deep/any.json", "/home/me"),
        isOfProject("/srv/plain/.cursor/mcp.json", "/home/me"),
        isOfProject("any.json", "/srv/plain"),
        isOfProject("/home/me/.cursor/mcp.json", "/home/me/repo"),
        isOfProject("/home/me/repo/codex/config.toml", "/home/me/repo", { HOME, CODEX_HOME: "/home/me/repo/codex" }),
        isOfProject("/home/me/saved/any.json", "/home/me"),
        isOfProject("/srv/plain/any.json", "/home/me/repo")
      ])
      assert.deepStrictEqual(told, [true, true, true, true, true, false, false, false, false])
    }))
})
