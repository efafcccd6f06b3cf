import { ChatDocument } from "@boocode/chat"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { strToU8, zipSync } from "fflate"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { boocode } from "../support/Scripted.ts"

const written = (bytes: Uint8Array) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "boocode-import-"))
      writeFileSync(join(folder, "export"), bytes)
      return { folder, file: join(folder, "export") }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const importing = Effect.fnUntraced(function*(bytes: Uint8Array) {
  const { file } = yield* written(bytes)
  const ended = yield* boocode(["chats", "import", file, "--json"], { files: NodeFileSystem.layer })
  return { ...ended, taken: ended.log.filter((line) => line.startsWith("import ")) }
}, Effect.scoped)

const list = (...numbers: ReadonlyArray<number>) => JSON.stringify(numbers.map((number) => ({ number, mapping: {} })))

describe("chats import", () => {
  it.live("takes each conversation of an export of its own, from a list or from the files of a zip", () =>
    Effect.gen(function*() {
      const one = yield* importing(strToU8(list(1, 2)))
      assert.deepStrictEqual(one.taken, [
        `import json {"number":1,"mapping":{}}`,
        `import json {"number":2,"mapping":{}}`
      ])
      assert.strictEqual(one.code, 0, one.stderr)
      const zip = yield* importing(zipSync({
        "chat.html": strToU8("<html>"),
        "shared_conversations.json": strToU8(list(9)),
        "export/conversations-000.json": strToU8(list(1)),
        "export/conversations-001.json": strToU8(list(2, 3)),
        "dalle/image.png": [new Uint8Array(100_000), { level: 0 }]
      }))
      assert.deepStrictEqual(zip.taken.map((line) => /"number":(\d)/.exec(line)?.[1]), ["1", "2", "3"])
      const told = JSON.parse(zip.stdout)
      assert.deepStrictEqual([told.imported + told.present, told.refused], [3, []])
    }))

  it.live("imports nothing of a zip without conversations, of one that is cut off, and of an empty list", () =>
    Effect.gen(function*() {
      const zip = zipSync({ "conversations.json": strToU8(list(...Array.from({ length: 2000 }, (_, at) => at))) })
      for (const bytes of [zipSync({ "a.json": strToU8("[]") }), zip.subarray(0, 1000), strToU8("[]")]) {
        const ended = yield* importing(bytes)
        assert.strictEqual(ended.code, 1)
        assert.strictEqual(JSON.parse(ended.stdout.split("\n").at(-2) ?? "").error._tag, "ImportRefused")
      }
    }))

  it.live("says where a file cannot be read: its line, or which of its conversations", () =>
    Effect.gen(function*() {
      const refused = new ChatDocument.ImportRefused({ why: "it is not JSON" })
      const failing = Effect.fnUntraced(function*(text: string) {
        const { file } = yield* written(strToU8(text))
        const ended = yield* boocode(["chats", "import", file], { files: NodeFileSystem.layer, importing: refused })
        assert.strictEqual(ended.code, 1)
        return ended.stderr.replaceAll(file, "FILE")
      }, Effect.scoped)
      assert.match(yield* failing("{\n  \"mapping\": {},\n  \"title\"\n}"), /it is not JSON\n +in FILE:4:1\n/)
      assert.include(
        yield* failing(list(1, 2, 3)),
        "left out  3 conversations, first number 1: this cannot be imported: it is not JSON"
      )
      assert.match(
        yield* failing(list(1, 2, 3).slice(0, -5)),
        /FILE cannot be imported: conversation 3: it ends in the middle/
      )
    }))
})
