/** `resources_read`: a model names a URI, and the server that has it is asked. */
import { type McpError, type McpErrorReason, McpRegistry } from "@boocode/mcp-registry"
import { type AgentTool, BuiltInTool, type ResultFiles, type RunOptions, ToolResult } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ResourceAccess from "./ResourceAccess.ts"

/** The name of the tool. */
export const READ = "resources_read"

/** The servers to read from, asked anew at each call. */
export interface Source {
  /** The servers that may be read from. */
  readonly access: Effect.Effect<ReadonlyArray<ResourceAccess.Access>>
  /** Makes the reading of one server ask where a person wants that, and leaves out what nobody can be asked about. */
  readonly guard: (tools: ReadonlyArray<AgentTool>) => ReadonlyArray<AgentTool>
}

const DESCRIPTION = "Reads a resource of an MCP server by its URI: one that resources_list shows, or one made from a " +
  "template that it shows. The server is found by the URI; name it where several have the same one."

export const make = Effect.fnUntraced(function*(source: Source) {
  const services = yield* Effect.context<McpRegistry | ResultFiles>()
  return BuiltInTool.make({
    name: READ,
    description: DESCRIPTION,
    properties: {
      uri: { type: "string", minLength: 1, description: "The whole URI" },
      server: { type: "string", description: "The server to ask. Default: the one whose URI it is." }
    },
    required: ["uri"],
    args: Schema.Struct({
      uri: Schema.NonEmptyString,
      server: Schema.optionalKey(Schema.NullOr(Schema.String))
    }),
    run: ({ server, uri }, options) =>
      Effect.gen(function*() {
        const access = yield* source.access
        const one = yield* chosen(uri, server ?? null, access)
        const [tool] = source.guard([yield* ofServer(one)])
        return yield* tool === undefined
          ? Effect.fail(refused(`reading of ${one.status.name} needs a person's yes, and nobody can be asked`))
          : tool.run({ uri }, options)
      }).pipe(
        Effect.catch(Effect.succeed),
        Effect.provideContext(services)
      ),
    refuse: (why) => refused(`wrong arguments: ${why}`)
  })
})

const refused = (why: string, origin: ToolResult.ToolResult["origin"] = null) =>
  ToolResult.failure(`${READ}: ${why}`, { fault: "call", origin })

const chosen = Effect.fnUntraced(
  function*(uri: string, server: string | null, access: ReadonlyArray<ResourceAccess.Access>) {
    const named = (name: string) => access.find(({ status }) => status.name === name)
    if (server !== null && server !== "") {
      return named(server) ??
        (yield* Effect.fail(refused(`no server of yours is called ${server}; ${namesOf(access)}`)))
    }
    const list = yield* Effect.orElseSucceed(
      McpRegistry.use((registry) => registry.resources()),
      () => ({ resources: [], templates: [], waiting: [], failed: [] })
    )
    const isOurs = (one: { readonly server: string }) => named(one.server) !== undefined
    const resources = list.resources.filter(isOurs)
    const route = ResourceAccess.route(uri, { resources, templates: list.templates.filter(isOurs) })
    switch (route._tag) {
      case "One":
        return named(route.server) ?? (yield* Effect.fail(refused(`no server has ${uri}`)))
      case "Several":
        return yield* Effect.fail(
          refused(`several servers have ${uri}: give server as one of ${route.servers.join(", ")}`)
        )
      case "None": {
        const unasked = [
          ...list.waiting.filter((name) => named(name) !== undefined),
          ...list.failed.filter(isOurs).map((one) => one.server)
        ]
        // Servers wrote the URIs that are named.
        const speakers = resources.filter((one) => route.nearest.includes(one.uri)).map((one) => one.server)
        return yield* Effect.fail(
          refused(nobody(uri, route.nearest, access, unasked), ResourceAccess.originOf(speakers, access, READ))
        )
      }
    }
  }
)

const nobody = (
  uri: string,
  nearest: ReadonlyArray<string>,
  access: ReadonlyArray<ResourceAccess.Access>,
  unasked: ReadonlyArray<string>
): string =>
  [
    `no server lists ${uri}, and no template fits it`,
    ...(nearest.length > 0 ? [`the nearest: ${nearest.join(", ")}`] : []),
    ...(unasked.length > 0 ? [`not known of ${unasked.join(", ")}, which sleep, still connect or failed`] : []),
    `to try it all the same, give server; ${namesOf(access)}`
  ].join("; ")

const MOST_NAMED = 40

const namesOf = (access: ReadonlyArray<ResourceAccess.Access>): string => {
  const names = access.map(({ status }) => status.name)
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ""
  return names.length === 0 ? "there is none to read from" : `there are ${names.slice(0, MOST_NAMED).join(", ")}${more}`
}

/**
 * Reading from one server, as a tool of its own: patterns that ask speak of it by its name, those of its entry by
 * `resources`.
 */
const ofServer = Effect.fnUntraced(function*({ name, status }: ResourceAccess.Access) {
  const services = yield* Effect.context<McpRegistry | ResultFiles>()
  const tool: AgentTool = {
    name,
    server: status.name,
    origin: { server: status.name, tool: "resources/read", isTrusted: status.isTrusted },
    description: "Reads a resource of this server by its URI.",
    inputSchema: INPUT,
    tokens: 0,
    isAlwaysLoaded: true,
    needsApproval: status.asksResources,
    run: (args, options) => Effect.provideContext(readFrom(status, args, options), services)
  }
  return tool
})

const INPUT = {
  type: "object",
  properties: { uri: { type: "string", minLength: 1 } },
  required: ["uri"],
  additionalProperties: false
}

const uriOf = Schema.decodeUnknownEffect(Schema.Struct({ uri: Schema.NonEmptyString }))

const readFrom = Effect.fnUntraced(function*(
  { isTrusted, name }: ResourceAccess.Access["status"],
  args: unknown,
  options: RunOptions | undefined
) {
  const given = yield* Effect.option(uriOf(args))
  if (given._tag === "None") return refused("wrong arguments: uri must be a text")
  const { uri } = given.value
  const started = yield* Clock.currentTimeMillis
  const origin = { server: name, tool: `resource ${uri}`, isTrusted }
  const registry = yield* McpRegistry
  return yield* Effect.matchEffect(registry.readResource(name, uri, { asker: options?.asker }), {
    onFailure: (error) => Effect.succeed(failed(error, origin)),
    onSuccess: Effect.fnUntraced(function*(contents) {
      const millis = (yield* Clock.currentTimeMillis) - started
      const content = ResourceAccess.toBlocks(contents)
      const answer = { isError: false, content, structuredContent: null, millis }
      return yield* ToolResult.fromCall({ ...origin, maxResultBytes: MAX_BYTES }, answer)
    })
  })
})

/** The default limit of a result. A longer one, where its server's entry allows it, is kept in a file. */
const MAX_BYTES = 5_000_000

const failed = (error: McpError, origin: NonNullable<ToolResult.ToolResult["origin"]>) =>
  ToolResult.failure(`${READ} failed: ${error.message}; ${error.hint}`, { origin, fault: faultOf(error.reason) })

const faultOf = ({ _tag }: McpErrorReason): ToolResult.ToolResult["fault"] => {
  if (_tag === "RequestFailed") return "tool"
  return _tag === "UnknownResource" || _tag === "UnknownServer" || _tag === "MessageTooLarge" ? "call" : "server"
}
