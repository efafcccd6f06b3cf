/** What each scenario of the suite asks of a client: further keys of the entry, and what is done once the server is there. */
import type { McpRegistry, McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** What the suite says of the scenario it runs. */
export const Visit = Schema.Struct({
  scenario: Schema.String,
  /** The address of the suite's server. */
  url: Schema.String,
  /** What only some scenarios have: calls to make, clients that are registered already. */
  context: Schema.Record(Schema.String, Schema.Json)
})

export type Visit = typeof Visit.Type

/** The name of the suite's server in the configuration. */
export const SERVER = "suite"

type Registry = McpRegistry["Service"]

/** The entry that a person would write for the server of this scenario. */
export const entry = ({ context, scenario, url }: Visit): Schema.JsonObject =>
  scenario.startsWith("auth/") ? { url, oauth: oauth(scenario, context) } : { url }

const oauth = (scenario: string, context: Visit["context"]): Schema.JsonObject => {
  const text = (key: string) => context[key] ?? null
  switch (scenario) {
    case "auth/pre-registration":
      return { clientId: text("client_id"), clientSecret: text("client_secret") }
    case "auth/client-credentials-basic":
      return { grant: "client_credentials", clientId: text("client_id"), clientSecret: text("client_secret") }
    case "auth/client-credentials-jwt":
      return {
        grant: "client_credentials",
        clientId: text("client_id"),
        privateKey: text("private_key_pem"),
        algorithm: text("signing_algorithm")
      }
    default:
      // The address the suite's authorization servers expect of a client that has one; they say whether they take it.
      return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }
  }
}

/** What a person does with the server; the registry has connected and listed its tools already. */
export const steps = (visit: Visit, registry: Registry) => {
  const call = (tool: string, args: Schema.Json = {}) => registry.call(`${SERVER}_${tool}`, args)
  switch (visit.scenario) {
    case "tools_call":
      return call("add_numbers", { a: 5, b: 3 })
    case "elicitation-sep1034-client-defaults":
      return call("test_client_elicitation_defaults")
    case "sse-retry":
      return call("test_reconnection")
    case "sep-2322-client-request-state":
      return Effect.all([
        Effect.all([call("test_mrtr_echo_state"), call("test_mrtr_unrelated")], { concurrency: "unbounded" }),
        call("test_mrtr_no_state"),
        call("test_mrtr_no_result_type")
      ])
    case "http-standard-headers":
      return everything(registry)
    case "http-custom-headers":
      return Effect.forEach(calls(visit.context), (wanted) => call(wanted.name, wanted.arguments))
    case "http-invalid-tool-headers":
      return Effect.flatMap(
        registry.tools,
        Effect.forEach(({ name }) => registry.call(name, { region: "us-west1" }))
      )
    case "json-schema-2020-12-preservation":
      return Effect.flatMap(
        registry.tool(`${SERVER}_json_schema_2020_12_tool`),
        ({ inputSchema }) => call("json_schema_echo", { schema: inputSchema })
      )
    default:
      return visit.scenario.startsWith("auth/") ? Effect.flatMap(registry.tools, callTest(registry)) : Effect.void
  }
}

/** Servers of the authorization scenarios have this one tool, if any. */
const callTest = (registry: Registry) => (tools: ReadonlyArray<McpTool>) =>
  Effect.forEach(tools.filter(({ tool }) => tool === "test-tool"), ({ name }) => registry.call(name, {}))

const Calls = Schema.Array(Schema.Struct({ name: Schema.String, arguments: Schema.Json }))

const calls = (context: Visit["context"]) => Schema.decodeUnknownSync(Calls)(context["toolCalls"])

const everything = Effect.fnUntraced(function*(registry: Registry) {
  const { resources } = yield* registry.resources(SERVER)
  const { prompts } = yield* registry.prompts(SERVER)
  yield* Effect.forEach(yield* registry.tools, ({ name }) => registry.call(name, {}))
  yield* Effect.forEach(resources, ({ uri }) => registry.readResource(SERVER, uri))
  yield* Effect.forEach(prompts, ({ name }) => registry.prompt(SERVER, name, {}))
})
