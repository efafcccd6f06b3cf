import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Configuration, McpConfig, type Scopes } from "../../src/index.ts"
import { configurationOf, type Files } from "../support/Files.ts"

const file = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) })

const ALL: Scopes = { dataFile: "/data/mcp.json", projectFrom: "/repo/app/src", home: "/home/me" }

const read = (
  scopes: Scopes,
  files: Files,
  variables: Readonly<Record<string, string>> = {},
  reads: Array<string> = []
) => configurationOf(McpConfig.layerScopes(scopes), files, variables, reads)

const sources = (configuration: Configuration) =>
  Object.fromEntries(configuration.servers.map(({ name, source }) => [name, source]))

describe("ConfigScopes", () => {
  it.effect("lets whole entries of the highest scope win and lists the hidden ones (DESIGN 3.5)", () =>
    Effect.gen(function*() {
      const configuration = yield* read(ALL, {
        "/data/mcp.json": file("a"),
        "/repo/.git": "",
        "/repo/app/src/.mcp.json": file("a", "b"),
        "/repo/app/src/.mcprc": file("b", "c"),
        "/repo/.mcp.json": file("c", "d"),
        "/home/me/.config/boocode/mcp.json": file("d", "e"),
        "/home/me/.mcprc": file("e", "f")
      })
      assert.deepStrictEqual(sources(configuration), {
        a: "/data/mcp.json",
        b: "/repo/app/src/.mcp.json",
        c: "/repo/app/src/.mcprc",
        d: "/repo/.mcp.json",
        e: "~/.config/boocode/mcp.json",
        f: "~/.mcprc"
      })
      assert.deepStrictEqual(
        configuration.sources.filter(({ state }) => state === "read").map((
          { file, hidden, scope }
        ) => [scope, file, hidden]),
        [
          ["data", "/data/mcp.json", []],
          ["project", "/repo/app/src/.mcp.json", ["a"]],
          ["project", "/repo/app/src/.mcprc", ["b"]],
          ["project", "/repo/.mcp.json", ["c"]],
          ["user", "~/.config/boocode/mcp.json", ["d"]],
          ["user", "~/.mcprc", ["e"]]
        ]
      )
    }))

  it.effect("lets a project file make the checks of writing tools stricter, never weaker, and says what it ignores", () =>
    Effect.gen(function*() {
      const loose = {
        command: "x",
        writes: "ask",
        classes: { a: "reads" as const },
        targets: { a: { path: "p", read: "r" } }
      }
      const strict = { command: "x", writes: "off", trustAnnotations: false, classes: { a: "destroys" as const } }
      const text = JSON.stringify({ mcpServers: { loose, strict } })
      const configuration = (files: Files) => read(ALL, { "/repo/.git": "", ...files })
      const permissions = (found: Configuration) =>
        found.servers.map(({ config }) => {
          const { classes, targets, trustAnnotations, writes } = Result.getOrThrow(config)
          return { classes, targets, trustAnnotations, writes }
        })
      const project = yield* configuration({ "/repo/.mcp.json": text })
      assert.deepStrictEqual(permissions(project), [
        { classes: loose.classes, targets: {}, trustAnnotations: true, writes: null },
        { classes: strict.classes, targets: {}, trustAnnotations: false, writes: "off" }
      ])
      const at = (column: number, key: string, why: string) =>
        `/repo/.mcp.json:1:${column}: mcpServers.loose.${key}: ${why}, so it is not read; ` +
        "write the entry into a file of your own"
      assert.deepStrictEqual(project.servers.map(({ warnings }) => warnings), [
        [
          at(text.indexOf("\"writes\"") + 1, "writes", "a project file may say \"off\" only"),
          at(text.indexOf("\"targets\"") + 1, "targets", "a project file may not have it")
        ],
        []
      ])
      // An approval is bound to what the file says.
      assert.deepStrictEqual(
        project.servers.map(({ declared }) => [declared?.writes, Object.keys(declared?.targets ?? {})]),
        [["ask", ["a"]], ["off", []]]
      )
      for (const own of ["/data/mcp.json", "/home/me/.config/boocode/mcp.json"]) {
        const found = yield* configuration({ [own]: text })
        assert.deepStrictEqual(found.servers.map(({ warnings }) => warnings), [[], []])
        assert.deepStrictEqual(permissions(found)[0], {
          classes: loose.classes,
          targets: loose.targets,
          trustAnnotations: true,
          writes: "ask"
        })
      }
    }))

  it.effect("marks the entries of project files alone as in need of approval, with stricter pins", () =>
    Effect.gen(function*() {
      const configuration = yield* read(ALL, {
        "/data/mcp.json": file("a"),
        "/repo/app/src/.git/HEAD": "",
        "/repo/app/src/.mcprc": file("b"),
        "/home/me/.mcprc": file("c")
      })
      const pins = configuration.servers.map(({ config, name, needsApproval }) => [
        name,
        needsApproval,
        Result.isSuccess(config) ? config.success.pin : null
      ])
      assert.deepStrictEqual(pins, [["a", false, "warn"], ["b", true, "block"], ["c", false, "warn"]])
    }))

  it.effect("looks no higher than the repository root, and outside of a repository at the one folder", () =>
    Effect.gen(function*() {
      const files = { "/.mcp.json": file("x"), "/repo/.mcp.json": file("y"), "/repo/app/src/.mcp.json": file("z") }
      const scopes = { ...ALL, dataFile: null, home: null }
      assert.deepStrictEqual(Object.keys(sources(yield* read(scopes, { ...files, "/repo/.git": "" }))), ["y", "z"])
      assert.deepStrictEqual(Object.keys(sources(yield* read(scopes, files))), ["z"])
    }))

  it.effect("reads a file once, and one's own files as one's own also inside a repository", () =>
    Effect.gen(function*() {
      const files = { "/home/me/.git": "", "/home/me/.mcprc": file("a"), "/home/me/mcp.json": file("b") }
      const reads: Array<string> = []
      const scopes = { dataFile: "/home/me/mcp.json", projectFrom: "/home/me", home: "/home/me" }
      const configuration = yield* read(scopes, files, {}, reads)
      assert.deepStrictEqual(configuration.servers.map(({ name, needsApproval }) => [name, needsApproval]), [
        ["a", false],
        ["b", false]
      ])
      assert.strictEqual(new Set(reads).size, reads.length)
    }))

  it.effect("reads no scope that is null", () =>
    Effect.gen(function*() {
      const reads: Array<string> = []
      const files = { "/data/mcp.json": file("a"), "/home/me/.mcprc": file("b") }
      const configuration = yield* read({ dataFile: null, projectFrom: null, home: null }, files, {}, reads)
      assert.deepStrictEqual(configuration, { servers: [], sources: [], warnings: [] })
      assert.deepStrictEqual(reads, [])
    }))

  it.effect("falls through a data file that is absent, unless a person named it (DESIGN 3.5)", () =>
    Effect.gen(function*() {
      const files = { "/home/me/.mcprc": file("a") }
      assert.deepStrictEqual(Object.keys(sources(yield* read(ALL, files))), ["a"])
      const named = yield* read({ ...ALL, dataFileIsNamed: true }, files)
      assert.deepStrictEqual(named.servers, [])
      assert.deepStrictEqual(named.sources.map(({ file, state }) => [file, state]), [["/data/mcp.json", "absent"]])
    }))

  it.effect("keeps the other files when one is broken (R66)", () =>
    Effect.gen(function*() {
      const configuration = yield* read(ALL, {
        "/data/mcp.json": "{",
        "/home/me/.config/boocode/mcp.json": { type: "forbidden" },
        "/home/me/.mcprc": file("a")
      })
      assert.deepStrictEqual(Object.keys(sources(configuration)), ["a"])
      const invalid = configuration.sources.filter(({ state }) => state === "invalid")
      assert.deepStrictEqual(invalid.map(({ error }) => error?.message), [
        "/data/mcp.json:1:2: expected a closing }",
        "~/.config/boocode/mcp.json: the file may not be read"
      ])
    }))

  it.effect("honours XDG_CONFIG_HOME when it is absolute", () =>
    Effect.gen(function*() {
      const files = { "/xdg/boocode/mcp.json": file("a"), "/home/me/.config/boocode/mcp.json": file("b") }
      const scopes = { ...ALL, projectFrom: null }
      assert.deepStrictEqual(Object.keys(sources(yield* read(scopes, files, { XDG_CONFIG_HOME: "/xdg" }))), ["a"])
      assert.deepStrictEqual(Object.keys(sources(yield* read(scopes, files, { XDG_CONFIG_HOME: "xdg" }))), ["b"])
    }))

  it.effect("takes .mcprc as a bare map or wrapped in mcpServers, .mcp.json only wrapped", () =>
    Effect.gen(function*() {
      const bare = JSON.stringify({ $schema: "https://x", a: { command: "x" }, b: { url: "https://x" } })
      const scopes = { ...ALL, dataFile: null, projectFrom: "/p" }
      const configuration = yield* read(scopes, {
        "/p/.mcprc": bare,
        "/p/.mcp.json": bare,
        "/home/me/.mcprc": file("c")
      })
      assert.deepStrictEqual(sources(configuration), { a: "/p/.mcprc", b: "/p/.mcprc", c: "~/.mcprc" })
      assert.include(configuration.warnings.join(), "/p/.mcp.json:1:1: mcpServers: no mcpServers")
    }))

  it.effect("shows the entry to add when a former variable is set, and never its value (DESIGN 3.5)", () =>
    Effect.gen(function*() {
      const variables = { MCP_CONTEXT7_URL: "https://u.example", MCP_CONTEXT7_API_KEY: "s3cret" }
      const configuration = yield* read(ALL, {}, variables)
      const warning = configuration.warnings.join()
      assert.include(warning, "MCP_CONTEXT7_URL and MCP_CONTEXT7_API_KEY are no longer read")
      assert.include(warning, "\"context7\": { \"type\": \"streamableHttp\", \"url\": \"https://mcp.context7.com/mcp\"")
      assert.notInclude(warning, "s3cret")
      assert.deepStrictEqual(configuration.servers, [])
      const entry = warning.slice(warning.indexOf("\"context7\""))
      const added = yield* read(ALL, { "/data/mcp.json": `{ "mcpServers": { ${entry} } }` })
      assert.isTrue(added.servers.every(({ config, warnings }) => Result.isSuccess(config) && warnings.length === 0))
      assert.deepStrictEqual(added.warnings, [])
    }))
})
