/**
 * Where pins are kept and how they are written: a lock file beside one's own configuration, and for projects a file
 * that they cannot write.
 */
import type { DeclaredEntry } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Sha256 from "./Sha256.ts"

/** A tool as it was pinned. @category schemas */
export const PinnedTool = Schema.Struct({
  name: Schema.String,
  /** SHA-256 over its name and its definition as canonical JSON. */
  hash: Schema.String,
  /** For showing what changed; null when it is too long to keep. */
  definition: Schema.NullOr(Schema.JsonObject)
})

/** A server as it was pinned. @category schemas */
export const PinnedServer = Schema.Struct({
  server: Schema.String,
  /** What the server called itself; null when it gave no name. */
  version: Schema.NullOr(Schema.String),
  pinnedAt: Schema.String,
  /** SHA-256 over all of its tools. */
  hash: Schema.String,
  tools: Schema.Array(PinnedTool)
})

/** A server as it was pinned. @category models */
export type PinnedServer = typeof PinnedServer.Type

/** The whole file. @category schemas */
export const PinFile = Schema.Struct({
  version: Schema.Literal(1),
  /** Of which configuration file, or which project's folder. */
  of: Schema.String,
  /** True after a file that could not be used was replaced: then no server is seen here for the first time. */
  lost: Schema.Boolean,
  servers: Schema.Array(PinnedServer)
})

/** The whole file. @category models */
export type PinFile = typeof PinFile.Type

/** Where the pins of an entry are. @category models */
export interface PinPlace {
  readonly file: string
  readonly of: string
}

/**
 * The place for an entry. Of a project file it lies in `state`, because a file of the project could approve itself; else
 * it is the lock file beside the declaring file (`mcp.lock.json` for `mcp.json`), unless there are to be none.
 *
 * @category getters
 */
export const placeOf = Effect.fnUntraced(function*(
  entry: DeclaredEntry,
  state: string,
  path: Path.Path,
  hasLockFiles: boolean
): Effect.fn.Return<PinPlace, never, Digest.Digest> {
  if (entry.scope !== "project" && hasLockFiles) {
    return { file: `${entry.file.replace(/\.jsonc?$/, "")}.lock.json`, of: path.basename(entry.file) }
  }
  const of = entry.scope === "project" ? entry.folder : entry.file
  return { file: path.join(state, "pins", `${(yield* Sha256.hex(of)).slice(0, 32)}.json`), of }
})
