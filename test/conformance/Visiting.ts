/** One visit to a server of the suite: a registry of that entry alone, made of public options only. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { type Asker, Authorizer, McpErrors, McpRegistry, nobody, ServerRequests } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Scenarios from "./Scenarios.ts"

/** Says yes to every form, with as little as the scenarios let a person fill in. */
const agreeable: Asker = {
  ...nobody,
  elicit: (request) =>
    Effect.succeed({
      action: "accept",
      content: request.kind === "form" && hasField(request.schema, "confirmed") ? { confirmed: true } : {}
    })
}

const hasField = (schema: object, name: string): boolean =>
  "properties" in schema && typeof schema.properties === "object" && Object.hasOwn(schema.properties ?? {}, name)

const requests = Layer.succeed(ServerRequests, {
  elicitation: ["form", "url"],
  sampling: true,
  asker: agreeable,
  roots: { current: Effect.succeed([]), changes: Stream.empty }
})

/** The suite's authorization servers ask nobody and send the browser back at once. */
const authorizer = Layer.succeed(Authorizer, {
  redirectUri: "http://localhost:3000/callback",
  authorize: ({ url }) =>
    Effect.tryPromise(() => fetch(url, { redirect: "manual" })).pipe(
      Effect.flatMap((response) => Effect.fromNullishOr(response.headers.get("location"))),
      Effect.mapError(() => new McpErrors.AuthorizationFailed({ detail: "it sent nobody back" }))
    )
})

/** Fails with what the server's person would read. */
export const run = (visit: Scenarios.Visit) =>
  Effect.gen(function*() {
    const registry = yield* McpRegistry
    const { failed } = yield* registry.settled
    for (const { hint, message } of failed) return yield* Effect.fail(`${message} (${hint})`)
    yield* Effect.mapError(Scenarios.steps(visit, registry), (error) => `${error.message} (${error.hint})`)
  }).pipe(
    Effect.provide(
      McpRegistry.layer().pipe(
        Layer.provide(McpConfig.layerEntries({ [Scenarios.SERVER]: Scenarios.entry(visit) })),
        Layer.provide([requests, authorizer]),
        Layer.provide(NodeMcp.layer),
        Layer.provide(Environment.layer(process.env))
      )
    ),
    // What goes wrong is the answer; a line for each server would only stand in between.
    Effect.provideService(References.MinimumLogLevel, "None")
  )
