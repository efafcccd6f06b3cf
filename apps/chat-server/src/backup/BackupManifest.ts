/** The first file of a backup: what is in it, with sizes and hashes, so that the rest can be checked while it is read. */
import * as Schema from "effect/Schema"
import * as BackupItems from "./BackupItems.ts"

export const NAME = "manifest.json"
/** The file that is encrypted: a JSON object with the files of the credentials. */
export const SEALED = "credentials"
export const VERSION = 1
/** The size limit of the manifest itself. */
export const MOST_BYTES = 64 * 1024 * 1024

const Size = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

const Entry = Schema.Struct({
  name: Schema.String.check(
    Schema.makeFilter((name) =>
      name === SEALED || BackupItems.find(name) !== undefined || "a name of no file of BooCode"
    )
  ),
  bytes: Size,
  sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
})

export const Manifest = Schema.Struct({
  format: Schema.Literal("boocode-backup"),
  version: Schema.Literal(VERSION),
  createdAt: Schema.String,
  /** The kinds that the backup speaks for: an item of such a kind without a file was not there. */
  kinds: Schema.Array(
    Schema.Literals(["chats", "configuration", "agents", "permissions", "pins", "workspace", "credentials"])
  ),
  files: Schema.Array(Entry).check(
    Schema.makeFilter((files) =>
      new Set(files.map(({ name }) => name.toLowerCase())).size === files.length || "a name stands twice"
    )
  )
})
export type Manifest = typeof Manifest.Type

export const ManifestText = Schema.fromJsonString(Manifest)

/** How the version of a text can be told, of whatever version it is. */
export const Head = Schema.fromJsonString(
  Schema.Struct({ format: Schema.Literal("boocode-backup"), version: Schema.Int })
)
