import { Agents, CurrentUser, FIRST, WorkspaceTools } from "@boocode/chat"
import { ResultFiles } from "@boocode/toolkit"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const CANARY = "CANARY-c0ffee-4711"
const data = fileURLToPath(new URL("../data", import.meta.url))

/** A data folder with a secret beside its workspace, and every kind of way out of it. */
const dataFolder = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped()
  const at = (...names: ReadonlyArray<string>) => path.join(root, ...names)
  yield* fs.makeDirectory(at("workspace", "docs"), { recursive: true })
  yield* fs.makeDirectory(at("workspace-other"))
  yield* fs.writeFileString(at("mcp.json"), `{"mcpServers":{"x":{"headers":{"Authorization":"${CANARY}"}}}}`)
  yield* fs.writeFileString(at("workspace-other", "secret.txt"), CANARY)
  yield* fs.writeFileString(at("workspace", "docs", "inside.txt"), "inside")
  yield* fs.symlink(at("mcp.json"), at("workspace", "config.json"))
  yield* fs.symlink("..", at("workspace", "up"))
  yield* fs.symlink(at("workspace", "up"), at("workspace", "docs", "twice"))
  yield* fs.symlink("docs", at("workspace", "inner"))
  yield* fs.symlink("loop", at("workspace", "loop"))
  return { root, workspace: at("workspace") }
})

const built = Effect.fnUntraced(function*(root: string, workspace: string) {
  const context = yield* Layer.build(
    WorkspaceTools.layer(workspace).pipe(Layer.provide(ResultFiles.layer(`${root}/state`)))
  )
  const { tools } = yield* Effect.provideContext(WorkspaceTools, context)
  return (name: string, args: unknown) => {
    const tool = tools.find((candidate) => candidate.name === name)
    return tool === undefined ? Effect.die(`no tool ${name}`) : tool.run(args)
  }
})

describe("WorkspaceTools on a real disk", () => {
  it.live("never read a configuration that lies beside the workspace (Decision 15)", () =>
    Effect.gen(function*() {
      const { root, workspace } = yield* dataFolder
      const call = yield* built(root, workspace)
      const out = [
        "../mcp.json",
        `${root}/mcp.json`,
        `${workspace}/../mcp.json`,
        "config.json",
        "up/mcp.json",
        "docs/twice/mcp.json",
        "inner/../../mcp.json",
        "../workspace-other/secret.txt",
        `${workspace}-other/secret.txt`,
        "/proc/self/environ",
        `/proc/self/cwd/../../../..${root}/mcp.json`,
        "..",
        "up",
        "docs/twice",
        "/",
        "loop"
      ]
      for (const path of out) {
        for (
          const [name, args] of [["view_file", { path }], ["list_dir", { path }], ["grep", {
            pattern: "C",
            path
          }]] as const
        ) {
          const result = yield* call(name, args)
          assert.isTrue(result.isError, `${name} ${path}: ${result.text}`)
          assert.notInclude(JSON.stringify(result), CANARY)
        }
      }
      for (
        const args of [{ pattern: "CANARY" }, { pattern: "CANARY.*", regex: true }, {
          pattern: "Authorization",
          path: ""
        }]
      ) {
        assert.strictEqual((yield* call("grep", args)).text, "no match in 1 file")
      }
      const listing = yield* call("list_dir", {})
      assert.deepStrictEqual(listing.text.split("\n").map((line) => line.split(" ")[0]), [
        "config.json",
        "docs/",
        "inner/",
        "loop",
        "up"
      ])
      for (const path of ["docs/inside.txt", "inner/inside.txt", `${workspace}/docs/inside.txt`]) {
        assert.strictEqual((yield* call("view_file", { path })).text, "inside")
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live("do not hang on a pipe", () =>
    Effect.gen(function*() {
      const { root, workspace } = yield* dataFolder
      execFileSync("mkfifo", [`${workspace}/pipe`])
      const call = yield* built(root, workspace)
      assert.match((yield* call("view_file", { path: "pipe" })).text, /pipe is not a file/)
      assert.strictEqual((yield* call("grep", { pattern: "inside" })).text, "docs/inside.txt:1: inside")
      assert.isTrue((yield* call("grep", { pattern: "x", path: "pipe" })).isError)
    }).pipe(Effect.provide(NodeServices.layer)))
})

describe("data/ as shipped", () => {
  it.live("has three agents, each with the tools it should have", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(Agents.layerFile(`${data}/AGENTS.md`))
      const { agents, problems } = yield* Effect.flatMap(Effect.provideContext(Agents, context), ({ list }) => list)
        .pipe(
          Effect.provideService(CurrentUser, FIRST)
        )
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(agents.map(({ name, tools }) => ({ name, tools })), [
        { name: "Assistant", tools: null },
        { name: "Architect", tools: ["view_file", "grep", "list_dir", "files_*"] },
        { name: "Prompt Builder", tools: ["view_file"] }
      ])
      assert.isTrue(agents.every(({ description, prompt }) => description !== null && prompt.length > 200))
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live("has a workspace that the built-in tools can read", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const call = yield* built(yield* fs.makeTempDirectoryScoped(), `${data}/workspace`)
      assert.include((yield* call("list_dir", {})).text, "README.md")
      assert.include((yield* call("grep", { pattern: "July" })).text, "notes/temperatures.csv:8: July,19.5")
    }).pipe(Effect.provide(NodeServices.layer)))
})
