/** Tokens in a file: never half written, changed by one program at a time, refreshed by one program at a time. */
import { EditLock } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FileSystem from "effect/FileSystem"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { short } from "../../base/Hash.ts"
import { AuthorizationFailed } from "../../errors/McpError.ts"
import * as StateFile from "../../host/StateFile.ts"
import { type Changed, type CredentialKey, type CredentialStore, nameOf, NOBODY, type Seal } from "./Credential.ts"
import { Credential } from "./CredentialSchema.ts"

const Kept = Schema.Struct({
  server: Schema.String,
  url: Schema.String,
  /** One of the two is null. */
  plain: Schema.NullOr(Credential),
  sealed: Schema.NullOr(Schema.String)
})
type Kept = typeof Kept.Type

const File = Schema.Struct({ version: Schema.Literal(1), servers: Schema.Array(Kept) })

/** Longer than a request for tokens may last. All that share the file have to agree on it. */
const PATIENCE: EditLock.Patience = { waitMillis: 25_000, staleMillis: 12_000 }

/** Keeps them in this file. */
export const make = Effect.fnUntraced(function*(
  file: string,
  seal: Seal | null
): Effect.fn.Return<CredentialStore, never, FileSystem.FileSystem | Path.Path> {
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const state = yield* StateFile.make(file, File)
  const turns = PartitionedSemaphore.makeUnsafe<string>({ permits: 1 })

  const find = Effect.fnUntraced(function*(key: CredentialKey) {
    const content = yield* state.read
    if (Result.isFailure(content)) return yield* unusable(content.failure)
    return content.success?.servers.find(isOf(key)) ?? null
  })
  const opened = Effect.fnUntraced(function*(kept: Kept | null) {
    if (kept === null || kept.sealed === null) return kept?.plain ?? null
    const text = seal === null ? null : yield* seal.open(kept.sealed, nameOf(kept))
    return text === null ? yield* Effect.fail(LOCKED) : yield* Effect.mapError(decode(text), () => LOCKED)
  })
  const closed = Effect.fnUntraced(function*(key: CredentialKey, credential: Credential) {
    const { server, url } = key
    const sealed = seal === null ? null : yield* seal.seal(yield* Effect.orDie(encode(credential)), nameOf(key))
    if (sealed === null && seal?.isRequired === true) return yield* NOT_SEALED
    return { server, url, plain: sealed === null ? credential : null, sealed } satisfies Kept
  })
  /** Somebody who took us for dead may have written newer ones, and those stay. */
  const replace = (key: CredentialKey, before: Kept | null, after: Kept | null) =>
    Effect.mapError(
      state.change((content) => {
        const servers = Result.isSuccess(content) ? content.success?.servers ?? [] : []
        if (!Equal.equals(servers.find(isOf(key)) ?? null, before)) return null
        const others = servers.filter((kept) => !isOf(key)(kept))
        return { version: 1 as const, servers: after === null ? others : [...others, after] }
      }),
      unusable
    )
  const locked = Effect.fnUntraced(function*<A, E>(key: CredentialKey, change: Effect.Effect<A, E>) {
    const outcome = yield* Effect.gen(function*() {
      const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
      yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
      return yield* EditLock.withLock(`${file}.${short(nameOf(key))}`, () => Effect.result(change), PATIENCE)
    }).pipe(Effect.provideContext(needs), Effect.mapError((error) => notYours(file, error)))
    return yield* Effect.fromResult(outcome)
  })
  const alone = <A, E>(key: CredentialKey, change: Effect.Effect<A, E>) =>
    turns.withPermit(nameOf(key))(locked(key, change))
  /** A credential that cannot be opened any more can only be replaced. */
  const current = (kept: Kept | null) => Effect.orElseSucceed(opened(kept), () => null)
  return {
    read: (key) => Effect.flatMap(find(key), opened),
    change: <A, E>(key: CredentialKey, change: (current: Credential | null) => Effect.Effect<Changed<A>, E>) =>
      alone(
        key,
        Effect.gen(function*() {
          const before = yield* find(key)
          const now = yield* current(before)
          const { give, keep } = yield* change(now)
          if (keep !== now) yield* replace(key, before, keep === null ? null : yield* closed(key, keep))
          return give
        })
      ),
    remove: (key) =>
      alone(
        key,
        Effect.gen(function*() {
          const before = yield* find(key)
          if (before === null) return yield* NOBODY
          const now = yield* current(before)
          yield* replace(key, before, null)
          return now
        })
      ),
    forget: Effect.fnUntraced(function*(isTheirs) {
      const content = yield* state.read
      if (Result.isFailure(content)) return yield* unusable(content.failure)
      if (!(content.success?.servers.some(({ server }) => isTheirs(server)) ?? false)) return
      yield* Effect.mapError(
        state.change((now) => {
          if (Result.isFailure(now) || now.success === null) return null
          return { version: 1 as const, servers: now.success.servers.filter(({ server }) => !isTheirs(server)) }
        }),
        unusable
      )
    })
  } satisfies CredentialStore
})

const decode = Schema.decodeEffect(Schema.fromJsonString(Credential))
const encode = Schema.encodeEffect(Schema.fromJsonString(Credential))

const isOf = ({ server, url }: CredentialKey) => (kept: Kept): boolean => kept.server === server && kept.url === url

const unusable = ({ message }: { readonly message: string }): AuthorizationFailed =>
  new AuthorizationFailed({
    detail: `the file of tokens ${message}`,
    try: "look at the file; when it is removed, everybody has to sign in again"
  })

const notYours = (file: string, error: PlatformError | EditLock.Busy): AuthorizationFailed =>
  error._tag === "Busy"
    ? new AuthorizationFailed({
      detail: `another program is renewing the tokens in ${file}`,
      try: `if there is none, remove ${error.lock}`,
      isTransient: true
    })
    : unusable({ message: `${file} cannot be written: ${error.message}` })

const NOT_SEALED = new AuthorizationFailed({
  detail: "the keychain of the system cannot be used, and nothing else may keep tokens",
  try: "unlock it, or let the setting \"credentials\" be \"auto\""
})

const LOCKED = new AuthorizationFailed({
  detail: "the tokens that are kept cannot be opened",
  try: "unlock the keychain of the system and restart the server, or sign in again"
})
