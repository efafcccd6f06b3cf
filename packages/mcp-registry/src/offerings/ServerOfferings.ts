/** The prompts, resources and completions of one server. */
import type { Connection, Inquiry, ItemList, ListKind } from "@boocode/mcp-client/Connection"
import type { Asker } from "@boocode/mcp-client/Host"
import { type McpErrorReason, type RequestFailed, UnknownPrompt, UnknownResource } from "@boocode/mcp-client/McpError"
import { Requests } from "@boocode/mcp-client/Protocol"
import { Nearest, type ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { CallLimits } from "../calls/CallLimits.ts"
import type { Dispatch } from "../calls/Dispatch.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"
import * as ListCache from "./ListCache.ts"
import type { Listed } from "./ListCache.ts"
import * as Prompts from "./Prompts.ts"
import * as Resources from "./Resources.ts"

/**
 * The prompts, resources and completions of one server. Each request wakes a server that sleeps, may take the entry's `timeout`, and is
 * cancelled at the server when it is interrupted. All fail with `NotReady` and with what a request fails with.
 */
export interface ServerOfferings {
  readonly prompts: ListCache.ListCache<Prompts.McpPrompt>
  readonly resources: ListCache.ListCache<Resources.McpResource>
  readonly templates: ListCache.ListCache<Resources.McpResourceTemplate>
  /** Fills a prompt in. Fails with `UnknownPrompt`, and with `InvalidArguments` when one that is required is missing. */
  readonly prompt: (
    name: string,
    args: Schema.JsonObject,
    asker?: Asker
  ) => Effect.Effect<Prompts.PromptResult, McpErrorReason>
  /** Reads a resource. Fails with `UnknownResource` when the server says that it has none of this URI, or no resources. */
  readonly read: (
    uri: string,
    options?: { readonly asker?: Asker | undefined } & Partial<Resources.Reading>
  ) => Effect.Effect<ReadonlyArray<Resources.ResourceContent>, McpErrorReason>
  /** Its completions; none, without a request, where it declares none. */
  readonly complete: (
    request: Prompts.CompletionRequest
  ) => Effect.Effect<Prompts.Completion, McpErrorReason>
}

export interface Options {
  /** The name of the server. */
  readonly name: string
  readonly state: StateRef.StateRef
  readonly dispatch: Dispatch
  readonly limits: CallLimits
  /** Closes what is asked for in the background. */
  readonly scope: Scope.Scope
}

/** Asks for nothing yet. */
export const make = ({ dispatch, limits, name: server, scope, state }: Options): ServerOfferings => {
  const heard = changeCounter()
  const current = Effect.sync(() => ServerState.connectionOf(StateRef.now(state)))
  const inquired = ({ timeout }: ServerConfig, connection: Connection, what: string, inquiry: Inquiry) =>
    limits.within(
      { what, idle: timeout, total: timeout, spent: limits.begin() },
      (signs) =>
        Requests.aroundEnding(
          (end) => signs.started(end),
          connection.inquire({ ...inquiry, onAsked: (open) => signs.asked(open) })
        )
    )
  const list = <A>(kind: ListKind, decode: (server: string, listing: ItemList) => Listed<A>) =>
    ListCache.make({
      kind,
      decode: (listing) => decode(server, listing),
      dispatch,
      current,
      scope,
      changes: heard(kind === "prompts" ? "prompts" : "resources")
    })
  const prompts = list("prompts", Prompts.ofListing)
  const resources = list("resources", Resources.ofListing)

  /** One that came since the list was kept is looked for once more. */
  const promptNamed = Effect.fnUntraced(function*(name: string) {
    const isOurs = (prompt: Prompts.McpPrompt) => prompt.name === name
    const found = (yield* prompts.get).items.find(isOurs)
    if (found !== undefined) return found
    const { items } = yield* prompts.fresh
    const late = items.find(isOurs)
    if (late !== undefined) return late
    const nearest = Nearest.nearest(name, items.map((prompt) => prompt.name))
    return yield* Effect.fail(new UnknownPrompt({ name, nearest }))
  })
  /** Names the nearest, for which the list is fetched where nobody has asked for it yet. */
  const unknownResource = Effect.fnUntraced(function*(uri: string, said: { readonly detail: string }) {
    const listed = resources.last() ?? Option.getOrNull(
      yield* Effect.timeoutOption(Effect.orElseSucceed(resources.get, () => null), HINT_PATIENCE)
    )
    const known = listed?.items.map((resource) => resource.uri) ?? []
    return yield* Effect.fail(new UnknownResource({ uri, nearest: Nearest.nearest(uri, known), ...said }))
  })
  const read: ServerOfferings["read"] = (uri, { asker, asWritten = false, maxBytes } = {}) =>
    dispatch.use(({ config, connection }) =>
      connection.declares("resources")
        ? Effect.map(
          inquired(config, connection, `resource ${uri}`, inquiry("resources/read", { uri }, asker)),
          (raw) => Resources.toContents(raw, uri, { maxBytes: maxBytes ?? config.maxResultBytes, asWritten })
        )
        : Effect.fail(new UnknownResource({ uri, nearest: [] }))
    ).pipe(Effect.catchIf(isNotFound, ({ detail }) => unknownResource(uri, { detail })))

  return {
    prompts,
    resources,
    templates: list("templates", Resources.templatesOfListing),
    prompt: Effect.fn("McpServer.prompt")(function*(name: string, args: Schema.JsonObject, asker?: Asker) {
      const prompt = yield* promptNamed(name)
      const params = { name, arguments: yield* Effect.fromResult(Prompts.encodeArguments(prompt, args)) }
      return yield* dispatch.use(({ config, connection }) =>
        Effect.map(
          inquired(config, connection, `prompt ${name}`, inquiry("prompts/get", params, asker)),
          (raw) => Prompts.toResult(raw, config.maxResultBytes)
        )
      )
    }),
    read: Effect.fn("McpServer.read")(read),
    complete: Effect.fn("McpServer.complete")((request) =>
      dispatch.use(({ config, connection }) =>
        connection.declares("completions")
          ? Effect.map(
            inquired(
              config,
              connection,
              "a completion",
              inquiry("completion/complete", Prompts.encodeCompletion(request))
            ),
            Prompts.toCompletion
          )
          : Effect.succeed(Prompts.NONE)
      )
    )
  }
}

/** Counts what connections tell of changes, from the first time that somebody asks. */
const changeCounter = () => {
  const counts = { prompts: 0, resources: 0 }
  let heard: Connection | null = null
  return (what: "prompts" | "resources") => (connection: Connection) => {
    if (heard !== connection) {
      heard = connection
      connection.onListChanged((changed) => {
        counts[changed]++
      })
    }
    return counts[what]
  }
}

const inquiry = (method: Inquiry["method"], params: Schema.JsonObject, asker?: Asker): Inquiry => ({
  method,
  params,
  asker: asker ?? null
})

/** How long a failure waits for what makes it more telling. */
const HINT_PATIENCE = "2 seconds"

/** The codes before revision 2026-07-28, and since. Only the URI of such a request can be wrong. */
const NOT_FOUND: ReadonlyArray<number> = [-32002, -32602]

const isNotFound = (reason: McpErrorReason): reason is RequestFailed =>
  reason._tag === "RequestFailed" && NOT_FOUND.includes(reason.code)
