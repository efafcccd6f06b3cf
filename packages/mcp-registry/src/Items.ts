/**
 * The items of a server's lists, each read by itself.
 */
import type * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import type { ItemList } from "./Connection.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"

/** What could be read of a listing, and what was wrong with the rest. @category models */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly diagnostics: ReadonlyArray<string>
}

/** Reads each item that has an identifier of its own under this key; the first of two with the same one stays. @category decoding */
export const decode = <A>(
  { diagnostics, items }: ItemList,
  noun: string,
  key: string,
  read: (item: Schema.JsonObject, id: string) => A
): Listed<A> => {
  const found = new Map<string, A>()
  const left: Array<string> = []
  items.forEach((item, index) => {
    const id = identifierOf(item[key])
    if (id === null) left.push(`left out the ${noun} at place ${index + 1}: it has no readable ${key}`)
    else if (found.has(id)) left.push(`listed more than once: the ${noun} ${id}; the first one is kept`)
    else found.set(id, read(item, id))
  })
  const more = left.length - MOST_TOLD
  return {
    items: [...found.values()],
    diagnostics: [
      ...diagnostics,
      ...left.slice(0, MOST_TOLD),
      ...(more > 0 ? [`${more} more of its list could not be used`] : [])
    ]
  }
}

const MOST_TOLD = 10

/** It goes back to the server as it is, so one that hides something cannot be cleaned, only left out (R100). @category decoding */
export const identifierOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" && value !== "" && CleanText.clean(value) === value ? value : null

/** @category decoding */
export const textOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" && value !== "" ? CleanText.clean(value) : null

/** @category decoding */
export const objectsOf = (value: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> =>
  Array.isArray(value) ? value.filter(JsonRpc.isObject) : []
