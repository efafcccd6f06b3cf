/**
 * One hash over a whole entry, before variables are filled in (Decision 14): another hash is another entry.
 */
import type { DeclaredEntry } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { FieldChange } from "../shapes/TrustDetails.ts"
import * as CanonicalJson from "./CanonicalJson.ts"
import * as EntryFields from "./EntryFields.ts"
import * as Sha256 from "./Sha256.ts"
import * as Visible from "./Visible.ts"

export type { FieldChange } from "../shapes/TrustDetails.ts"

/** A value of an entry as it may be kept and shown: a hash in place of the value itself. @category models */
export interface FieldPrint {
  readonly key: string
  readonly shown: string
  readonly hash: string
}

/** What an approval is bound to. @category models */
export interface EntryPrint {
  readonly hash: string
  readonly fields: ReadonlyArray<FieldPrint>
}

/** Compares what was kept of an entry with what it is. @category getters */
export const changes = (
  before: ReadonlyArray<FieldPrint>,
  after: ReadonlyArray<FieldPrint>
): ReadonlyArray<FieldChange> => {
  const was = new Map(before.map((field) => [field.key, field]))
  const is = new Map(after.map((field) => [field.key, field]))
  return [...new Set([...is.keys(), ...was.keys()])]
    .filter((key) => is.get(key)?.hash !== was.get(key)?.hash)
    .map((key) => ({ key, before: was.get(key)?.shown ?? null, after: is.get(key)?.shown ?? null }))
}

/**
 * The hash of an entry under its name, and of each of its fields. The order of keys does not matter, that of arguments
 * does; the folder of the declaring file is part of it, for there the same words mean another program.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  server: string,
  entry: DeclaredEntry
): Effect.fn.Return<EntryPrint, never, Digest.Digest> {
  const fields = EntryFields.of(entry)
  const values = fields.map(({ key, value }) => [key, Redacted.value(value)])
  return {
    hash: yield* Sha256.hex(CanonicalJson.stringify([VERSION, server, values])),
    // With the entry's own place in it, equal secrets of two entries are not seen to be equal.
    fields: yield* Effect.forEach(fields, ({ key, shown, value }) =>
      Effect.map(
        Sha256.hex(CanonicalJson.stringify([VERSION, server, entry.folder, key, Redacted.value(value)])),
        (hash) => ({ key: Visible.text(key), shown, hash })
      ))
  }
})

const VERSION = "boocode entry 1"
