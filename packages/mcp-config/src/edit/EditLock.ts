/**
 * One editor of a file at a time, among all processes, with files beside it as the only means.
 *
 * The lock is a hard link to the claim of its holder and holds the claim's name. Only the one that removes a claim, its holder or
 * a process that found the holder dead, may remove its lock; and a holder whose draft was removed
 * cannot finish, because finishing is renaming the draft. So a holder that was only slow does no harm.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Random from "effect/Random"

/** The lock was not free in time; `lock` is the file. */
export interface Busy {
  readonly _tag: "Busy"
  readonly lock: string
}

/** The wait for a lock ends after this many milliseconds. */
export const WAIT_MILLIS = 15_000

/** A holder that shows no life for this many milliseconds counts as dead; an edit takes a few. */
export const STALE_MILLIS = 5_000

/** How long a lock is waited for, and how long its holder may take; all who share a lock have to agree on the latter. */
export interface Patience {
  readonly waitMillis: number
  readonly staleMillis: number
}

const USUAL: Patience = { waitMillis: WAIT_MILLIS, staleMillis: STALE_MILLIS }

/**
 * Runs `use` with the lock of a file and the path of an empty draft beside it, which only its owner may read. The folder
 * must be there. Renaming the draft fails as `NotFound` for a holder that was taken for dead: it has to begin again.
 */
export const withLock = <A, E, R>(
  file: string,
  use: (draft: string) => Effect.Effect<A, E, R>,
  patience: Patience = USUAL
): Effect.Effect<A, E | PlatformError | Busy, R | FileSystem.FileSystem | Path.Path> =>
  Effect.acquireUseRelease(
    prepare(file),
    (papers) => Effect.andThen(taken(papers, patience), use(papers.own.draft)),
    giveBack
  )

interface Papers {
  readonly own: Paths
  /** The paths of another holder. */
  readonly of: (token: string) => Paths
  isHolder: boolean
}

interface Paths {
  readonly token: string
  readonly lock: string
  readonly claim: string
  readonly draft: string
}

const pathsOf = (path: Path.Path, file: string) => (token: string): Paths => {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}`)
  return { token, lock: `${beside}.editing`, claim: `${beside}.${token}.claim`, draft: `${beside}.${token}.draft` }
}

const prepare = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const of = pathsOf(yield* Path.Path, file)
  const own = of((yield* Random.nextIntBetween(0, 2 ** 48)).toString(36))
  yield* fs.writeFileString(own.draft, "", { flag: "wx", mode: 0o600 })
  const claim = fs.writeFileString(own.claim, own.token, { flag: "wx", mode: 0o600 })
  yield* Effect.onError(claim, () => removed(own.draft))
  return { own, of, isHolder: false } satisfies Papers
})

interface Sighting {
  readonly holder: string | null
  readonly since: number
}

const taken = Effect.fnUntraced(function*(papers: Papers, { staleMillis, waitMillis }: Patience) {
  const start = yield* Clock.currentTimeMillis
  let seen: Sighting = { holder: null, since: start }
  while (!(yield* take(papers))) {
    const now = yield* Clock.currentTimeMillis
    if (now - start >= waitMillis) return yield* Effect.fail<Busy>({ _tag: "Busy", lock: papers.own.lock })
    const holder = yield* holderOf(papers.own.lock)
    if (holder === null || holder !== seen.holder) seen = { holder, since: now }
    else if (now - seen.since >= staleMillis) yield* dismiss(papers.of(holder))
    yield* Effect.sleep(`${yield* Random.nextIntBetween(20, 50)} millis`)
  }
})

/** Takes the lock if it is free. */
const take = Effect.fnUntraced(function*(papers: Papers) {
  const fs = yield* FileSystem.FileSystem
  const { claim, lock, token } = papers.own
  papers.isHolder = yield* fs.link(claim, lock).pipe(
    // Some file systems have no hard links; a new file does there, with a moment in which it is empty.
    Effect.catch((error) => isThere(error) ? Effect.fail(error) : fs.writeFileString(lock, token, { flag: "wx" })),
    Effect.as(true),
    Effect.catchIf(isThere, () => Effect.succeed(false))
  )
  return papers.isHolder
}, Effect.uninterruptible)

const isThere = (error: PlatformError): boolean => error.reason._tag === "AlreadyExists"

/** The token of the holder; null for a free lock, or for a text that no edit writes. */
const holderOf = Effect.fnUntraced(function*(lock: string) {
  const fs = yield* FileSystem.FileSystem
  const token = yield* Effect.orElseSucceed(fs.readFileString(lock), () => "")
  return /^[0-9a-z]{1,16}$/.test(token) ? token : null
})

/** Ends the hold of somebody who seems dead: no more finishing first, and only then is the lock free. */
const dismiss = Effect.fnUntraced(function*({ claim, draft, lock }: Paths) {
  if (yield* removed(claim)) {
    yield* removed(draft)
    yield* removed(lock)
  }
}, Effect.uninterruptible)

const giveBack = Effect.fnUntraced(function*({ isHolder, own }: Papers) {
  yield* removed(own.draft)
  if ((yield* removed(own.claim)) && isHolder) yield* removed(own.lock)
})

const removed = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.isSuccess(fs.remove(path)))
