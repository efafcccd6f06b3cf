import { ChatStore, SqlChatStore } from "@boocode/chat"
import { FIRST } from "@boocode/chat/CurrentUser"
import { Environment } from "@boocode/mcp-config"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { packTar, type TarEntry } from "modern-tar"
import { createHash, randomUUID } from "node:crypto"
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import * as StoreSuite from "../../../../packages/chat/test/support/StoreSuite.ts"
import * as Backup from "../../src/backup/Backup.ts"
import * as BackupItems from "../../src/backup/BackupItems.ts"
import * as Restore from "../../src/backup/Restore.ts"
import * as RestoreJournal from "../../src/backup/RestoreJournal.ts"
import * as FileLock from "../../src/database/FileLock.ts"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-backup-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const put = (folder: string, files: Readonly<Record<string, string | Uint8Array>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** Every file below, with a hash of what is in it. */
const tree = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile())
      .sort().map((name) => [name, createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")])
  )

/** A machine: its data folder is `data`, its state folder `state`. */
const on = (folder: string, variables: Readonly<Record<string, string>> = {}) =>
  DataFolder.layer({ dataDir: join(folder, "data"), configFile: null }).pipe(
    Layer.provideMerge(Environment.layer({ BOOCODE_STATE_DIR: join(folder, "state"), ...variables })),
    Layer.provideMerge(NodeServices.layer),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.orDie
  )

const chats = (folder: string) => {
  const file = join(folder, "state", "chats.sqlite")
  return Layer.provideMerge(SqlChatStore.layer(file), NodeSqlite.layer(file))
}

const titles = (folder: string) =>
  Effect.map(ChatStore.use(({ list }) => list(FIRST.id)), (all) => all.map(({ title }) => title).sort()).pipe(
    Effect.provide(chats(folder), { local: true })
  )

const FILES = {
  "data/mcp.json": `{"mcpServers":{}}`,
  "data/settings.json": "{}",
  "data/AGENTS.md": "---\nname: A\n---\nHello",
  "data/agents/reader.md": "---\n---\nReads",
  "data/permissions.jsonc": `{"rules":[]}`,
  "data/mcp.lock.json": "{}",
  "data/.env": "OPENAI_API_KEY=secret-in-env",
  "data/workspace/deep/file with ünïcode.txt": "work",
  "state/approvals.json": "{}",
  "state/credentials.json": `{"token":"secret-token"}`,
  "state/pins/a.json": "{}",
  "state/history": "typed\n"
}

/** Two chats, and a file for each item. */
const home = Effect.gen(function*() {
  const folder = yield* temporary
  put(folder, FILES)
  yield* Effect.provide(
    Effect.flatMap(
      ChatStore,
      (store) => Effect.forEach(["one", "two"], (title) => store.put(StoreSuite.record(title, { title })))
    ),
    chats(folder),
    { local: true }
  )
  return folder
})

const PASSPHRASE = Redacted.make("correct horse")

const backup = (folder: string, options: Partial<Backup.Options> = {}) => {
  const file = join(folder, `${randomUUID()}.tar.gz`)
  return Effect.as(
    Backup.write({ file, hasWorkspace: true, passphrase: null, ...options }).pipe(Effect.provide(on(folder))),
    file
  )
}

const restore = (folder: string, archive: string, options: Partial<Restore.Options> = {}) =>
  Restore.run({ archive, passphrase: Effect.succeed(null), confirm: () => Effect.succeed(true), ...options }).pipe(
    Effect.provide(on(folder))
  )

/** Runs with a disk that refuses one kind of request for some paths. */
const refusing =
  (method: "copy" | "link" | "readDirectory" | "rename", isRefused: (path: string) => boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E, R | FileSystem.FileSystem>) =>
    Effect.flatMap(FileSystem.FileSystem, (fs) => {
      const asked: (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown> = fs[method]
      const answer = (...args: ReadonlyArray<never>) =>
        isRefused(args.at(-1) ?? "")
          ? Effect.fail(PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method }))
          : asked(...args)
      return Effect.provideService(
        effect,
        FileSystem.FileSystem,
        Object.assign(Object.create(fs), { [method]: answer })
      )
    })

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** An archive by hand: what its manifest says, and what is in it. */
const crafted = (named: Readonly<Record<string, string>>, entries: ReadonlyArray<TarEntry>, more: object = {}) =>
  Effect.promise(async () => {
    const manifest = JSON.stringify({
      format: "boocode-backup",
      version: 1,
      createdAt: "2026-01-01T00:00:00.000Z",
      kinds: ["chats", "configuration", "agents", "permissions", "pins", "workspace"],
      files: Object.entries(named).map(([name, text]) => ({ name, bytes: text.length, sha256: sha256(text) })),
      ...more
    })
    const first = { header: { name: "manifest.json", size: manifest.length, type: "file" as const }, body: manifest }
    return gzipSync(await packTar([first, ...entries]))
  })

const entry = (name: string, body: string): TarEntry => ({ header: { name, size: body.length, type: "file" }, body })

describe("Backup", () => {
  it.live("brings everything back on another machine, and what was there is kept beside", () =>
    Effect.gen(function*() {
      const [old, fresh] = [yield* home, yield* temporary]
      // A fleet's own files in its workspace are no work.
      put(old, { "data/workspace/.boocode/bin/deleted.txt": "gone" })
      const archive = yield* backup(old)
      put(fresh, {
        "data/mcp.json": "before",
        "data/agents/other.md": "before",
        "data/.env": "OWN=1",
        "data/own.txt": "x"
      })
      const done = yield* restore(fresh, archive)
      assert.deepStrictEqual(yield* titles(fresh), ["one", "two"])
      for (const [name, text] of Object.entries(FILES)) {
        if (/env$|credentials/.test(name)) continue
        assert.strictEqual(readFileSync(join(fresh, name), "utf8"), text)
      }
      assert.strictEqual(readFileSync(join(fresh, "data/.env"), "utf8"), "OWN=1")
      assert.isFalse(existsSync(join(fresh, "data/agents/other.md")))
      assert.isFalse(existsSync(join(fresh, "data/workspace/.boocode")))
      const [kept = ""] = done?.kept ?? []
      assert.strictEqual(readFileSync(join(kept, "mcp.json"), "utf8"), "before")
      assert.strictEqual(readFileSync(join(kept, "agents/other.md"), "utf8"), "before")
      assert.strictEqual(readFileSync(join(fresh, "data/own.txt"), "utf8"), "x")
      assert.isFalse(existsSync(join(fresh, "state/restore.json")) || existsSync(join(fresh, "data/.restore")))
      const text = readFileSync(archive).toString("latin1")
      assert.strictEqual(statSync(archive).mode & 0o777, 0o600)
      assert.notInclude(text, "secret")
    }).pipe(Effect.scoped), 60_000)

  it.live(
    "is written to a disk without links, and tells which folders could not be read",
    () =>
      Effect.gen(function*() {
        const folder = yield* home
        const file = join(folder, "kept.tar.gz")
        const deep = join(folder, "data/workspace/deep")
        const { skipped } = yield* Backup.write({ file, hasWorkspace: true, passphrase: null }).pipe(
          refusing("link", () => true),
          refusing("readDirectory", (path) => path === deep),
          Effect.provide(on(folder))
        )
        assert.deepStrictEqual(skipped, [deep])
        const fresh = yield* temporary
        yield* restore(fresh, file)
        assert.deepStrictEqual(yield* titles(fresh), ["one", "two"])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "that could not be moved into place says that it is not done, and the next start goes on",
    () =>
      Effect.gen(function*() {
        const [old, fresh] = [yield* home, yield* temporary]
        const archive = yield* backup(old)
        put(fresh, { "data/mcp.json": "before", "data/permissions.jsonc": "before" })
        const failed = yield* Restore.run({
          ...{ archive, passphrase: Effect.succeed(null) },
          confirm: () => Effect.succeed(true)
        }).pipe(
          refusing("rename", (path) => path === join(fresh, "data/permissions.jsonc")),
          Effect.provide(on(fresh)),
          Effect.flip
        )
        assert.strictEqual(failed._tag, "RestoreUnfinished")
        yield* Effect.provide(RestoreJournal.finish, on(fresh))
        assert.strictEqual(readFileSync(join(fresh, "data/permissions.jsonc"), "utf8"), FILES["data/permissions.jsonc"])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live("says that the folder of the archive is not there", () =>
    Effect.gen(function*() {
      const folder = yield* home
      const file = join(folder, "nowhere", "kept.tar.gz")
      const failed = yield* Effect.flip(backup(folder, { file }))
      assert.strictEqual(failed.message, `no backup was written: the folder of ${file} is not there`)
    }).pipe(Effect.scoped), 60_000)

  it.live("asks for the database only once all else is ready", () =>
    Effect.gen(function*() {
      const [old, fresh] = [yield* home, yield* temporary]
      const archive = yield* backup(old)
      const failed = yield* Restore.run({
        ...{ archive, passphrase: Effect.succeed(null) },
        confirm: () => Effect.succeed(true)
      }).pipe(
        refusing("copy", () => true),
        Effect.provide(on(fresh, { DATABASE_URL: "not an address" })),
        Effect.flip
      )
      assert.match(failed.message, /cannot be restored: PermissionDenied: FileSystem.copy/)
    }).pipe(Effect.scoped), 60_000)

  it.live("has credentials only under a passphrase, and none of them without it", () =>
    Effect.gen(function*() {
      const [old, fresh] = [yield* home, yield* temporary]
      const archive = yield* backup(old, { passphrase: PASSPHRASE, hasWorkspace: false })
      put(fresh, { "data/settings.json": "before" })
      const before = tree(fresh)
      const wrong = yield* Effect.flip(
        restore(fresh, archive, { passphrase: Effect.succeed(Redacted.make("wrong")) })
      )
      assert.include(wrong.message, "the passphrase is wrong")
      assert.deepStrictEqual(tree(fresh), before)
      yield* restore(fresh, archive, { passphrase: Effect.succeed(PASSPHRASE) })
      assert.strictEqual(readFileSync(join(fresh, "data/.env"), "utf8"), FILES["data/.env"])
      assert.strictEqual(readFileSync(join(fresh, "state/credentials.json"), "utf8"), FILES["state/credentials.json"])
      assert.isFalse(existsSync(join(fresh, "data/workspace")))
      yield* restore(fresh, archive)
      assert.strictEqual(readFileSync(join(fresh, "data/.env"), "utf8"), FILES["data/.env"])
    }).pipe(Effect.scoped), 60_000)

  it.live("changes nothing while a program uses the chats, or when the person says no", () =>
    Effect.gen(function*() {
      const [old, fresh] = [yield* home, yield* temporary]
      const archive = yield* backup(old)
      put(fresh, { "data/mcp.json": "before" })
      const before = tree(fresh)
      assert.isNull(yield* restore(fresh, archive, { confirm: () => Effect.succeed(false) }))
      assert.deepStrictEqual(tree(fresh), before)
      const lock = join(fresh, "state/chats.sqlite-writers", `${randomUUID()}.lock`)
      mkdirSync(dirname(lock), { recursive: true })
      const held = FileLock.take(lock)
      const refused = yield* Effect.flip(restore(fresh, archive))
      FileLock.release(held, lock)
      assert.strictEqual(refused._tag, "RestoreRefused")
      assert.include(refused.hint, "end boocode serve")
      assert.deepStrictEqual(tree(fresh), before)
      const again = yield* Effect.flip(
        Backup.write({ file: archive, hasWorkspace: false, passphrase: null }).pipe(
          Effect.provide(on(old))
        )
      )
      assert.include(again.message, "is there already")
    }).pipe(Effect.scoped), 60_000)

  it.live("changes nothing for an archive that is damaged, cut off or hostile", () =>
    Effect.gen(function*() {
      const [old, fresh] = [yield* home, yield* temporary]
      const whole = readFileSync(yield* backup(old))
      const flipped = Buffer.from(whole)
      const middle = Math.floor(whole.length / 2)
      flipped[middle] = (flipped[middle] ?? 0) ^ 0xff
      const outside = entry("../../../../tmp/boocode-was-here", "x")
      const link: TarEntry = {
        header: { name: "data/AGENTS.md", size: 0, type: "symlink", linkname: "/etc/passwd" }
      }
      const said = { "data/AGENTS.md": "x" }
      const bomb = "0".repeat(30_000_000)
      const archives: Readonly<Record<string, Uint8Array>> = {
        empty: Buffer.alloc(0),
        text: Buffer.from("no archive at all"),
        cut: whole.subarray(0, whole.length - 200),
        half: whole.subarray(0, whole.length / 2),
        flipped,
        "without a manifest": gzipSync(yield* Effect.promise(() => packTar([entry("data/AGENTS.md", "x")]))),
        "a way out in the manifest": yield* crafted({ "../../x": "x" }, [outside]),
        "a way out inside the workspace": yield* crafted({ "data/workspace/../../../x": "x" }, [outside]),
        "an absolute name": yield* crafted({ "/etc/x": "x" }, [entry("/etc/x", "x")]),
        "a name of Windows": yield* crafted({ "data/workspace/C:x": "x" }, [entry("data/workspace/C:x", "x")]),
        "a file of no item": yield* crafted({ "state/running/x.json": "x" }, [entry("state/running/x.json", "x")]),
        "an entry beside the manifest": yield* crafted({}, [entry("data/AGENTS.md", "x")]),
        "an entry twice": yield* crafted(said, [entry("data/AGENTS.md", "x"), entry("data/AGENTS.md", "x")]),
        "a name twice": yield* crafted({ "data/AGENTS.md": "x", "data/agents/A.md": "x", "data/agents/a.md": "x" }, []),
        "a missing entry": yield* crafted(said, []),
        "a link": yield* crafted(said, [link]),
        "other bytes": yield* crafted(said, [entry("data/AGENTS.md", "y")]),
        "more bytes than said": yield* crafted(said, [entry("data/AGENTS.md", bomb)]),
        "more than the disk has": yield* crafted({}, [], {
          files: [{ name: "data/AGENTS.md", bytes: Number.MAX_SAFE_INTEGER, sha256: sha256("x") }]
        }),
        "a newer version": yield* crafted({}, [], { version: 2 }),
        "chats that are none": yield* crafted({ "state/chats.sqlite": "x" }, [entry("state/chats.sqlite", "x")])
      }
      put(fresh, { "data/AGENTS.md": "before", "state/history": "before" })
      const before = tree(fresh)
      for (const [name, bytes] of Object.entries(archives)) {
        const archive = join(old, "hostile.tar.gz")
        writeFileSync(archive, bytes)
        const error = yield* Effect.flip(restore(fresh, archive))
        assert.strictEqual(error._tag, "RestoreRefused", name)
        assert.deepStrictEqual(tree(fresh), before, name)
      }
      assert.isFalse(existsSync("/tmp/boocode-was-here"))
    }).pipe(Effect.scoped), 120_000)

  it.live("says of an archive that is damaged, whichever way of seeing it comes first", () =>
    Effect.gen(function*() {
      const [old, fresh] = [yield* temporary, yield* temporary]
      const archive = join(old, "hostile.tar.gz")
      const entries = [entry("data/AGENTS.md", "0".repeat(30_000_000))]
      const files = [{ name: "data/AGENTS.md", bytes: 3_000_000, sha256: sha256("x") }]
      writeFileSync(archive, yield* crafted({}, entries, { files }))
      for (let times = 0; times < 6; times++) {
        const error = yield* Effect.flip(restore(fresh, archive))
        assert.match(error.message, /is damaged: (it holds more|data\/AGENTS.md is longer) than it says/)
      }
    }).pipe(Effect.scoped), 60_000)

  it.live(
    "after a kill the next start finishes what was being moved, and undoes what was only read",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporary
        const [state, data] = [join(folder, "state"), join(folder, "data")]
        const step = (name: string, comes = true) => ({
          staged: comes ? join(data, ".restore/data", name) : null,
          target: join(data, name),
          kept: join(data, ".before-restore/t", name)
        })
        const steps = [step("AGENTS.md"), step("settings.json"), step("permissions.jsonc", false)]
        const journal: RestoreJournal.Journal = { state: "moving", folders: [join(data, ".restore")], steps }
        const begun = {
          "data/AGENTS.md": "old",
          "data/permissions.jsonc": "old",
          "data/.restore/data/AGENTS.md": "new",
          "data/.restore/data/settings.json": "new"
        }
        // A kill may come before each of the renamings: those of the steps before are done then.
        const moves = [
          ["data/AGENTS.md", "data/.before-restore/t/AGENTS.md"],
          ["data/.restore/data/AGENTS.md", "data/AGENTS.md"],
          ["data/.restore/data/settings.json", "data/settings.json"],
          ["data/permissions.jsonc", "data/.before-restore/t/permissions.jsonc"]
        ] as const
        for (let done = 0; done <= moves.length; done += 1) {
          rmSync(data, { recursive: true, force: true })
          const files = new Map<string, string>(Object.entries(begun))
          for (const [from, to] of moves.slice(0, done)) {
            files.set(to, files.get(from) ?? "")
            files.delete(from)
          }
          put(folder, { ...Object.fromEntries(files), "state/restore.json": JSON.stringify(journal) })
          yield* Effect.provide(RestoreJournal.finish, on(folder))
          const text = (name: string) => readFileSync(join(folder, name), "utf8")
          assert.deepStrictEqual([text("data/AGENTS.md"), text("data/settings.json")], ["new", "new"])
          assert.deepStrictEqual([
            text("data/.before-restore/t/AGENTS.md"),
            text("data/.before-restore/t/permissions.jsonc")
          ], ["old", "old"])
          assert.isFalse(existsSync(join(data, "permissions.jsonc")) || existsSync(join(data, ".restore")))
          assert.isFalse(existsSync(join(state, "restore.json")))
        }
        put(folder, { ...begun, "state/restore.json": JSON.stringify({ ...journal, state: "staging" }) })
        yield* Effect.provide(RestoreJournal.finish, on(folder))
        assert.strictEqual(readFileSync(join(data, "AGENTS.md"), "utf8"), "old")
        assert.isFalse(existsSync(join(data, ".restore")) || existsSync(join(state, "restore.json")))
      }).pipe(Effect.scoped),
    60_000
  )

  it("knows every file that the sources put into the state folder, and the hidden folders of the data folder", () => {
    const root = fileURLToPath(new URL("../../../..", import.meta.url))
    const names = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/join\((?:\(yield\* DataFolder\)\.)?state, "([^"]+)"/g)].map((
        [, name = ""]
      ) => name)
    )
    const hidden = globSync("apps/chat-server/src/**/*.ts", { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/join\(folder, "(\.[^"]+)"\)/g)].map(([, name = ""]) => name)
    )
    const ofData = [...BackupItems.ITEMS, ...BackupItems.LEFT_OUT].filter(({ root }) => root === "data")
      .map(({ name }) => name.replace(/\/$/, ""))
    assert.includeMembers(hidden, [".env", ".restore"])
    assert.deepStrictEqual(hidden.filter((name) => !ofData.includes(name)), [])
    assert.includeMembers(names, ["approvals.json", "credentials.json", "manifests", "results", "undo", "token"])
    const known = [...BackupItems.ITEMS, ...BackupItems.LEFT_OUT].filter(({ root }) => root === "state")
      .map(({ name }) => name.replace(/\/$/, ""))
    assert.deepStrictEqual(names.filter((name) => !known.includes(name)), [])
  })
})
