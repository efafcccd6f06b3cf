/**
 * The resources of servers: documents by URI, and templates of URIs.
 */
import type * as Schema from "effect/Schema"
import * as Capped from "./Capped.ts"
import * as CleanText from "./CleanText.ts"
import type { ItemList } from "./Connection.ts"
import * as Items from "./Items.ts"
import type { McpResource, McpResourceTemplate, ResourceContent } from "./shapes/Resource.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"

export type { McpResource, McpResourceTemplate, ResourceContent } from "./shapes/Resource.ts"

/** The resources of a listing; one that is malformed costs itself only, and is told of. @category decoding */
export const ofListing = (server: string, listing: ItemList): Items.Listed<McpResource> =>
  Items.decode(listing, "resource", "uri", (item, uri) => ({
    ...descriptionOf(server, item, uri),
    uri,
    size: JsonRpc.finiteIn(item["size"])
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
