/** The recorded tools of published servers, and what people might ask of them. */
import type { ToolSearch } from "@boocode/toolkit"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"

const Recorded = Schema.fromJsonString(Schema.Struct({
  servers: Schema.Array(Schema.Struct({
    server: Schema.String,
    tools: Schema.Array(Schema.Struct({
      name: Schema.String,
      description: Schema.NullOr(Schema.String),
      inputSchema: Schema.JsonObject
    }))
  }))
}))

const Asked = Schema.fromJsonString(Schema.Struct({
  queries: Schema.Array(Schema.Struct({
    query: Schema.String,
    language: Schema.String,
    kind: Schema.Literals(["plain", "paraphrase", "typo", "name"]),
    /** Tools as `server/tool`. */
    expected: Schema.Array(Schema.String)
  }))
}))

export type Query = typeof Asked.Type.queries[number]

const read = (path: string): string => readFileSync(new URL(`../../test/${path}`, import.meta.url), "utf8")

/** All 527, named `server/tool`. */
export const tools: ReadonlyArray<ToolSearch.Searchable> = Schema.decodeSync(Recorded)(
  read("fixtures/live-mcp.json")
).servers.flatMap(({ server, tools }) =>
  tools.map(({ description, inputSchema, name }) => ({
    name: `${server}/${name}`,
    server,
    tool: name,
    description,
    inputSchema
  }))
)

export const queries: ReadonlyArray<Query> = Schema.decodeSync(Asked)(read("data/live-mcp/queries.json")).queries

/** So many different tools, made of the recorded ones under the names of more servers. */
export const many = (count: number): ReadonlyArray<ToolSearch.Searchable> =>
  Array.from({ length: count }, (_, at) => {
    const tool = tools[at % tools.length] ?? { name: "", server: "", description: "", inputSchema: {} }
    const copy = Math.floor(at / tools.length)
    return { ...tool, name: `${tool.name}_${copy}`, server: `${tool.server}${copy}` }
  })
