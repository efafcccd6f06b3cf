/**
 * Which server a URI belongs to, among servers that know nothing of each other. Pure.
 */
import { Nearest } from "@boocode/mcp-config"
import type { McpResource, McpResourceTemplate } from "@boocode/mcp-registry"
import * as UriTemplate from "./UriTemplate.ts"

/** What there is to read. @category models */
export interface Offered {
  readonly resources: ReadonlyArray<Pick<McpResource, "server" | "uri">>
  readonly templates: ReadonlyArray<Pick<McpResourceTemplate, "server" | "uriTemplate">>
}

/** Where a URI leads. @category models */
export type Route =
  | { readonly _tag: "One"; readonly server: string }
  /** Several have it, sorted by name: the URI alone does not say which is meant. */
  | { readonly _tag: "Several"; readonly servers: ReadonlyArray<string> }
  /** The closest URIs that are listed, the closest first. */
  | { readonly _tag: "None"; readonly nearest: ReadonlyArray<string> }

/**
 * The server that lists the URI, else the one of whose templates one fits it. The same for any order of what is offered.
 *
 * @category routing
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

/** Of each server; one that lists more must not keep everybody waiting. @category constants */
export const MOST_TEMPLATES = 200

const isLookedAt = () => {
  const seen = new Map<string, number>()
  return ({ server }: { readonly server: string }): boolean => {
    const count = (seen.get(server) ?? 0) + 1
    seen.set(server, count)
    return count <= MOST_TEMPLATES
  }
}
