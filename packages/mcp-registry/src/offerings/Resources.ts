/** The resources of servers: documents by URI, and templates of URIs. */
import type { ItemList } from "@boocode/mcp-client/Connection"
import { CleanText, JsonRpc } from "@boocode/mcp-client/Text"
import type * as Schema from "effect/Schema"
import type { McpResource, McpResourceTemplate, ResourceContent } from "../model/Offered.ts"
import * as Passed from "../model/Passed.ts"
import * as ListCache from "./ListCache.ts"

export type { McpResource, McpResourceTemplate, ResourceContent } from "../model/Offered.ts"

/** The resources of a listing; one that is malformed costs itself only, and is told of. */
export const ofListing = (server: string, listing: ItemList): ListCache.Listed<McpResource> =>
  ListCache.decodeItems(listing, "resource", "uri", (item, uri) => ({
    ...descriptionOf(server, item, uri),
    uri,
    size: JsonRpc.finiteIn(item["size"])
  }))

export const templatesOfListing = (server: string, listing: ItemList): ListCache.Listed<McpResourceTemplate> =>
  ListCache.decodeItems(listing, "template", "uriTemplate", (item, uriTemplate) => ({
    ...descriptionOf(server, item, uriTemplate),
    uriTemplate
  }))

const descriptionOf = (server: string, item: Schema.JsonObject, instead: string) => ({
  server,
  name: ListCache.textOf(item["name"]) ?? instead,
  title: ListCache.textOf(item["title"]),
  description: ListCache.textOf(item["description"]),
  mimeType: ListCache.textOf(item["mimeType"]),
  ...Passed.of(item, Passed.OF_RESOURCE)
})

/** How the answer to `resources/read` is taken. */
export interface Reading {
  /** All of it within so many bytes; the `maxResultBytes` of the entry, where nothing else is said. */
  readonly maxBytes: number
  /** Texts to the letter, hidden characters and ends of lines included: never to show them. */
  readonly asWritten: boolean
}

/** The answer to `resources/read`. Its texts are cleaned, unless they are wanted as written. */
export const toContents = (
  raw: Schema.JsonObject,
  uri: string,
  { asWritten, maxBytes }: Reading
): ReadonlyArray<ResourceContent> => {
  const capped = makeCapped(maxBytes)
  return ListCache.objectsOf(raw["contents"]).map((item) => {
    const about = {
      uri: ListCache.textOf(item["uri"]) ?? uri,
      mimeType: ListCache.textOf(item["mimeType"]),
      ...Passed.of(item)
    }
    if (typeof item["blob"] === "string") {
      const blob = capped.whole(item["blob"])
      return { ...about, text: null, blob, truncated: blob === null }
    }
    const written = typeof item["text"] === "string" ? item["text"] : ""
    const whole = asWritten ? written : CleanText.clean(written)
    const text = capped.text(whole)
    return { ...about, text, blob: null, truncated: text.length < whole.length }
  })
}

export interface Capped {
  /** As much of a text as still fits; characters stay whole. */
  readonly text: (text: string) => string
  /** The whole of it, or null where it does not fit. Nothing fits any more after that. */
  readonly whole: (text: string) => string | null
  /** A block of content as far as it fits; in place of one that does not, a text that says so. */
  readonly block: (block: Schema.JsonObject) => Schema.JsonObject
  /** How many bytes there were and how many are shown; null where that is the same. */
  readonly truncated: () => { readonly bytes: number; readonly shownBytes: number } | null
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A budget of so many bytes of UTF-8. */
export const makeCapped = (limit: number): Capped => {
  let bytes = 0
  let shownBytes = 0
  let isFull = false
  const spend = (size: number) => {
    bytes += size
    if (isFull || shownBytes + size > limit) isFull = true
    else shownBytes += size
    return !isFull
  }
  const text = (whole: string): string => {
    const encoded = encoder.encode(whole)
    const room = isFull ? 0 : limit - shownBytes
    if (spend(encoded.length)) return whole
    const end = boundary(encoded, room)
    shownBytes += end
    return decoder.decode(encoded.subarray(0, end))
  }
  const whole = (value: string): string | null => spend(encoder.encode(value).length) ? value : null
  const block = (given: Schema.JsonObject): Schema.JsonObject => {
    const value = given["text"]
    if (given["type"] === "text" && typeof value === "string") return { ...given, text: text(value) }
    const { resource } = given
    if (given["type"] === "resource" && JsonRpc.isObject(resource) && typeof resource["text"] === "string") {
      return { ...given, resource: { ...resource, text: text(resource["text"]) } }
    }
    if (whole(JSON.stringify(given)) !== null) return given
    return {
      type: "text",
      text: `[a part of type ${
        typeof given["type"] === "string" ? given["type"] : "unknown"
      } was left out: the answer is too large]`
    }
  }
  return { text, whole, block, truncated: () => bytes === shownBytes ? null : { bytes, shownBytes } }
}

/** Where the last whole character before this place ends. */
const boundary = (encoded: Uint8Array, at: number): number => {
  let end = at
  while (end > 0 && ((encoded[end] ?? 0) & 0xC0) === 0x80) end--
  return end
}
