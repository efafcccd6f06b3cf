/** The answers to a client about prompts, resources and completions. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import { type CompletionRequest, type McpError, McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Profile } from "../model/Profile.ts"
import { INTERNAL, INVALID_PARAMS, notFound, type Refusal, refusal } from "../model/Sdk.ts"
import * as OfferedPrompts from "../offer/OfferedPrompts.ts"
import * as OfferedResources from "../offer/OfferedResources.ts"
import type { Answer, Asked } from "./ClientRequest.ts"
import type { ServedClient } from "./ServedClient.ts"

export interface OfferingAnswers {
  readonly listPrompts: (served: ServedClient) => Answer
  readonly getPrompt: (served: ServedClient, asked: Asked) => Answer
  readonly listResources: (served: ServedClient) => Answer
  readonly listTemplates: (served: ServedClient) => Answer
  readonly readResource: (served: ServedClient, asked: Asked) => Answer
  readonly complete: (served: ServedClient, params: Schema.JsonObject) => Answer
  /** Where the updates of a resource come from; null where no server that tells of any may have it. */
  readonly routeOf: (profile: Profile, uri: string) => Effect.Effect<OfferedResources.Route | null>
}

export const make = Effect.fnUntraced(function*(
  settled: Effect.Effect<unknown>
): Effect.fn.Return<OfferingAnswers, never, McpRegistry> {
  const registry = yield* McpRegistry
  const prompts = (profile: Profile) => Effect.provideService(OfferedPrompts.of(profile), McpRegistry, registry)
  const resources = (profile: Profile) => Effect.provideService(OfferedResources.of(profile), McpRegistry, registry)
  const promptNamed = Effect.fnUntraced(function*(profile: Profile, name: Schema.Json | undefined) {
    const found = (yield* prompts(profile)).find((one) => one.name === name)
    return found === undefined
      ? yield* Effect.fail(refusal(INVALID_PARAMS, `Unknown prompt: ${JSON.stringify(name ?? null)}`))
      : found.prompt
  })
  /** Asks one server after the other, until one has it. */
  const read = (
    routes: ReadonlyArray<OfferedResources.Route>,
    uri: string,
    served: ServedClient,
    { channel }: Asked
  ): Answer => {
    const [route, ...others] = routes
    if (route === undefined) return Effect.fail(notFound(uri))
    return served.servers.readResource(route.server, route.uri, served.askerOf(channel)).pipe(
      Effect.map((contents): Schema.JsonObject => ({ contents: contents.map(OfferedResources.encodeContent) })),
      Effect.catch((error) =>
        error.reason._tag === "UnknownResource" ? read(others, uri, served, { channel, params: {} }) : failed(error)
      )
    )
  }
  return {
    listPrompts: ({ client: { profile } }) =>
      Effect.andThen(settled, Effect.map(prompts(profile), (all) => ({ prompts: all.map(OfferedPrompts.encode) }))),
    getPrompt: Effect.fnUntraced(function*(served, { channel, params }) {
      const { name, server } = yield* promptNamed(served.client.profile, params["name"])
      const args = JsonRpc.isObject(params["arguments"]) ? params["arguments"] : {}
      const { description, messages } = yield* Effect.catch(
        served.servers.prompt(server, name, args, served.askerOf(channel)),
        failed
      )
      return { ...(description === null ? {} : { description }), messages }
    }),
    listResources: ({ client: { profile } }) =>
      Effect.andThen(
        settled,
        Effect.map(resources(profile), (all) => ({ resources: all.resources.map(OfferedResources.encode) }))
      ),
    listTemplates: ({ client: { profile } }) =>
      Effect.andThen(
        settled,
        Effect.map(
          resources(profile),
          (all) => ({ resourceTemplates: all.templates.map(OfferedResources.encodeTemplate) })
        )
      ),
    readResource: Effect.fnUntraced(function*(served, asked) {
      const uri = uriIn(asked.params)
      const kept = served.results.contents(uri)
      if (kept !== null) return { contents: kept }
      const { routes } = yield* resources(served.client.profile)
      return yield* read(routes(uri), uri, served, asked)
    }),
    complete: Effect.fnUntraced(function*({ client: { profile }, servers }, params) {
      const asked = yield* completionOf(params)
      const target = asked.ref.type === "ref/prompt"
        ? { ...asked.ref, ...(yield* promptNamed(profile, asked.ref.name)) }
        : { ...asked.ref, server: (yield* resources(profile)).routes(asked.ref.uri)[0]?.server ?? "" }
      const { server, type } = target
      const ref = type === "ref/prompt" ? { type, name: target.name } : { type, uri: target.uri }
      const { hasMore, values } = yield* Effect.catch(servers.complete(server, { ...asked, ref }), failed)
      return { completion: { values, hasMore } }
    }),
    routeOf: (profile, uri) => Effect.map(resources(profile), ({ routes }) => routes(uri)[0] ?? null)
  }
})

/** The URI that a request is about. */
export const uriIn = ({ uri }: Schema.JsonObject): string => typeof uri === "string" ? uri : ""

const OF_THE_REQUEST = ["UnknownPrompt", "InvalidArguments", "UnknownServer", "NotOffered"]

const failed = ({ hint, message, reason: { _tag } }: McpError): Effect.Effect<never, Refusal> =>
  Effect.fail(refusal(OF_THE_REQUEST.includes(_tag) ? INVALID_PARAMS : INTERNAL, `${message}; ${hint}`))

/** The SDK has checked its shape. */
const completionOf = ({ argument, context, ref }: Schema.JsonObject): Effect.Effect<CompletionRequest, Refusal> => {
  const { name: promptName, type, uri } = JsonRpc.isObject(ref) ? ref : {}
  const { name, value } = JsonRpc.isObject(argument) ? argument : {}
  if (typeof name !== "string" || typeof value !== "string") {
    return Effect.fail(refusal(INVALID_PARAMS, "the argument to complete has a name and a value"))
  }
  const given = JsonRpc.isObject(context) && JsonRpc.isObject(context["arguments"]) ? context["arguments"] : {}
  const filled = Object.fromEntries(
    Object.entries(given).flatMap(([key, text]) => typeof text === "string" ? [[key, text] as const] : [])
  )
  const rest = { argument: { name, value }, context: { arguments: filled } }
  if (type === "ref/prompt" && typeof promptName === "string") {
    return Effect.succeed({ ...rest, ref: { type, name: promptName } })
  }
  return type === "ref/resource" && typeof uri === "string"
    ? Effect.succeed({ ...rest, ref: { type, uri } })
    : Effect.fail(refusal(INVALID_PARAMS, "a completion is of a prompt or of a resource"))
}
