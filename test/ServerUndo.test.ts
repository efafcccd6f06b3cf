/** What the published server of files wrote is undone by its own tools. */
import { MemoryChatStore, ServerTarget, Undo, Undos, UndoStore, WorkspaceWrites } from "@boocode/chat"
import { McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { McpToolkit, ResultFiles, type WriteUndo } from "@boocode/toolkit"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Deadline from "./support/Deadline.ts"
import * as PublishedServers from "./support/PublishedServers.ts"

/** Of a file that was there, and is no text. */
const LATIN1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a])

describe("The published server of files", Deadline.TEST, () => {
  it.live("has what its tools write shown before, and undone after, where nothing else changed it", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      const state = yield* fs.makeTempDirectoryScoped()
      const file = `${folder}/a.md`
      const text = Effect.map(
        Effect.orDie(fs.readFile(file)),
        (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
      )
      const before = "\uFEFFone\r\ntwo — drei\n\n"
      yield* fs.writeFileString(file, before)
      yield* fs.writeFile(`${folder}/latin1.txt`, LATIN1)
      const entry = { command: "mcp-server-filesystem", args: [folder], writes: "ask" }
      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const body = (registry: McpRegistry["Service"]) =>
        Effect.gen(function*() {
          const { keeping } = yield* Undos
          const tools = keeping(yield* McpToolkit.agentTools(yield* registry.tools), registry)
          const call = Effect.fnUntraced(function*(name: string, args: object) {
            const told: Array<WriteUndo> = []
            const onWrite = (undo: WriteUndo) => Effect.sync(() => void told.push(undo))
            const tool = tools.find((one) => one.name === name) ?? assert.fail(name)
            const { isError, text } = yield* tool.run(args, { onWrite })
            return { isError, text, undo: told[0] ?? null }
          })
          const undo = (id: string) => Undo.undo(id, ServerTarget.callsOf(registry), "first")

          const write = tools.find(({ name }) => name === "files_write_file")
          assert.strictEqual(yield* write?.before?.({ path: file }) ?? Effect.succeed(null), "one\ntwo — drei\n\n")
          const written = yield* call("files_write_file", { path: file, content: "new\n" })
          assert.strictEqual(yield* text, "new\n")
          const edits = [{ oldText: "new", newText: "newer" }]
          const edited = yield* call("files_edit_file", { path: file, edits })
          assert.strictEqual(yield* text, "newer\n")
          assert.strictEqual((yield* Effect.flip(undo(written.undo?.id ?? "")))._tag, "ChangedSince")
          assert.strictEqual(yield* undo(edited.undo?.id ?? ""), `${file} of files is as it was before`)
          assert.strictEqual(yield* text, "new\n")
          yield* undo(written.undo?.id ?? "")
          assert.strictEqual(yield* text, before)

          const made = yield* call("files_write_file", { path: `${folder}/b.md`, content: "b" })
          assert.strictEqual(
            yield* undo(made.undo?.id ?? ""),
            `${folder}/b.md, which a tool of files made, is in the bin`
          )
          assert.isFalse(yield* fs.exists(`${folder}/b.md`))
          const near = yield* call("files_write_file", { path: "near.md", content: "n" })
          assert.isTrue(near.undo?.possible)
          const binary = yield* call("files_write_file", { path: `${folder}/latin1.txt`, content: "c" })
          assert.deepInclude(binary.undo ?? {}, { id: null, possible: false })
          const failed = yield* call("files_edit_file", { path: file, edits: [{ oldText: "none", newText: "" }] })
          assert.deepStrictEqual([failed.isError, failed.undo], [true, null])
          const outside = yield* call("files_write_file", { path: `${folder}/../outside`, content: "" })
          assert.deepStrictEqual([outside.isError, outside.undo], [true, null])
        }).pipe(Effect.provide(
          Undos.layer.pipe(
            Layer.provideMerge(WorkspaceWrites.layer(`${folder}/workspace`)),
            Layer.provideMerge(UndoStore.layer(`${state}/undo`)),
            Layer.provideMerge(Layer.mergeAll(
              Layer.provideMerge(McpRegistries.layerSame, Layer.succeed(McpRegistry, registry)),
              MemoryChatStore.layer,
              ResultFiles.layer(`${state}/results`)
            )),
            Layer.provideMerge(Layer.succeedContext(services))
          )
        ))
      yield* PublishedServers.withServers({ files: entry }, body)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})
