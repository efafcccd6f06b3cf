/**
 * Where pins are kept: in a lock file beside one's own configuration, and for projects in a file that they cannot write.
 */
import type { DeclaredEntry } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import * as Sha256 from "./Sha256.ts"

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
export const find = Effect.fnUntraced(function*(
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
