import { Credentials } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Keychain from "../../src/credentials/Keychain.ts"
import { NodeCredentials } from "../../src/index.ts"

/** A keychain in memory that can be locked. */
const scripted = () => {
  const state = { text: null as string | null, isLocked: false, reads: 0 }
  const unlocked = <A>(effect: Effect.Effect<A>) =>
    Effect.suspend(() => state.isLocked ? Effect.fail(new Keychain.KeychainFailed({ detail: "locked" })) : effect)
  const keychain: Keychain.Keychain = {
    read: unlocked(Effect.sync(() => {
      state.reads += 1
      return state.text
    })),
    write: (text) => unlocked(Effect.sync(() => void (state.text = text)))
  }
  return { state, keychain }
}

/** One file, as far as writing it safely takes. */
const disk = () => {
  const files = new Map<string, string>()
  const missing = (path: string) =>
    PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "read", pathOrDescriptor: path })
  const read = (path: string) =>
    Effect.suspend(() => {
      const text = files.get(path)
      return text === undefined ? Effect.fail(missing(path)) : Effect.succeed(text)
    })
  const fs = FileSystem.layerNoop({
    readFileString: read,
    writeFileString: (path, text) => Effect.sync(() => void files.set(path, text)),
    makeDirectory: () => Effect.void,
    link: (from, to) => Effect.map(read(from), (text) => void files.set(to, text)),
    remove: (path) => Effect.asVoid(files.delete(path) ? Effect.void : Effect.fail(missing(path))),
    rename: (from, to) =>
      Effect.map(read(from), (text) => {
        files.delete(from)
        files.set(to, text)
      })
  })
  return { files, layer: Layer.merge(fs, Path.layer) }
}

const FILE = "/state/credentials.json"
const KEY = { server: "web", url: "https://mcp.example/mcp" }

const credential = {
  issuer: "https://auth.example",
  client: null,
  tokens: { access: Redacted.make("canary-access"), type: "Bearer", refresh: null, scopes: [], expiresAt: null },
  wanted: []
}

const keep = Credentials.use((store) => store.change(KEY, () => Effect.succeed({ keep: credential, give: null })))
const access = Credentials.use((store) =>
  Effect.map(store.read(KEY), (kept) => {
    const tokens = kept?.tokens ?? null
    return tokens === null ? null : Redacted.value(tokens.access)
  })
)

const world = () => {
  const { files, layer } = disk()
  const { keychain, state } = scripted()
  const program = (use: Keychain.Options["use"], secret?: string) =>
    Layer.fresh(
      NodeCredentials.layer({
        file: FILE,
        use,
        keychain,
        ...secret === undefined ? {} : { secret: Redacted.make(secret) }
      })
    ).pipe(Layer.provide(layer))
  return { files, state, program }
}

describe("Tokens and the keychain", () => {
  it.effect("are of no use in the file alone, and read by the next program with the same keychain", () =>
    Effect.gen(function*() {
      const { files, program, state } = world()
      yield* Effect.provide(keep, program("auto"))
      assert.notInclude(files.get(FILE) ?? "canary-access", "canary-access")
      assert.isNotNull(state.text)
      assert.strictEqual(yield* Effect.provide(access, program("auto")), "canary-access")
      state.text = null
      const error = yield* Effect.flip(Effect.provide(access, program("auto")))
      assert.include(error.message, "cannot be opened")
    }))

  it.effect("are sealed by a secret that programs share, whatever their keychains and settings, and by no other secret", () =>
    Effect.gen(function*() {
      const { files, program, state } = world()
      state.isLocked = true
      yield* Effect.provide(keep, program("file", "one"))
      assert.notInclude(files.get(FILE) ?? "canary-access", "canary-access")
      assert.strictEqual(yield* Effect.provide(access, program("auto", "one")), "canary-access")
      const error = yield* Effect.flip(Effect.provide(access, program("auto", "another")))
      assert.include(error.message, "cannot be opened")
    }))

  it.effect("are kept in the file where no keychain can be used, unless the setting forbids it", () =>
    Effect.gen(function*() {
      const { files, program, state } = world()
      state.isLocked = true
      const refused = yield* Effect.flip(Effect.provide(keep, program("keychain")))
      assert.include(refused.message, "nothing else may keep tokens")
      assert.isUndefined(files.get(FILE))
      yield* Effect.provide(keep, program("auto"))
      assert.strictEqual(yield* Effect.provide(access, program("auto")), "canary-access")
    }))

  it.effect("are sealed again when the keychain is back, and opened by a program that seals nothing", () =>
    Effect.gen(function*() {
      const { files, program, state } = world()
      yield* Effect.provide(keep, program("file"))
      assert.include(files.get(FILE), "canary-access")
      assert.isNull(state.text)
      yield* Effect.provide(keep, program("auto"))
      assert.notInclude(files.get(FILE), "canary-access")
      assert.strictEqual(yield* Effect.provide(access, program("file")), "canary-access")
    }))

  it.effect("are of no use in another server's place", () =>
    Effect.gen(function*() {
      const { files, program } = world()
      yield* Effect.provide(keep, program("auto"))
      files.set(FILE, (files.get(FILE) ?? "").replace(KEY.url, "https://evil.example/mcp"))
      const moved = Credentials.use((store) => store.read({ server: "web", url: "https://evil.example/mcp" }))
      assert.include((yield* Effect.flip(Effect.provide(moved, program("auto")))).message, "cannot be opened")
    }))

  it.effect("are opened with the key that another program has put into the keychain meanwhile", () =>
    Effect.gen(function*() {
      const { files, program, state } = world()
      yield* Effect.gen(function*() {
        yield* keep
        state.text = null
        files.clear()
        yield* Effect.provide(keep, program("auto"))
        assert.strictEqual(yield* access, "canary-access")
      }).pipe(Effect.provide(program("auto")))
    }))

  it.effect("can be forgotten without being opened, and only where there are any", () =>
    Effect.gen(function*() {
      const { files, program, state } = world()
      const remove = Credentials.use((store) => store.remove(KEY))
      yield* Effect.provide(keep, program("auto"))
      state.isLocked = true
      assert.isNull(yield* Effect.provide(remove, program("auto")))
      assert.notInclude(files.get(FILE), KEY.url)
      assert.include((yield* Effect.flip(Effect.provide(remove, program("auto")))).message, "nobody is signed in")
    }))

  it.effect("ask the keychain for nothing before a server needs it, and then once", () =>
    Effect.gen(function*() {
      const { program, state } = world()
      yield* Effect.gen(function*() {
        assert.isNull(yield* access)
        assert.strictEqual(state.reads, 0)
        yield* keep
        const { reads } = state
        yield* keep
        yield* access
        assert.strictEqual(state.reads, reads)
      }).pipe(Effect.provide(program("auto")))
    }))
})
