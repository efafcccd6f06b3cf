/**
 * YAML texts: written anew, or changed so that comments and order stay.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Document, type Node, parseDocument, Scalar, visit } from "yaml"

/** Texts that an older reader of YAML would take for something else are quoted. */
const LAYOUT = { lineWidth: 0, compat: "yaml-1.1", flowCollectionPadding: false } as const

/** Writes a value. */
export const print = (value: Schema.JsonObject): Result.Result<string, null> =>
  Result.try({
    try: () => {
      const document = new Document()
      document.contents = quoted(document.createNode(value))
      return document.toString(LAYOUT)
    },
    catch: () => null
  })

/** In a block, space at an end of a text of several lines is lost. */
const quoted = <A extends Node>(node: A): A => {
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && /^\s|\s$/.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE
    }
  })
  return node
}

/** Sets members of the map at a key of a text that is YAML. Fails when that cannot be written. Never throws. */
export const set = (
  text: string,
  key: string,
  members: ReadonlyArray<readonly [string, Schema.JsonObject]>
): Result.Result<string, null> =>
  Result.try({
    try: () => {
      const document = parseDocument(text, { ...LAYOUT, uniqueKeys: false })
      for (const [name, value] of members) document.setIn([key, name], quoted(document.createNode(value)))
      return document.toString(LAYOUT)
    },
    catch: () => null
  })
