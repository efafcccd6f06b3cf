/** The servers whose resources an agent may use. Its patterns decide by a name that each server has for them. */
import { Nearest } from "@boocode/mcp-config"
import {
  CleanText,
  McpRegistry,
  type McpResource,
  type McpResourceTemplate,
  type ResourceContent,
  type ServerStatus,
  ToolName
} from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { ImageHeader, UriTemplate } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** The patterns of an agent; null allows every tool. */
export type Patterns = ReadonlyArray<string> | null

/** A server, and the name under which patterns speak of its resources: `web_resources` of `web`. */
export interface Access {
  readonly status: ServerStatus
  readonly name: string
}

/** The servers whose resources the patterns allow, whatever state they are in, sorted by name. Answers at once. */
export const of = Effect.fnUntraced(function*(patterns: Patterns) {
  const glob = ToolGlob.compile(patterns ?? ["*"])
  return (yield* all).filter(({ name }) => glob.allows(name))
})

/** Every server, whatever the patterns allow. */
export const all: Effect.Effect<ReadonlyArray<Access>, never, McpRegistry> = Effect.map(
  McpRegistry.use((registry) => registry.servers),
  (statuses) => {
    const names = statuses.map(({ name }) => name)
    return statuses.flatMap((status) =>
      [...ToolName.assign(status.name, ["resources"], names).values()].map((name) => ({ status, name }))
    )
  }
)

/** Whether a server has declared resources, in this connection or an earlier one. */
export const hasResources = ({ status: { capabilities } }: Access): boolean => capabilities?.resources === true

/** The origin of an answer that holds words of these servers; null for none. */
export const originOf = (servers: ReadonlyArray<string>, access: ReadonlyArray<Access>, tool: string) => {
  const isTrusted = access.every(({ status }) => status.isTrusted || !servers.includes(status.name))
  return servers.length === 0 ? null : { server: [...new Set(servers)].sort().join(", "), tool, isTrusted }
}

/** The picture that binary data is; null for anything else. */
export const pictureOf = ({ blob }: ResourceContent): ImageHeader.Picture | null =>
  blob === null
    ? null
    : Result.getOrNull(Result.flatMap(Result.mapError(Base64.decode(blob), () => ""), ImageHeader.read))

/** The text; also of binary data whose type says that it is text, as some servers give it. */
export const textOf = ({ blob, mimeType, text }: ResourceContent): string | null => {
  if (text !== null) return text
  if (blob === null || !/^text\/|json|xml|yaml/i.test(mimeType ?? "")) return null
  const decoded = Result.flatMap(
    Result.mapError(Base64.decode(blob), () => null),
    (bytes) => Result.try({ try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes), catch: () => null })
  )
  return Result.match(decoded, { onFailure: () => null, onSuccess: CleanText.clean })
}

/** Says that the registry left out what its server's entry does not allow. */
export const CUT = "[cut: it is larger than maxResultBytes of its server's entry]"

/**
 * The contents as blocks of a tool's result, so that they are shown, cut and kept as those are. Each text of several is
 * led by its URI.
 */
export const toBlocks = (contents: ReadonlyArray<ResourceContent>): ReadonlyArray<Schema.JsonObject> =>
  contents.length === 0
    ? [{ type: "text", text: "(the resource is empty)" }]
    : contents.flatMap((content) => blocksOf(content, contents.length > 1))

const blocksOf = (content: ResourceContent, isOneOfMany: boolean): ReadonlyArray<Schema.JsonObject> => {
  const { blob, mimeType, truncated, uri } = content
  const lead = isOneOfMany ? `${uri}:\n` : ""
  const text = textOf(content)
  if (text !== null) {
    return [{ type: "text", text: `${lead}${text === "" ? "(empty)" : text}${truncated ? `\n${CUT}` : ""}` }]
  }
  if (blob === null) return [{ type: "text", text: `${lead}[${mimeType ?? "binary data"}]\n${CUT}` }]
  const picture = pictureOf(content)
  const data = picture !== null
    ? { type: "image", data: blob, mimeType: picture.mediaType }
    : { type: "resource", resource: { uri, mimeType, blob } }
  return isOneOfMany && picture !== null ? [{ type: "text", text: lead.trimEnd() }, data] : [data]
}

/** The resources and templates of all servers. */
export interface Offered {
  readonly resources: ReadonlyArray<Pick<McpResource, "server" | "uri">>
  readonly templates: ReadonlyArray<Pick<McpResourceTemplate, "server" | "uriTemplate">>
}

/** Where a URI leads. */
export type Route =
  | { readonly _tag: "One"; readonly server: string }
  /** Several have it, sorted by name: the URI alone does not say which is meant. */
  | { readonly _tag: "Several"; readonly servers: ReadonlyArray<string> }
  /** The closest URIs that are listed, the closest first. */
  | { readonly _tag: "None"; readonly nearest: ReadonlyArray<string> }

/**
 * The server that lists the URI, else the one of whose templates one fits it. The order of the offers does not matter.
 */
export const route = (uri: string, { resources, templates }: Offered): Route => {
  const listing = distinct(resources.filter((resource) => resource.uri === uri))
  const servers = listing.length > 0
    ? listing
    : distinct(templates.filter(isLookedAt()).filter(({ uriTemplate }) => UriTemplate.fits(uriTemplate, uri)))
  const [server] = servers
  if (server === undefined) {
    return {
      _tag: "None",
      nearest: Nearest.nearest(uri, resources.map((one) => one.uri))
    }
  }
  return servers.length === 1 ? { _tag: "One", server } : { _tag: "Several", servers }
}

const distinct = (offers: ReadonlyArray<{ readonly server: string }>): ReadonlyArray<string> =>
  [...new Set(offers.map(({ server }) => server))].sort()

/** For each server: one that lists more must not keep everybody waiting. */
const MOST_TEMPLATES = 200

const isLookedAt = () => {
  const seen = new Map<string, number>()
  return ({ server }: { readonly server: string }): boolean => {
    const count = (seen.get(server) ?? 0) + 1
    seen.set(server, count)
    return count <= MOST_TEMPLATES
  }
}
