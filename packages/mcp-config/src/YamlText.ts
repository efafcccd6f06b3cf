/**
 * YAML texts: written anew, or changed so that comments and order stay.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { parseDocument, stringify } from "yaml"

/** Texts that an older reader of YAML would take for something else are quoted. */
const LAYOUT = { lineWidth: 0, compat: "yaml-1.1", flowCollectionPadding: false } as const

/** Writes a value. */
export const print = (value: Schema.JsonObject): Result.Result<string, null> =>
  Result.try({ try: () => stringify(value, LAYOUT), catch: () => null })

/** Sets members of the map at a key of a text that is YAML. Fails when that cannot be written. Never throws. */
export const set = (
  text: string,
  key: string,
  members: ReadonlyArray<readonly [string, Schema.JsonObject]>
): Result.Result<string, null> =>
  Result.try({
    try: () => {
      const document = parseDocument(text, { ...LAYOUT, uniqueKeys: false })
      for (const [name, value] of members) document.setIn([key, name], document.createNode(value))
      return document.toString(LAYOUT)
    },
    catch: () => null
  })
