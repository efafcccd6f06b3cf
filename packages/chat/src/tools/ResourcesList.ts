/** `resources_list`: which resources there are, a page at a time, and whose are not among them. */
import { Nearest } from "@boocode/mcp-config"
import { type McpError, McpRegistry, type McpResource, type ResourceList } from "@boocode/mcp-registry"
import { type AgentTool, BuiltInTool, Fitting, ToolResult, Utf8 } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ResourceAccess from "./ResourceAccess.ts"

/** The name of the tool. */
export const LIST = "resources_list"

/** How much one answer shows. */
const LIMITS = { items: 100, bytes: 40_000, words: 300, uri: 8000 } as const

const DESCRIPTION =
  `Lists what can be read with resources_read: the resources of MCP servers, and templates from which ` +
  `URIs of more are made. At most ${LIMITS.items} at once; "next" is the offset of those that follow.`

/** `access` gives the servers whose resources may be listed; it is asked anew at each call. */
export const make = Effect.fnUntraced(function*(
  access: Effect.Effect<ReadonlyArray<ResourceAccess.Access>>
): Effect.fn.Return<AgentTool, never, McpRegistry> {
  const registry = yield* McpRegistry
  return BuiltInTool.make({
    name: LIST,
    description: DESCRIPTION,
    properties: {
      server: { type: "string", description: "Only those of this server, which is woken if it sleeps" },
      query: { type: "string", description: "Words that all stand in a name, a URI or a description" },
      offset: { type: "integer", minimum: 0, description: "How many to pass over. Default 0." }
    },
    required: [],
    args: Schema.Struct({
      server: Schema.optionalKey(Schema.NullOr(Schema.String)),
      query: Schema.optionalKey(Schema.NullOr(Schema.String)),
      offset: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))))
    }),
    run: ({ offset, query, server }) =>
      Effect.gen(function*() {
        const allowed = yield* access
        const only = server === undefined || server === "" ? null : server
        if (only !== null && !allowed.some(({ status }) => status.name === only)) {
          return refused(unknown(only, allowed))
        }
        const list = yield* Effect.result(registry.resources(only))
        if (Result.isFailure(list)) {
          return {
            ...broken(list.failure),
            origin: ResourceAccess.originOf(only === null ? [] : [only], allowed, LIST)
          }
        }
        const found = findResources(visible(list.success, allowed), query ?? "", Infinity)
        return {
          ...ToolResult.success(answer(found, offset ?? 0)),
          origin: ResourceAccess.originOf(speakersOf(found), allowed, LIST)
        }
      }),
    refuse: (why) => refused(`wrong arguments: ${why}`)
  })
})

const refused = (why: string) => ToolResult.failure(`${LIST}: ${why}`, { fault: "call" })

const broken = ({ hint, message }: McpError) =>
  ToolResult.failure(`${LIST} failed: ${message}; ${hint}`, { fault: "server" })

const unknown = (server: string, access: ReadonlyArray<ResourceAccess.Access>): string => {
  const names = access.map(({ status }) => status.name)
  const nearest = Nearest.nearest(server, names)
  const words = nearest.length > 0 ? `; the nearest: ${nearest.join(", ")}` : "; leave it out to see those of all"
  return `no server of yours is called ${server}${words}`
}

const visible = (list: ResourceList, access: ReadonlyArray<ResourceAccess.Access>): ResourceList => {
  const names = new Set(access.map(({ status }) => status.name))
  const isSeen = ({ server }: { readonly server: string }) => names.has(server)
  return {
    resources: list.resources.filter(isSeen),
    templates: list.templates.filter(isSeen),
    waiting: list.waiting.filter((server) => names.has(server)),
    failed: list.failed.filter(isSeen),
    warnings: []
  }
}

/** Servers wrote the names and the descriptions, and some of what went wrong. */
const speakersOf = ({ failed, resources, templates }: ResourceList): ReadonlyArray<string> =>
  [...resources, ...templates, ...failed].map(({ server }) => server)

const answer = (list: ResourceList, offset: number): string => {
  const all = [...list.resources.map(itemOf), ...list.templates.map(itemOf)]
  const items = pageOf(all.slice(offset, offset + LIMITS.items))
  const next = offset + items.length
  return JSON.stringify({
    items,
    total: all.length,
    ...(next < all.length ? { next } : {}),
    ...(list.waiting.length > 0 ? { waiting: list.waiting.slice(0, MOST_SERVERS), hint: WAITING } : {}),
    ...(list.failed.length > 0 ? { failed: list.failed.slice(0, MOST_SERVERS).map(troubleOf) } : {})
  })
}

const MOST_SERVERS = 50
const WAITING = "those that wait sleep, still connect or are slow: name one as server to wait for it"

const troubleOf = ({ message, server }: ResourceList["failed"][number]) => ({ server, why: shortened(message) })

type Listed = ResourceList["resources"][number] | ResourceList["templates"][number]

/** Unknown fields are left out, as each item costs the model. */
const itemOf = (item: Listed): Schema.JsonObject => {
  const { description, mimeType, name, server, title } = item
  const uri = "uri" in item ? item.uri : item.uriTemplate
  return {
    server,
    ...addressOf(uri, "uri" in item ? "uri" : "uriTemplate"),
    ...(name === uri ? {} : { name: shortened(name) }),
    ...(title === null || title === name ? {} : { title: shortened(title) }),
    ...(description === null ? {} : { description: shortened(description) }),
    ...(mimeType === null ? {} : { mimeType: shortened(mimeType) }),
    ...("size" in item && item.size !== null ? { size: item.size } : {})
  }
}

/** A server may write a URI of any length. */
const addressOf = (uri: string, key: string): Schema.JsonObject =>
  Utf8.byteLength(uri) <= LIMITS.uri ? { [key]: uri } : { note: `its ${key} is too long: ${shortened(uri)}` }

const shortened = (words: string): string => {
  const line = words.replaceAll(/\s+/g, " ").trim()
  const short = Utf8.prefix(line, LIMITS.words)
  return short.length === line.length ? line : `${short}…`
}

const pageOf = (items: ReadonlyArray<Schema.JsonObject>): ReadonlyArray<Schema.JsonObject> =>
  items.slice(0, Math.max(1, Fitting.count(items, LIMITS.bytes, (item) => Utf8.byteLength(JSON.stringify(item)) + 1)))

/** How many a person is given unless more are asked for. */
export const FOUND = 200
/** How many at most. */
export const MOST_FOUND = 10_000

/** The resources and templates that hold every word, those whose name begins with them first. */
export const findResources = (
  list: ResourceList,
  query: string,
  limit: number
): ResourceList & { readonly total: number } => {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "")
  if (words.length === 0) return { ...list, resources: list.resources.slice(0, limit), total: list.resources.length }
  const fits = (...texts: ReadonlyArray<string | null>) => {
    const text = texts.join("\n").toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const found = list.resources.filter(({ description, name, server, title, uri }) =>
    fits(name, title, uri, description, server)
  )
  const begins = ({ name, title }: McpResource) =>
    [name, title ?? ""].some((text) => text.toLowerCase().startsWith(words.join(" ")))
  return {
    ...list,
    resources: [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, limit),
    templates: list.templates.filter(({ description, name, server, title, uriTemplate }) =>
      fits(name, title, uriTemplate, description, server)
    ),
    total: found.length
  }
}
