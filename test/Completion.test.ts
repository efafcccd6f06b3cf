import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"

const SERVERS = JSON.stringify({
  mcpServers: { files: { command: "x" }, fetch: { command: "y" }, web: { command: "z" } }
})

/** What bash offers for the last of these words. */
const PROGRAM = `
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=\${#COMP_LINE}
_boocode_names boocode "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "\${COMPREPLY[@]}"
`

describe("boocode completion in a real bash", Deadline.TEST, () => {
  it.live("completes names from the data folder, and verbs and flags as before", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({ "data/mcp.json": SERVERS })
      const script = yield* Command.run(["completion", "bash"])
      assert.strictEqual(script.code, 0, script.stderr)
      writeFileSync(join(folder, "script"), script.stdout)
      writeFileSync(
        join(folder, "boocode"),
        `#!/bin/sh\nexec '${process.execPath}' '${join(Command.CHECKOUT, Command.MAIN)}' "$@"\n`
      )
      chmodSync(join(folder, "boocode"), 0o755)
      const env = {
        ...Command.COMPILED,
        PATH: `${folder}:${process.env["PATH"]}`,
        HOME: folder,
        BOOCODE_STATE_DIR: join(folder, "state"),
        MCP_CONFIG_PATH: join(folder, "data/mcp.json")
      }
      const offered = (...words: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          const bash = promisify(execFile)
          const { stdout } = await bash("bash", ["-c", PROGRAM, "bash", join(folder, "script"), "boocode", ...words], {
            env
          })
          return stdout.split("\n").filter((line) => line !== "").sort()
        })
      assert.deepStrictEqual(yield* offered("mcp", "get", "f"), ["fetch", "files"])
      assert.deepStrictEqual(yield* offered("mcp", "refr"), ["refresh"])
    }))
})
