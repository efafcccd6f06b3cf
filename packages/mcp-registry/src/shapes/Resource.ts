/**
 * A resource of a server, a template of them, and what reading one brings.
 */
import * as Schema from "effect/Schema"

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
