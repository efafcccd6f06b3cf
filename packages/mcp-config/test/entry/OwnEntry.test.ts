import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isOwnCommand } from "../../src/entry/OwnEntry.ts"
import { configurationOfServers } from "../support/Files.ts"

describe("OwnEntry", () => {
  it("is recognised whichever way it starts BooCode, on any system", () => {
    for (
      const line of [
        ["boocode", "mcp", "serve"],
        ["/usr/local/bin/boocode", "--data", "/d", "mcp", "serve", "--profile", "x"],
        ["/opt/node/bin/node", "/usr/lib/node_modules/boocode/bin/boocode.cjs", "mcp", "serve"],
        ["/opt/node/bin/node", "/usr/lib/node_modules/boocode/dist/main.mjs", "mcp", "serve"],
        ["node", "/home/me/code/scripts/Boocode.mjs", "mcp", "serve"],
        ["node", "/home/me/code/apps/cli/src/main.ts", "mcp", "serve"],
        ["C:\\node\\node.exe", "C:\\Users\\me\\AppData\\npm\\node_modules\\boocode\\bin\\boocode.cjs", "mcp", "serve"],
        ["cmd", "/c", "C:\\npm\\boocode.cmd", "mcp", "serve"],
        ["npx", "-y", "boocode@1.2.3", "mcp", "serve"],
        ["sh", "-c", "exec boocode mcp serve --profile x"]
      ]
    ) assert.isTrue(isOwnCommand(line[0] ?? "", line.slice(1)), line.join(" "))
  })

  it("is not mistaken for another server, or another verb", () => {
    for (
      const line of [
        ["boocode", "mcp", "list"],
        ["boocode", "serve"],
        ["codex", "mcp", "serve"],
        ["claude", "mcp", "serve", "boocode"],
        ["node", "/home/me/boocode/tools/other.js", "mcp", "serve"],
        ["mcp", "serve"]
      ]
    ) assert.isFalse(isOwnCommand(line[0] ?? "", line.slice(1)), line.join(" "))
  })

  it.effect("is never enabled in BooCode, and says why, also where a variable hides it", () =>
    Effect.gen(function*() {
      const { servers } = yield* configurationOfServers({
        boocode: { command: "node", args: ["/x/boocode/bin/boocode.cjs", "mcp", "serve"] },
        hidden: { command: "${TOOL}", args: ["mcp", "${VERB}"] },
        other: { command: "x" }
      }, { TOOL: "boocode", VERB: "serve" })
      assert.deepStrictEqual(servers.map(({ config, enabled, name }) => [name, enabled, Result.isSuccess(config)]), [
        ["boocode", false, false],
        ["hidden", false, false],
        ["other", true, true]
      ])
      assert.deepStrictEqual(servers.map(({ warnings }) => warnings.length), [1, 1, 0])
      assert.match(servers[0]?.warnings[0] ?? "", /starts BooCode itself/)
    }))
})
