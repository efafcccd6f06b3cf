import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { ConfigExport, Departure } from "../../src/Exchange.ts"
import { Environment } from "../../src/index.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import { entriesOf } from "../support/Shaped.ts"

const FILES = {
  "/srv/data/workspace/a.txt": "",
  "/srv/data/sub/deep/b.txt": "",
  "/usr/bin/common": "",
  "/opt/boocode/common": "",
  "/opt/boocode/own": ""
}

/** The entry as it leaves /srv/data/mcp.json, in the native shape, and the keys about which something is said. */
const left = Effect.fnUntraced(
  function*(declared: object) {
    const [entry] = entriesOf({ s: declared })
    if (entry === undefined) return assert.fail("no entry")
    const from = { file: "/srv/data/mcp.json", searchAfterPath: ["/opt/boocode"] }
    const departed = yield* Departure.leave(entry, from)
    const [encoded] = ConfigExport.encode([departed.entry], "native")
    return { value: encoded?.value, said: departed.losses.flatMap(({ keys }) => keys) }
  },
  Effect.provide(Layer.mergeAll(
    Path.layer,
    Environment.layer({ PATH: "/bin:/usr/bin", workspace: "/srv/data/workspace" }),
    Layer.succeed(FileSystem.FileSystem, new MemoryFiles(FILES).view())
  ))
)

describe("An entry that leaves its file", () => {
  it.effect("has the path of the folder that it calls ${workspace}", () =>
    Effect.gen(function*() {
      const { said, value } = yield* left({ command: "common", args: ["${workspace}/a"], env: { AT: "${workspace}" } })
      assert.deepInclude(value, { args: ["/srv/data/workspace/a"], env: { AT: "/srv/data/workspace" } })
      assert.deepStrictEqual(said, ["args"])
    }))

  it.effect("has absolute paths where they started from the folder of its file", () =>
    Effect.gen(function*() {
      const { said, value } = yield* left({
        command: "./run.sh",
        args: [
          "-y",
          "workspace",
          "../up",
          "missing",
          "--flag",
          "https://x.example/workspace",
          "${DIR}/x",
          "./${NAME}.js"
        ],
        envFile: ".env"
      })
      assert.deepInclude(value, {
        command: "/srv/data/run.sh",
        args: [
          ...["-y", "/srv/data/workspace", "/srv/data/../up", "missing", "--flag", "https://x.example/workspace"],
          ...["${DIR}/x", "/srv/data/${NAME}.js"]
        ],
        envFile: "/srv/data/.env"
      })
      assert.deepStrictEqual(said, ["envFile", "command", "args"])
    }))

  it.effect("starts arguments from its own cwd where it has one", () =>
    Effect.gen(function*() {
      const { said, value } = yield* left({ command: "node", args: ["deep", "workspace", "./x.js"], cwd: "sub" })
      assert.deepInclude(value, {
        args: ["/srv/data/sub/deep", "workspace", "/srv/data/sub/x.js"],
        cwd: "/srv/data/sub"
      })
      assert.deepStrictEqual(said, ["cwd", "args"])
      const open = yield* left({ command: "node", args: ["./x.js"], cwd: "${HOME}/tools" })
      assert.deepInclude(open.value, { args: ["${HOME}/tools/x.js"], cwd: "${HOME}/tools" })
    }))

  it.effect("names a command by its path when only this installation has it", () =>
    Effect.gen(function*() {
      const own = yield* left({ command: "own" })
      assert.deepInclude(own.value, { command: "/opt/boocode/own" })
      assert.deepStrictEqual(own.said, ["command"])
      for (const command of ["common", "nowhere", "/opt/boocode/own", "${CMD}"]) {
        const { said, value } = yield* left({ command })
        assert.deepInclude(value, { command })
        assert.deepStrictEqual(said, [])
      }
    }))

  it.effect("says what it cannot change: the program of a headers helper, which is a line for a shell", () =>
    Effect.gen(function*() {
      const url = "https://x.example/mcp"
      assert.deepStrictEqual((yield* left({ url, headersHelper: "./token.sh --quiet" })).said, ["headersHelper"])
      assert.deepStrictEqual((yield* left({ url, headersHelper: "token" })).said, [])
    }))
})
