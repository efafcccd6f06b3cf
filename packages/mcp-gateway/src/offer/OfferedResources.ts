/** The resources that a client is offered. They keep their URIs unless two servers list the same one. */
import { McpRegistry, type McpResource, type McpResourceTemplate, type ResourceContent } from "@boocode/mcp-registry"
import { UriTemplate } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Profile } from "../model/Profile.ts"
import * as ProfileServers from "./ProfileServers.ts"

export interface OfferedResources {
  readonly resources: ReadonlyArray<McpResource>
  readonly templates: ReadonlyArray<McpResourceTemplate>
  /** Where a URI may lead, the likeliest first: a server that lists it, one with a template for it, then every other. */
  readonly routes: (uri: string) => ReadonlyArray<Route>
}

export interface Route {
  readonly server: string
  /** As the server knows it. */
  readonly uri: string
}

/** Those of the servers that the profile allows, as far as they can be had at once. */
export const of = Effect.fnUntraced(function*(profile: Profile) {
  const registry = yield* McpRegistry
  const { names, statuses } = yield* ProfileServers.of(profile)
  const offered = yield* Effect.orDie(registry.resources())
  const resources = offered.resources.filter(({ server }) => names.has(server))
  const templates = offered.templates.filter(({ server }) => names.has(server))
  const holders = Map.groupBy(resources, ({ uri }) => uri)
  const others = statuses.filter(({ capabilities }) => capabilities?.resources === true).map(({ name }) => name)
  return {
    templates,
    resources: resources.map((one) => (holders.get(one.uri)?.length ?? 0) > 1 ? { ...one, uri: ownUri(one) } : one),
    routes: (uri) => {
      const own = routeOf(uri)
      if (own !== null) return names.has(own.server) ? [own] : []
      const listing = (holders.get(uri) ?? []).map(({ server }) => server)
      const fitting = templates.filter(({ uriTemplate }) => uriTemplate === uri || UriTemplate.fits(uriTemplate, uri))
      return [...new Set([...listing, ...fitting.map(({ server }) => server), ...others])].map((server) => ({
        server,
        uri
      }))
    }
  } satisfies OfferedResources
})

const BEGINNING = "boocode://server/"

/** A URI that says whose it is. */
const ownUri = ({ server, uri }: Route): string =>
  `${BEGINNING}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`

const routeOf = (uri: string): Route | null => {
  if (!uri.startsWith(BEGINNING)) return null
  const [server = "", inner = ""] = uri.slice(BEGINNING.length).split("/")
  return { server: decoded(server), uri: decoded(inner) }
}

/** A text that is not encoded leads nowhere, as it is. */
const decoded = (text: string): string => Result.getOrElse(Result.try(() => decodeURIComponent(text)), () => text)

/** On the wire. */
export const encode = ({ description, mimeType, name, passed, size, title, uri }: McpResource): Schema.JsonObject => ({
  uri,
  ...size === null ? {} : { size },
  ...described({ description, mimeType, name, title }),
  ...passed
})

/** On the wire. */
export const encodeTemplate = (
  { description, mimeType, name, passed, title, uriTemplate }: McpResourceTemplate
): Schema.JsonObject => ({ uriTemplate, ...described({ description, mimeType, name, title }), ...passed })

const described = (
  { description, mimeType, name, title }: Pick<McpResource, "name" | "title" | "description" | "mimeType">
): Schema.JsonObject => ({
  name,
  ...title === null ? {} : { title },
  ...description === null ? {} : { description },
  ...mimeType === null ? {} : { mimeType }
})

/** On the wire; what the entry of the server cut says so. */
export const encodeContent = (
  { blob, mimeType, passed, text, truncated, uri }: ResourceContent
): Schema.JsonObject => ({
  uri,
  ...mimeType === null ? {} : { mimeType },
  ...(blob === null ? { text: `${text ?? ""}${truncated ? CUT : ""}` } : { blob }),
  ...passed
})

const CUT = "\n[cut: it is larger than maxResultBytes of its server's entry]"
