/**
 * The resources of servers: documents by URI, and templates of URIs.
 */
import * as Schema from "effect/Schema"
import * as Capped from "./Capped.ts"
import * as CleanText from "./CleanText.ts"
import type { ItemList } from "./Connection.ts"
import * as Items from "./Items.ts"

const described = {
  server: Schema.String,
  name: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  mimeType: Schema.NullOr(Schema.String)
}

/** One resource of a server. @category schemas */
export const McpResource = Schema.Struct({
  ...described,
  uri: Schema.String,
  /** In bytes, as the server says. */
  size: Schema.NullOr(Schema.Finite)
})

/** One resource of a server. @category models */
export type McpResource = typeof McpResource.Type

/** What the URIs of a kind of resources are made from (RFC 6570). @category schemas */
export const McpResourceTemplate = Schema.Struct({ ...described, uriTemplate: Schema.String })

/** What the URIs of a kind of resources are made from. @category models */
export type McpResourceTemplate = typeof McpResourceTemplate.Type

/** One of the documents that reading a resource brings. Either `text` or `blob` is null. @category schemas */
export const ResourceContent = Schema.Struct({
  uri: Schema.String,
  mimeType: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  /** In base64. Null also where it is larger than the entry's `maxResultBytes`: then `truncated` is true. */
  blob: Schema.NullOr(Schema.String),
  /** Whether it is larger than the entry's `maxResultBytes`, so that its end, or all of a blob, is missing. */
  truncated: Schema.Boolean
})

/** One of the documents that reading a resource brings. @category models */
export type ResourceContent = typeof ResourceContent.Type

/** The resources of a listing; one that is malformed costs itself only, and is told of. @category decoding */
export const ofListing = (server: string, listing: ItemList): Items.Listed<McpResource> =>
  Items.decode(listing, "resource", "uri", (item, uri) => ({
    ...descriptionOf(server, item, uri),
    uri,
    size: typeof item["size"] === "number" ? item["size"] : null
  }))

/** The same of templates. @category decoding */
export const templatesOfListing = (server: string, listing: ItemList): Items.Listed<McpResourceTemplate> =>
  Items.decode(listing, "template", "uriTemplate", (item, uriTemplate) => ({
    ...descriptionOf(server, item, uriTemplate),
    uriTemplate
  }))

const descriptionOf = (server: string, item: Schema.JsonObject, instead: string) => ({
  server,
  name: Items.textOf(item["name"]) ?? instead,
  title: Items.textOf(item["title"]),
  description: Items.textOf(item["description"]),
  mimeType: Items.textOf(item["mimeType"])
})

/** The answer to `resources/read`, texts cleaned, all of it within this many bytes. @category decoding */
export const toContents = (raw: Schema.JsonObject, uri: string, maxBytes: number): ReadonlyArray<ResourceContent> => {
  const capped = Capped.make(maxBytes)
  return Items.objectsOf(raw["contents"]).map((item) => {
    const about = { uri: Items.textOf(item["uri"]) ?? uri, mimeType: Items.textOf(item["mimeType"]) }
    if (typeof item["blob"] === "string") {
      const blob = capped.whole(item["blob"])
      return { ...about, text: null, blob, truncated: blob === null }
    }
    const whole = typeof item["text"] === "string" ? CleanText.clean(item["text"]) : ""
    const text = capped.text(whole)
    return { ...about, text, blob: null, truncated: text.length < whole.length }
  })
}
