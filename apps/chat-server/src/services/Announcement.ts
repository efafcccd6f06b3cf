/** How the running servers of a data folder are found: each has a file in the state folder that says where it is. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHash, randomBytes } from "node:crypto"
import { kill, pid } from "node:process"
import { InstanceSecret, proof } from "../access/InstanceSecret.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"
import { IdleEnd } from "./IdleEnd.ts"

/** A reader trusts it only after the server at `url` has proved that it knows `secret`. */
export const Announcement = Schema.Struct({
  url: Schema.String,
  pid: Schema.Int,
  started: Schema.String,
  /** The file whose servers it runs. */
  servers: Schema.String,
  /** A bridge started it, and it ends when nobody needs it any more. */
  onDemand: Schema.optionalKey(Schema.Boolean),
  secret: Schema.RedactedFromValue(Schema.String)
})
export type Announcement = typeof Announcement.Type

export const AnnouncementText = Schema.fromJsonString(Announcement)

/** More than that run on no folder; what is beyond was left behind. */
const MAX_FILES = 32

/**
 * Where servers of this data folder announce themselves: each in a file of its own in `folder`, whose name begins with
 * `key`. It is the same for every name of the data folder, whatever its file with servers leads to meanwhile.
 */
const place = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { configFile, dataFile, state } = yield* DataFolder
  const file = configFile ?? dataFile
  const folder = yield* Effect.orElseSucceed(fs.realPath(path.dirname(file)), () => path.dirname(file))
  const key = createHash("sha256").update(path.join(folder, path.basename(file))).digest("hex").slice(0, 32)
  return { folder: path.join(state, "running"), key }
})

/** The first files of the folder that are announcements and whose names begin so. */
const listed = Effect.fnUntraced(function*(folder: string, prefix: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  const own = names.filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
  return own.sort().slice(0, MAX_FILES).map((name) => path.join(folder, name))
})

/** The files of every data folder whose server keeps its state here. */
export const allFiles = Effect.flatMap(place, ({ folder }) => listed(folder, ""))

/** The files in which servers of this data folder announced themselves, also those that were killed since. */
export const files = Effect.flatMap(place, ({ folder, key }) => listed(folder, `${key}-`))

/** The lock of programs that start a server for this data folder, so that only one of them does. */
export const startLock = Effect.gen(function*() {
  const { folder, key } = yield* place
  return (yield* Path.Path).join(folder, `${key}.starting`)
})

/**
 * Announces the server that listens, until the scope closes, and warns of others on the same data folder. Only the owner
 * can read the file. Where it cannot be written the server runs all the same, and the log says what that means.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { secret } = yield* InstanceSecret
  const { folder, key } = yield* place
  const idle = yield* IdleEnd
  yield* Effect.forEach(yield* files, look, { concurrency: "unbounded", discard: true })
  const own = createHash("sha256").update(Redacted.value(secret)).digest("hex").slice(0, 16)
  const target = path.join(folder, `${key}-${own}.json`)
  const text = yield* Effect.flatMap(announcement, Schema.encodeEffect(AnnouncementText))
  yield* Effect.acquireRelease(PrivateFile.write(target, text), () => Effect.ignore(fs.remove(target))).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`other commands cannot find this server, so give them --url: ${error.message}`)
    )
  )
  if (idle.limit !== null) yield* Effect.forkScoped(Effect.andThen(replaced, idle.end))
}))

/** Done when a person's own server serves this folder: programs go on there, and its MCP servers run once. */
const replaced = Effect.repeat(
  Effect.delay(Effect.flatMap(files, (names) => Effect.findFirst(names, isLasting)), "2 seconds"),
  { until: Option.isSome }
)

/** Whether a file is about a server that a person ends, and that runs. */
const isLasting = Effect.fnUntraced(function*(name: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.flatMap(fs.readFileString(name), Schema.decodeEffect(AnnouncementText))
  return found.onDemand !== true && (yield* isProven(found))
}, Effect.orElseSucceed(() => false))

/** Warns of a server that lives, and clears away what one left behind that was killed. */
const look = Effect.fnUntraced(function*(name: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.flatMap(fs.readFileString(name), Schema.decodeEffect(AnnouncementText))
  if (found.onDemand !== true && (yield* isProven(found))) {
    return yield* Effect.logWarning(`another BooCode serves this folder at ${found.url}`)
  }
  // A server that only does not answer still has its process.
  if (!(yield* isProcess(found.pid))) yield* fs.remove(name)
}, (looking) => Effect.ignore(looking))

const Health = Schema.Struct({ proof: Schema.NullOr(Schema.String) })

const isProven = ({ secret, url }: Announcement) => {
  const nonce = randomBytes(16).toString("hex")
  return HttpClient.get(`${url}/api/health?nonce=${nonce}`).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Health)),
    Effect.map((answer) => answer.proof === proof(secret, nonce)),
    Effect.timeout(PATIENCE),
    Effect.orElseSucceed(() => false)
  )
}

const PATIENCE = "2 seconds"

/** A process of somebody else's counts too. */
const isProcess = (id: number) =>
  Effect.try(() => kill(id, 0)).pipe(
    Effect.as(true),
    Effect.catch(({ cause }) => Effect.succeed(cause instanceof Error && "code" in cause && cause.code === "EPERM"))
  )

const announcement = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  const { configFile, dataFile } = yield* DataFolder
  const { secret } = yield* InstanceSecret
  const started = DateTime.formatIso(yield* DateTime.now)
  const { limit } = yield* IdleEnd
  return {
    url: reachable(HttpServer.formatAddress(address)),
    pid,
    started,
    servers: configFile ?? dataFile,
    ...limit === null ? {} : { onDemand: true },
    secret
  }
})

/** A server that listens on every address is reached at this machine's own. */
const reachable = (address: string): string =>
  address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
