import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Announcement from "../src/Announcement.ts"
import { DataFolder } from "../src/DataFolder.ts"
import { Instance } from "../src/Instance.ts"

const missing = (path: string) =>
  PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "open", pathOrDescriptor: path })

const refused = (path: string) =>
  PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "open", pathOrDescriptor: path })

interface Disk {
  readonly texts: Map<string, string>
  readonly modes: Map<string, number>
  /** What a name leads to; every other name leads to itself if its folder is known. */
  readonly names: Readonly<Record<string, string>>
  readonly isReadOnly?: boolean
}

const files = ({ isReadOnly, modes, names, texts }: Disk) => {
  const text = (path: string) => Effect.fromNullishOr(texts.get(path)).pipe(Effect.mapError(() => missing(path)))
  return FileSystem.layerNoop({
    realPath: (path) => Effect.fromNullishOr(names[path]).pipe(Effect.mapError(() => missing(path))),
    makeDirectory: (path, options) =>
      isReadOnly ? Effect.fail(refused(path)) : Effect.sync(() => void modes.set(path, options?.mode ?? 0)),
    writeFileString: (path, value, options) =>
      Effect.suspend(() => {
        if (texts.has(path) && options?.flag === "wx") return Effect.fail(refused(path))
        texts.set(path, value)
        modes.set(path, options?.mode ?? 0)
        return Effect.void
      }),
    rename: (from, to) =>
      Effect.map(text(from), (value) => {
        texts.delete(from)
        texts.set(to, value)
        modes.set(to, modes.get(from) ?? 0)
      }),
    remove: (path) => Effect.asVoid(Effect.andThen(text(path), Effect.sync(() => texts.delete(path)))),
    readFileString: text
  })
}

const folder = (fields: Partial<typeof DataFolder.Service> = {}) =>
  Layer.succeed(DataFolder, {
    folder: "/data",
    dataFile: "/data/mcp.json",
    isNamed: true,
    configFile: null,
    agentsFile: "/data/AGENTS.md",
    settingsFile: "/data/settings.json",
    envFile: "/data/.env",
    workspace: "/data/workspace",
    state: "/state",
    ...fields
  })

const disk = (fields: Partial<Disk> = {}): Disk => ({
  texts: new Map(),
  modes: new Map(),
  names: { "/data/mcp.json": "/data/mcp.json" },
  ...fields
})

const listening = (address: string, port = 4266) =>
  Layer.succeed(
    HttpServer.HttpServer,
    HttpServer.make({
      serve: () => Effect.void,
      address: NetAddress.inetAddressUnsafe(NetAddress.ipFromStringUnsafe(address), port)
    })
  )

const layerOn = (place: Disk, address = "127.0.0.1") =>
  Announcement.layer.pipe(
    Layer.provide([folder(), listening(address), Instance.layer]),
    Layer.provide([files(place), Path.layer])
  )

const announced = (place: Disk) => {
  const [entry, ...others] = place.texts
  assert.isEmpty(others)
  assert.isDefined(entry)
  const [name, text] = entry ?? ["", ""]
  return { name, mode: place.modes.get(name), ...Schema.decodeSync(Announcement.AnnouncementText)(text) }
}

const fileOf = (place: Disk, fields: Partial<typeof DataFolder.Service> = {}) =>
  Effect.provide(Announcement.file, [folder(fields), files(place), Path.layer])

describe("Announcement", () => {
  it.effect("says where the server is in a file that only its owner can read, until the scope closes", () =>
    Effect.gen(function*() {
      const place = disk()
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Layer.build(layerOn(place))
        const { mode, name, secret, servers, url } = announced(place)
        assert.match(name, /^\/state\/running\/[0-9a-f]{32}\.json$/)
        assert.strictEqual(mode, 0o600)
        assert.strictEqual(place.modes.get("/state/running"), 0o700)
        assert.strictEqual(url, "http://127.0.0.1:4266")
        assert.strictEqual(servers, "/data/mcp.json")
        assert.isAtLeast(Redacted.value(secret).length, 64)
        assert.strictEqual(yield* fileOf(place), name)
      }))
      assert.isEmpty(place.texts)
    }))

  for (
    const [address, url] of [
      ["0.0.0.0", "http://127.0.0.1:4266"],
      ["::", "http://[::1]:4266"],
      ["192.168.1.5", "http://192.168.1.5:4266"]
    ] as const
  ) {
    it.effect(`names an address that can be reached when the server listens on ${address}`, () =>
      Effect.gen(function*() {
        const place = disk()
        yield* Layer.build(layerOn(place, address))
        assert.strictEqual(announced(place).url, url)
      }))
  }

  it.effect("leaves the announcement of a later server of the same folder alone", () =>
    Effect.gen(function*() {
      const place = disk()
      const first = yield* Scope.make()
      yield* Layer.buildWithScope(layerOn(place), first)
      yield* Layer.build(layerOn(place, "127.0.0.2"))
      yield* Scope.close(first, Exit.void)
      assert.strictEqual(announced(place).url, "http://127.0.0.2:4266")
    }))

  it.effect("is the same file for every name of the same servers, and another for others", () =>
    Effect.gen(function*() {
      const place = disk({
        names: {
          "/data/mcp.json": "/real/mcp.json",
          "/other/mcp.json": "/real/mcp.json",
          "/empty": "/empty",
          "/e": "/empty"
        }
      })
      const one = yield* fileOf(place)
      assert.strictEqual(yield* fileOf(place, { dataFile: "/other/mcp.json" }), one)
      assert.strictEqual(yield* fileOf(place, { dataFile: "/x/mcp.json", configFile: "/data/mcp.json" }), one)
      assert.notStrictEqual(yield* fileOf(place, { configFile: "/x/mcp.json" }), one)
      // A file that is not there yet is told apart by its folder.
      const absent = yield* fileOf(place, { dataFile: "/empty/mcp.json" })
      assert.strictEqual(yield* fileOf(place, { dataFile: "/e/mcp.json" }), absent)
      assert.notStrictEqual(absent, one)
    }))

  it.effect("lets the server start where nothing can be written", () =>
    Effect.gen(function*() {
      const place = disk({ isReadOnly: true })
      yield* Layer.build(layerOn(place))
      assert.isEmpty(place.texts)
    }))
})
