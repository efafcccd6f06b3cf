/**
 * How the running server of a data folder is found: a file in the state folder that says where it is.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { pid } from "node:process"
import { DataFolder } from "./DataFolder.ts"
import { Instance } from "./Instance.ts"

/** Whoever reads it asks the server at `url` for the proof that it knows `secret` before believing a word of it. */
export const Announcement = Schema.Struct({
  url: Schema.String,
  pid: Schema.Int,
  started: Schema.String,
  /** The file whose servers it runs. */
  servers: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String)
})
export type Announcement = typeof Announcement.Type

/** The file as text. */
export const AnnouncementText = Schema.fromJsonString(Announcement)

/** Where the server of this data folder announces itself; the same for every name that its file with servers has. */
export const file = Effect.gen(function*() {
  const path = yield* Path.Path
  const { configFile, dataFile, state } = yield* DataFolder
  const name = createHash("sha256").update(yield* realPath(configFile ?? dataFile)).digest("hex").slice(0, 32)
  return path.join(state, "running", `${name}.json`)
})

/** Of a file that is not there yet, its folder's. */
const realPath = Effect.fnUntraced(function*(name: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const inFolder = Effect.map(fs.realPath(path.dirname(name)), (folder) => path.join(folder, path.basename(name)))
  return yield* fs.realPath(name).pipe(Effect.catch(() => inFolder), Effect.catch(() => Effect.succeed(name)))
})

/**
 * Announces the server that listens, until the scope closes. Only the owner can read the file. Where it cannot be
 * written the server runs all the same, and the log says what that means.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const { secret } = yield* Instance
  const target = yield* file
  const text = yield* Effect.flatMap(announcement, Schema.encodeEffect(AnnouncementText))
  yield* Effect.acquireRelease(
    write(target, text),
    // A second server of the same folder may have announced itself meanwhile.
    () => Effect.ignore(Effect.when(fs.remove(target), isOurs(target, secret)))
  ).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`other commands cannot find this server, so give them --url: ${error.message}`)
    )
  )
}))

const announcement = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  const { configFile, dataFile } = yield* DataFolder
  const { secret } = yield* Instance
  const started = DateTime.formatIso(yield* DateTime.now)
  return { url: reachable(HttpServer.formatAddress(address)), pid, started, servers: configFile ?? dataFile, secret }
})

/** A server that listens on every address is reached at this machine's own. */
const reachable = (address: string): string =>
  address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/** In one step, so that nobody reads half of it, and never into a file that somebody else made. */
const write = Effect.fnUntraced(function*(target: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fs.makeDirectory(path.dirname(target), { recursive: true, mode: 0o700 })
  const fresh = `${target}.${pid}`
  yield* Effect.ignore(fs.remove(fresh))
  yield* fs.writeFileString(fresh, text, { flag: "wx", mode: 0o600 })
  yield* Effect.onError(fs.rename(fresh, target), () => Effect.ignore(fs.remove(fresh)))
})

const isOurs = Effect.fnUntraced(function*(target: string, secret: Redacted.Redacted<string>) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.flatMap(fs.readFileString(target), Schema.decodeEffect(AnnouncementText))
  return Redacted.value(found.secret) === Redacted.value(secret)
})
