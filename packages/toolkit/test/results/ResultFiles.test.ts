import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { isHandle, ResultFiles } from "../../src/index.ts"
import { FOLDER, MemoryFiles } from "../support/MemoryFiles.ts"

const using = <A>(disk: MemoryFiles, run: (files: ResultFiles["Service"]) => Effect.Effect<A>) =>
  ResultFiles.use(run).pipe(Effect.provide(disk.layer))

describe("ResultFiles", () => {
  it.effect("gives back what it kept, across starts (R35)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const handle = yield* using(disk, (files) => files.write("long text 😀"))
      assert.isNotNull(handle)
      assert.strictEqual(yield* using(disk, (files) => files.read(handle ?? "")), "long text 😀")
    }))

  it.effect("names each file so that it cannot be guessed, for its owner alone", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const handles = yield* using(disk, (files) => Effect.all([files.write("a"), files.write("a")]))
      assert.notStrictEqual(handles[0], handles[1])
      assert.isTrue(handles.every((handle) => handle !== null && isHandle(handle)))
      assert.deepStrictEqual([...disk.files.values()].map(({ mode }) => mode), [0o600, 0o600])
    }))

  it.effect("refuses everything that is not a handle before any file is touched", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const handle = (yield* using(disk, (files) => files.write("secret"))) ?? ""
      const names = ["", ".", "..", "../mcp.json", `${FOLDER}/${handle}`, `../results/${handle}`, `${handle}/`]
      const hostile = [...names, `..\\${handle}`, `${handle}\n`, `${handle}\u0000`, "toString", handle.toUpperCase()]
      const read = yield* using(disk, (files) => Effect.forEach(hostile, files.read))
      assert.isTrue(read.every((text) => text === null))
      // The only look is the one for old files at each start.
      assert.deepStrictEqual(new Set(disk.touched), new Set([`${FOLDER}/${handle}`]))
    }))

  it.effect("answers null for a handle whose file is gone", () =>
    Effect.gen(function*() {
      const gone = "result-00000000-0000-4000-8000-000000000000"
      assert.isNull(yield* using(new MemoryFiles(), (files) => files.read(gone)))
    }))

  it.effect("says how many bytes there are when they are no text", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const text = yield* using(disk, (files) =>
        Effect.flatMap(files.write(new Uint8Array([0xff, 0xfe, 0x00])), (handle) => files.read(handle ?? "")))
      assert.strictEqual(text, "(3 bytes that are not text)")
    }))

  it.effect("gives back bytes as they were, and none for what is not a handle", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const given = new Uint8Array([0xff, 0xfe, 0x00])
      const found = yield* using(disk, (files) =>
        Effect.flatMap(files.write(given), (handle) =>
          Effect.all([files.bytes(handle ?? ""), files.bytes(`../results/${handle}`)])))
      assert.deepStrictEqual(found, [given, null])
    }))

  it.effect("removes files of more than 7 days at the next start, and no younger ones", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const old = yield* using(disk, (files) => files.write("old"))
      yield* TestClock.adjust("2 days")
      const young = yield* using(disk, (files) => files.write("young"))
      yield* TestClock.adjust("5 days")
      assert.strictEqual(yield* using(disk, (files) => files.read(old ?? "")), "old")
      yield* TestClock.adjust("1 millis")
      const left = yield* using(disk, (files) => Effect.forEach([old ?? "", young ?? ""], files.read))
      assert.deepStrictEqual(left, [null, "young"])
    }))

  it.effect("leaves alone what it did not write", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      disk.files.set(`${FOLDER}/notes.txt`, { bytes: new Uint8Array(), mode: undefined, writtenAt: 0 })
      yield* TestClock.adjust("30 days")
      yield* using(disk, () => Effect.void)
      assert.strictEqual(disk.files.size, 1)
    }))

  it.effect("keeps a text of many requests under one handle, for 7 days since the last of them", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const keep = (text: string) => using(disk, (files) => files.keep(text))
      const first = yield* keep("a long text")
      assert.isTrue(isHandle(first ?? ""))
      assert.notStrictEqual(yield* keep("another"), first)
      yield* TestClock.adjust("5 days")
      assert.strictEqual(yield* keep("a long text"), first)
      yield* TestClock.adjust("5 days")
      assert.strictEqual(yield* using(disk, (files) => files.read(first ?? "")), "a long text")
      assert.deepStrictEqual(disk.texts, ["a long text"])
    }))

  it.effect("writes a text again that an end of the program cut off", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const handle = (yield* using(disk, (files) => files.keep("a long text"))) ?? assert.fail("not kept")
      disk.files.set(`${FOLDER}/${handle}`, { bytes: new Uint8Array(3), mode: 0o600, writtenAt: 0 })
      assert.strictEqual(yield* using(disk, (files) => files.keep("a long text")), handle)
      assert.deepStrictEqual(disk.texts, ["a long text"])
    }))

  it.effect("answers null when the disk is full", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      disk.full = true
      assert.isNull(yield* using(disk, (files) => files.write("text")))
      assert.isNull(yield* using(disk, (files) => files.keep("text")))
    }))

  it.effect("removes old files every day, however long the program runs", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const files = yield* Layer.build(disk.layer)
      yield* Effect.provideContext(ResultFiles.use(({ write }) => write("first")), files)
      yield* TestClock.adjust("3 days")
      yield* Effect.provideContext(ResultFiles.use(({ write }) => write("second")), files)
      yield* TestClock.adjust("4 days")
      assert.deepStrictEqual(disk.texts, ["first", "second"])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(disk.texts, ["second"])
      yield* TestClock.adjust("3 days")
      assert.deepStrictEqual(disk.texts, [])
    }))

  it.effect("follows no link that has the name of a handle (R35)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const handle = yield* using(disk, (files) => files.write("elsewhere"))
      disk.links.set(`${FOLDER}/${handle}`, "/data/mcp.json")
      assert.isNull(yield* using(disk, (files) => files.read(handle ?? "")))
    }))
})
