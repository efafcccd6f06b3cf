/** The tools of published servers, as they were recorded: see test/fixtures/README.md. */
import * as Schema from "effect/Schema"
import recorded from "../../../../test/fixtures/live-mcp.json" with { type: "json" }
import installed from "../../../../test/fixtures/published-tools.json" with { type: "json" }

const Recording = Schema.Struct({
  servers: Schema.Array(Schema.Struct({
    server: Schema.String,
    tools: Schema.Array(Schema.Struct({
      name: Schema.String,
      description: Schema.NullOr(Schema.String),
      inputSchema: Schema.JsonObject,
      annotations: Schema.NullOr(Schema.JsonObject)
    }))
  }))
})

const serversOf = (recording: unknown) => Schema.decodeUnknownSync(Recording)(recording).servers

/** 70 servers, by LiveMCPBench. */
export const servers = serversOf(recorded)

const withServer = (all: typeof servers) =>
  all.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server, description: tool.description ?? "" })))

/** Their 527 tools. */
export const tools = withServer(servers)

/** The tools of the servers that this checkout installs. */
export const published = withServer(serversOf(installed))
