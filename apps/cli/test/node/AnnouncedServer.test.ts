import { AnnouncementText, files } from "@boocode/chat-server/Announcement"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { proof } from "@boocode/chat-server/InstanceSecret"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"
import * as RemoteClient from "../../src/backend/RemoteClient.ts"
import * as AnnouncedServer from "../../src/node/AnnouncedServer.ts"

const URL = "http://127.0.0.1:4266"
const SECRET = Redacted.make("the secret of the announced server")
const ME = 1000
const PLACE = { dataDir: "/data", configFile: null, isNamed: true }

const TEXT = Schema.encodeSync(AnnouncementText)({
  url: URL,
  pid: 4711,
  started: "2026-11-21T00:00:00.000Z",
  servers: "/data/mcp.json",
  secret: SECRET
})

interface File {
  readonly text: string
  readonly uid: number
  readonly mode: number
  readonly type: FileSystem.File.Type
}

const GOOD: File = { text: TEXT, uid: ME, mode: 0o100600, type: "File" }

const KEY = createHash("sha256").update("/data/mcp.json").digest("hex").slice(0, 32)

/** The files of these servers in the state folder, and one of another data folder. */
const disk = (found: ReadonlyArray<File>) =>
  FileSystem.layerNoop({
    realPath: Effect.succeed,
    readDirectory: () =>
      Effect.succeed([...found.map((_, index) => `${KEY}-${index}.json`), `${KEY.slice(1)}0-0.json`]),
    open: (path) => {
      const one = found[Number(/-(\d+)\.json$/.exec(path)?.[1])]
      return one === undefined ? Effect.fail(missing(path)) : Effect.succeed(opened(one))
    }
  })

const missing = (path: string) =>
  PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "open", pathOrDescriptor: path })

const opened = ({ mode, text, type, uid }: File): FileSystem.File => {
  const unused = Effect.die("unused")
  return {
    "~effect/FileSystem/File": "~effect/FileSystem/File",
    stat: Effect.succeed({
      type,
      mode,
      uid: Option.some(uid),
      mtime: Option.none(),
      atime: Option.none(),
      birthtime: Option.none(),
      dev: BigInt(0),
      ino: Option.none(),
      nlink: Option.none(),
      gid: Option.none(),
      rdev: Option.none(),
      size: ByteSize.bytes(text.length),
      blksize: Option.none(),
      blocks: Option.none()
    }),
    seek: () => unused,
    sync: unused,
    read: () => unused,
    readAlloc: (size) => Effect.succeed(Option.some(new TextEncoder().encode(text).slice(0, size))),
    truncate: () => unused,
    write: () => unused,
    writeAll: () => unused
  }
}

/** Something that answers to the question for a proof. */
const answering = (proofOf: (nonce: string) => Effect.Effect<Schema.Json>) => (url: string) =>
  RemoteClient.layer(url).pipe(Layer.provide(Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, asked) =>
      Effect.map(proofOf(asked.searchParams.get("nonce") ?? ""), (proof) => {
        const servers = { ready: 0, failed: 0, connecting: 0 }
        return HttpClientResponse.fromWeb(request, Response.json({ status: "ok", ready: true, servers, proof }))
      })
    )
  )))

const server = answering((nonce) => Effect.succeed(proof(SECRET, nonce)))

const find = (found: File | ReadonlyArray<File> | null, seeker: Partial<AnnouncedServer.Seeker> = {}) =>
  AnnouncedServer.find(PLACE, { user: ME, proofOf: RemoteClient.proofBy(server), ...seeker }).pipe(
    Effect.provide([
      disk(found === null ? [] : [found].flat()),
      Path.layer,
      Environment.layer({ HOME: "/home/ada", BOOCODE_STATE_DIR: "/state" })
    ]),
    Effect.map((found) => found?.url ?? null)
  )

describe("the running server of a data folder", () => {
  it.effect("is found by its announcement", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* find(GOOD), URL)
      assert.strictEqual(yield* find(null), null)
    }))

  it.effect("is the one that began first of several, and those that are gone are passed over", () =>
    Effect.gen(function*() {
      const of = (url: string, started: string) => ({
        ...GOOD,
        text: TEXT.replace(URL, url).replace("2026-11-21", started)
      })
      const several = [
        of("http://127.0.0.1:3", "2026-11-23"),
        of(URL, "2026-11-22"),
        of("http://127.0.0.1:1", "2026-11-01")
      ]
      const remote = (url: string) => url.endsWith(":1") ? answering(() => Effect.succeed(null))(url) : server(url)
      assert.strictEqual(yield* find(several, { proofOf: RemoteClient.proofBy(remote) }), URL)
      assert.strictEqual(yield* find([{ ...GOOD, text: "{" }, GOOD]), URL)
    }))

  it.effect("is announced where the command looks, however the folder is named", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const state = FileSystem.layerNoop({
        realPath: () => Effect.succeed("/data"),
        readDirectory: () => Effect.succeed([`${KEY}-0.json`]),
        open: (path) => Effect.andThen(Effect.sync(() => asked.push(path)), Effect.fail(missing(path)))
      })
      const around = Layer.mergeAll(
        state,
        Path.layer,
        Environment.layer({ HOME: "/home/ada", BOOCODE_STATE_DIR: "/state" })
      )
      for (
        const place of [PLACE, { ...PLACE, dataDir: "/link" }, {
          ...PLACE,
          dataDir: null,
          configFile: "/else/mcp.json"
        }]
      ) {
        yield* Effect.provide(
          AnnouncedServer.find(place, { user: ME, proofOf: RemoteClient.proofBy(server) }),
          around
        )
      }
      const [announced] = yield* files.pipe(
        Effect.provide(
          DataFolder.layer({ dataDir: "/data", configFile: null }).pipe(
            Layer.provideMerge(around)
          )
        )
      )
      assert.deepStrictEqual(asked, [announced, announced, announced])
    }))

  it.effect("is not believed when somebody else may have written the announcement", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* find({ ...GOOD, uid: 1001 }), null)
      assert.strictEqual(yield* find({ ...GOOD, uid: 0 }), null)
      assert.strictEqual(yield* find({ ...GOOD, mode: 0o100620 }), null)
      assert.strictEqual(yield* find({ ...GOOD, mode: 0o100602 }), null)
      assert.strictEqual(yield* find({ ...GOOD, type: "FIFO" }), null)
      // A system without user ids has no such modes either.
      assert.strictEqual(yield* find({ ...GOOD, uid: 0, mode: 0o100666 }, { user: null }), URL)
    }))

  it.effect("is none when what answers there does not know the secret, whatever else it knows", () =>
    Effect.gen(function*() {
      const other = Redacted.make("the secret of another one")
      for (const wrong of [proof(other, "nonce"), "", null]) {
        assert.strictEqual(
          yield* find(GOOD, { proofOf: RemoteClient.proofBy(answering(() => Effect.succeed(wrong))) }),
          null
        )
      }
      // The answers of the announced server are of no use to another program that has its port now.
      const replayed = proof(SECRET, "a nonce of yesterday")
      assert.strictEqual(
        yield* find(GOOD, { proofOf: RemoteClient.proofBy(answering(() => Effect.succeed(replayed))) }),
        null
      )
    }))

  it.effect("is none when nobody answers within 15 seconds", () =>
    Effect.gen(function*() {
      const finding = yield* Effect.forkChild(
        find(GOOD, { proofOf: RemoteClient.proofBy(answering(() => Effect.never)) })
      )
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(finding), null)
    }))

  it.effect("is none when the announcement is no announcement", () =>
    Effect.gen(function*() {
      for (const text of ["", "{", "{}", "null", TEXT.slice(0, -5), "x".repeat(100_000)]) {
        assert.strictEqual(yield* find({ ...GOOD, text }), null)
      }
    }))
})
