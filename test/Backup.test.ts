import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import * as BackupItems from "../apps/chat-server/src/backup/BackupItems.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import { data } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"

/** The files of a folder that are in no row of the table. */
const unknown = (root: BackupItems.Root, folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => ![...BackupItems.ITEMS, ...BackupItems.LEFT_OUT].some((one) => BackupItems.isOf(one, root, name)))

describe("boocode backup and restore", Deadline.TEST, () => {
  it.live("take all that a running server keeps to another machine, and know every file that it wrote", () =>
    Effect.gen(function*() {
      const place = yield* data({ "data/AGENTS.md": "---\nname: Ada\n---\nHello" })
      const state = join(place.folder, "state")
      const server = yield* AppServer.start(place.data)
      const { body } = yield* server.post("/api/chats")
      const id = String(body["id"])
      yield* server.stream(`/api/chats/${id}/messages`, { text: "/" })
      const archive = join(place.folder, "kept.tar.gz")
      const env = { BOOCODE_STATE_DIR: state }
      const written = yield* AppCommand.run(["backup", archive, "--workspace", "--data", place.data], { env })
      assert.strictEqual(written.code, 0, written.stderr)
      assert.deepStrictEqual(unknown("state", state), [])
      assert.deepStrictEqual(unknown("data", place.data), [])
      yield* server.end("SIGTERM", "process")

      const other = yield* Command.folder({})
      const there = { env: { BOOCODE_STATE_DIR: join(other, "state") } }
      const restored = yield* AppCommand.run(["restore", archive, "--yes", "--data", join(other, "data")], there)
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.isTrue(existsSync(join(other, "data/workspace/hello.txt")))
      assert.isTrue(existsSync(join(other, "data/AGENTS.md")))
      const shown = yield* AppCommand.run(["chats", "show", id, "--data", join(other, "data")], there)
      assert.match(shown.stdout, /^## 1\. You .*\n\n> \/$/m)
    }))
})
