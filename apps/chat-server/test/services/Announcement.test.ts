import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as NetAddress from "effect/net/NetAddress"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { InstanceSecret, proof } from "../../src/access/InstanceSecret.ts"
import * as Announcement from "../../src/services/Announcement.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"

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
    readDirectory: (path) =>
      Effect.sync(() =>
        [...texts.keys()].filter((name) => name.startsWith(`${path}/`)).map((name) => name.slice(path.length + 1))
      ),
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
  names: { "/data": "/data" },
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

/** Servers that answer, by address, each with the secret that it knows. */
type Network = Map<string, Redacted.Redacted<string>>

const network = (there: Network) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) => {
      const secret = there.get(url.origin)
      const nonce = url.searchParams.get("nonce") ?? ""
      return secret === undefined
        ? Effect.never
        : Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ proof: proof(secret, nonce) })))
    })
  )

const layerOn = (place: Disk, address = "127.0.0.1", there: Network = new Map(), own = folder()) => {
  const live = Layer.effectDiscard(
    Effect.map(InstanceSecret, ({ secret }) => void there.set(`http://${address}:4266`, secret))
  )
  return Layer.merge(live, Announcement.layer).pipe(
    Layer.provide([own, listening(address), network(there), Layer.fresh(InstanceSecret.layer)]),
    Layer.provide([files(place), Path.layer])
  )
}

/** What is logged meanwhile. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    yield* Effect.provide(effect, Logger.layer([logger]))
    return lines
  })

const urls = (place: Disk) =>
  [...place.texts.values()].map((text) => Schema.decodeSync(Announcement.AnnouncementText)(text).url)

const announced = (place: Disk) => {
  const [entry, ...others] = place.texts
  assert.isEmpty(others)
  assert.isDefined(entry)
  const [name, text] = entry ?? ["", ""]
  return { name, mode: place.modes.get(name), ...Schema.decodeSync(Announcement.AnnouncementText)(text) }
}

const filesOf = (place: Disk, fields: Partial<typeof DataFolder.Service> = {}) =>
  Effect.provide(Announcement.files, [folder(fields), files(place), Path.layer])

describe("Announcement", () => {
  it.effect("says where the server is in a file that only its owner can read, until the scope closes", () =>
    Effect.gen(function*() {
      const place = disk()
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Layer.build(layerOn(place))
        const { mode, name, secret, servers, url } = announced(place)
        assert.match(name, /^\/state\/running\/[0-9a-f]{32}-[0-9a-f]{16}\.json$/)
        assert.strictEqual(mode, 0o600)
        assert.strictEqual(place.modes.get("/state/running"), 0o700)
        assert.strictEqual(url, "http://127.0.0.1:4266")
        assert.strictEqual(servers, "/data/mcp.json")
        assert.isAtLeast(Redacted.value(secret).length, 64)
        assert.deepStrictEqual(yield* filesOf(place), [name])
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

  it.effect("stands beside that of another server of the same folder, which is warned of, and each takes its own away", () =>
    Effect.gen(function*() {
      const place = disk()
      const there: Network = new Map()
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      assert.isEmpty(yield* logged(Layer.buildWithScope(layerOn(place, "127.0.0.1", there), first)))
      assert.deepStrictEqual(yield* logged(Layer.buildWithScope(layerOn(place, "127.0.0.2", there), second)), [
        "another BooCode serves this folder at http://127.0.0.1:4266"
      ])
      assert.sameMembers(urls(place), ["http://127.0.0.1:4266", "http://127.0.0.2:4266"])
      yield* Scope.close(second, Exit.void)
      assert.deepStrictEqual(urls(place), ["http://127.0.0.1:4266"])
      yield* Scope.close(first, Exit.void)
      assert.isEmpty(place.texts)
    }))

  it.effect("clears away what a killed server left, and leaves that of one that is only silent", () =>
    Effect.gen(function*() {
      const place = disk()
      yield* Layer.build(layerOn(place, "127.0.0.1"))
      const [entry] = place.texts
      assert.isDefined(entry)
      const [name, text] = entry ?? ["", ""]
      // Larger than any number of a process.
      const dead = text.replace(/"pid":\d+/, "\"pid\":1073741824").replace("127.0.0.1", "127.0.0.9")
      place.texts.set(name.replace(/-.*/, "-0000000000000000.json"), dead)
      const start = yield* Effect.forkChild(logged(Layer.build(layerOn(place, "127.0.0.2"))))
      yield* TestClock.adjust("2 seconds")
      assert.isEmpty(yield* Fiber.join(start))
      assert.sameMembers(urls(place), ["http://127.0.0.1:4266", "http://127.0.0.2:4266"])
    }))

  it.effect("is found by every name of the data folder, whatever its file leads to meanwhile, and by no other", () =>
    Effect.gen(function*() {
      const place = disk({
        names: { "/data": "/real", "/other": "/real", "/data/mcp.json": "/elsewhere/servers.json" }
      })
      yield* Layer.build(layerOn(place))
      const { name } = announced(place)
      assert.deepStrictEqual(yield* filesOf(place, { dataFile: "/other/mcp.json" }), [name])
      assert.deepStrictEqual(yield* filesOf(place, { dataFile: "/x/mcp.json", configFile: "/data/mcp.json" }), [name])
      const replaced = { ...place, names: { "/data": "/real", "/data/mcp.json": "/new/servers.json" } }
      assert.deepStrictEqual(yield* filesOf(replaced), [name])
      assert.isEmpty(yield* filesOf(place, { configFile: "/data/b.json" }))
      assert.isEmpty(yield* filesOf(place, { configFile: "/x/mcp.json" }))
    }))

  it.effect("lets the server start where nothing can be written", () =>
    Effect.gen(function*() {
      const place = disk({ isReadOnly: true })
      yield* Layer.build(layerOn(place))
      assert.isEmpty(place.texts)
    }))
})
