import { type CallResult, McpErrors } from "@boocode/mcp-registry"
import { type AgentTool, ToolResult, type WriteUndo } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as MadeFiles from "../../src/journal/MadeFiles.ts"
import type { Target } from "../../src/journal/ServerFolders.ts"
import * as ServerTarget from "../../src/journal/ServerTarget.ts"
import * as Undo from "../../src/journal/Undo.ts"
import { UndoStore } from "../../src/store/UndoStore.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"
import { type Files, layer, STATE } from "../support/Writing.ts"

const answer = (text: string | null): CallResult => ({
  isError: text === null,
  content: [{ type: "text", text: text ?? "ENOENT" }],
  structuredContent: null,
  millis: 1
})

const TARGET = { path: "path", read: "read_text_file", write: "write_file" }

/** A server of files, what was called of it, and its tool `write_file` as a model has it. */
const server = (texts: Record<string, string>, changes: Partial<Record<string, ServerTarget.CallTool>> = {}) => {
  const called: Array<string> = []
  const call: ServerTarget.CallTool = (tool, args) =>
    Effect.suspend(() => {
      called.push(tool)
      const other = changes[tool]
      if (other !== undefined) return other(tool, args)
      const path = String(args["path"])
      if (tool === "write_file") texts[path] = String(args["content"])
      return Effect.succeed(answer(texts[path] ?? null))
    })
  const tool: AgentTool = {
    name: "files_write_file",
    server: "files",
    description: "",
    inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
    tokens: 1,
    isAlwaysLoaded: false,
    class: "writes",
    run: (args) =>
      Effect.map(
        Effect.orDie(call("write_file", Object(args))),
        ({ isError }) => isError ? ToolResult.failure("no") : ToolResult.success("written")
      )
  }
  return { texts, called, call, tool }
}

type Server = ReturnType<typeof server>

/** Runs one call of the tool, and gives what it tells of undoing. */
const write = Effect.fnUntraced(function*(
  { call, tool }: Server,
  args: Schema.JsonObject,
  target: Target = TARGET
) {
  const told: Array<WriteUndo> = []
  const targeted = ServerTarget.targeted(tool, target, { call, store: yield* UndoStore, made: yield* MadeFiles.make })
  const result = yield* targeted.run(args, { onWrite: (undo) => Effect.sync(() => void told.push(undo)) })
  assert.isAtMost(told.length, 1)
  return { result, undo: told[0] ?? null }
})

const undo = ({ call }: Server, id: string | null | undefined) => Undo.undo(id ?? "", () => call, "first")

const refusal = (files: Server, id: string | null | undefined) =>
  Effect.map(Effect.flip(undo(files, id)), ({ _tag, message }) => `${_tag}: ${message}`)

describe("ServerTarget", () => {
  it.effect("writes back what a server's tool replaced, by the server's own tool, and only once", () =>
    Effect.gen(function*() {
      const files = server({ "/a": "one\r\n" })
      const done = yield* write(files, { path: "/a", content: "two" })
      assert.strictEqual(done.result.text, "written")
      assert.deepStrictEqual(files.called, ["read_text_file", "write_file", "read_text_file"])
      assert.strictEqual(yield* undo(files, done.undo?.id), "/a of files is as it was before")
      assert.deepStrictEqual(files.texts, { "/a": "one\r\n" })
      assert.match(yield* refusal(files, done.undo?.id), /^AlreadyUndone/)
    }).pipe(Effect.provide(layer({}))))

  it.effect("writes nothing back over what changed since, or cannot be read now", () =>
    Effect.gen(function*() {
      const files = server({ "/a": "one" })
      const { undo } = yield* write(files, { path: "/a", content: "two" })
      files.texts["/a"] = "three"
      assert.match(yield* refusal(files, undo?.id), /^ChangedSince: .*\/a of files was changed since$/)
      delete files.texts["/a"]
      assert.match(yield* refusal(files, undo?.id), /^ChangedSince: .*cannot be read now/)
      assert.deepStrictEqual(files.texts, {})
    }).pipe(Effect.provide(layer({}))))

  it.effect("does not take a call that came meanwhile for what another one left", () =>
    Effect.gen(function*() {
      const texts: Record<string, string> = { "/a": "one" }
      const wrote = yield* Deferred.make<void>()
      const over = yield* Deferred.make<void>()
      const files = server(texts, {
        write_file: (_, args) =>
          Effect.gen(function*() {
            texts["/a"] = String(args["content"])
            if (texts["/a"] === "two") {
              yield* Deferred.succeed(wrote, undefined)
              yield* Deferred.await(over)
            }
            return answer("ok")
          })
      })
      const early = yield* Effect.forkChild(write(files, { path: "/a", content: "two" }))
      yield* Deferred.await(wrote)
      const late = yield* Effect.forkChild(write(files, { path: "/a", content: "three" }))
      yield* TestClock.adjust(0)
      yield* Deferred.succeed(over, undefined)
      const first = yield* Fiber.join(early)
      yield* Fiber.join(late)
      assert.strictEqual(texts["/a"], "three")
      assert.match(yield* refusal(files, first.undo?.id), /^ChangedSince: .*was changed since$/)
      assert.strictEqual(texts["/a"], "three")
    }).pipe(Effect.provide(layer({}))))

  it.effect("gives up on a server that cannot be read within 10 seconds", () =>
    Effect.gen(function*() {
      const files = server({ "/a": "one" })
      const { undo: kept } = yield* write(files, { path: "/a", content: "two" })
      const silent = server(files.texts, { read_text_file: () => Effect.never })
      const fiber = yield* Effect.forkChild(refusal(silent, kept?.id))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.match(yield* Fiber.join(fiber), /^ChangedSince: .*cannot be read now/)
    }).pipe(Effect.provide(layer({}))))

  it.effect("says so when the server does not bring back what was there, and can be asked again", () =>
    Effect.gen(function*() {
      const files = server({ "/a": "one" })
      const { undo: kept } = yield* write(files, { path: "/a", content: "two" })
      const lying = { ...files, call: server(files.texts, { write_file: () => Effect.succeed(answer("ok")) }).call }
      assert.match(yield* refusal(lying, kept?.id), /^UndoFailed: .*did not bring back what was there/)
      const refusing = { ...files, call: server(files.texts, { write_file: () => Effect.succeed(answer(null)) }).call }
      assert.match(yield* refusal(refusing, kept?.id), /^UndoFailed: .*answered with an error/)
      yield* undo(files, kept?.id)
      assert.strictEqual(files.texts["/a"], "one")
    }).pipe(Effect.provide(layer({}))))

  it.effect("says why a call cannot be undone, and nothing of one that changed nothing", () =>
    Effect.gen(function*() {
      const why = Effect.fnUntraced(function*(files: Server, args: Schema.JsonObject, target?: Target) {
        return (yield* write(files, args, target)).undo
      })
      const to = { path: "/a", content: "two" }
      assert.match((yield* why(server({}), to))?.why ?? "", /no text before that could be read/)
      assert.match(
        (yield* why(server({ "/a": "not \uFFFD text" }), to))?.why ?? "",
        /no text before that could be read/
      )
      assert.match((yield* why(server({ "/a": "half \uD83D a pair" }), to))?.why ?? "", /no text before/)
      const writeOnly = { path: "path", read: "read_text_file" }
      assert.match((yield* why(server({ "/a": "one" }), to, writeOnly))?.why ?? "", /names no tool that writes it back/)
      assert.isNull(yield* why(server({ "/a": "two" }), to))
      assert.isNull(yield* why(server({}, { write_file: () => Effect.succeed(answer(null)) }), to))
      assert.isNull(yield* why(server({ "/a": "one" }), { content: "two" }))
    }).pipe(Effect.provide(layer({}))))

  it.effect("moves a file that a call made into the bin, wherever its path begins, and no other", () => {
    const disk: Files = { "/home/docs": MemoryFiles.FOLDER, "/home/there": new Uint8Array([0xe9]) }
    return Effect.gen(function*() {
      const target = {
        ...TARGET,
        file: true,
        folders: ["/home", "docs", "-y", "there"].map((one) => Redacted.make(one))
      }
      /** The server writes to the disk; relative paths begin at `docs`. */
      const files = server({}, {
        write_file: (_, args) =>
          Effect.sync(() => {
            const path = String(args["path"])
            disk[path.startsWith("/") ? path : `/home/docs/${path}`] = String(args["content"])
            return answer("ok")
          }),
        read_text_file: () => Effect.succeed(answer(null))
      })
      const made = (path: string, told: Target = target) => write(files, { path, content: "new" }, told)
      const first = yield* made("/home/a.md")
      assert.isTrue(first.undo?.possible)
      disk["/home/a.md"] = "changed"
      assert.match(yield* refusal(files, first.undo?.id), /^ChangedSince: .*\/home\/a\.md was changed since$/)
      disk["/home/a.md"] = "new"
      const words = yield* undo(files, first.undo?.id)
      assert.strictEqual(words, "/home/a.md, which a tool of files made, is in the bin")
      assert.notProperty(disk, "/home/a.md")
      assert.include(Object.keys(disk).filter((path) => path.startsWith(STATE) && disk[path] === "new").join(), "/item")
      assert.match(yield* refusal(files, first.undo?.id), /^AlreadyUndone/)
      const near = yield* made("b.md")
      delete disk["/home/docs/b.md"]
      assert.match(yield* refusal(files, near.undo?.id), /^ChangedSince: .*b\.md is not there any more$/)
      // What was there before, and cannot be read as text, is not what the call made.
      for (
        const kept of [made("/home/there"), made("/home/c.md", TARGET), made("/home/d.md", { ...TARGET, file: true })]
      ) {
        assert.isFalse((yield* kept).undo?.possible)
      }
    }).pipe(Effect.provide(layer(disk)))
  })

  it.effect("makes the call all the same when the target cannot be read, or not within 10 seconds", () =>
    Effect.gen(function*() {
      const down = new McpErrors.McpError({ server: "files", reason: new McpErrors.NotRunning({ state: "stopped" }) })
      for (const read of [() => Effect.fail(down), () => Effect.never]) {
        const files = server({ "/a": "one" }, { read_text_file: read })
        const fiber = yield* Effect.forkChild(write(files, { path: "/a", content: "two" }))
        yield* TestClock.adjust("30 seconds")
        const { result, undo } = yield* Fiber.join(fiber)
        assert.strictEqual(result.text, "written")
        assert.isFalse(undo?.possible)
        assert.strictEqual(files.texts["/a"], "two")
      }
    }).pipe(Effect.provide(layer({}))))

  it.effect("shows what a call would write over, where it is not too long", () =>
    Effect.gen(function*() {
      const files = server({ "/a": "one", "/long": "x".repeat(64_001) })
      const needs = { call: files.call, store: yield* UndoStore, made: yield* MadeFiles.make }
      const { before } = ServerTarget.targeted(files.tool, TARGET, needs)
      assert.strictEqual(yield* before?.({ path: "/a", content: "" }) ?? Effect.succeed("none"), "one")
      for (const args of [{ path: "/long" }, { path: "/none" }, {}]) {
        assert.isNull(yield* before?.(args) ?? Effect.succeed("none"))
      }
      assert.deepStrictEqual(files.called.filter((name) => name !== "read_text_file"), [])
    }).pipe(Effect.provide(layer({}))))
})
