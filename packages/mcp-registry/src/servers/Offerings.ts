/** The prompts, resources and completions of all servers. */
import { McpError, type McpErrorReason, UnknownServer } from "@boocode/mcp-client/McpError"
import { Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CallOptions } from "../model/McpTool.ts"
import type { PromptList, ResourceList } from "../model/Offered.ts"
import type { ListCache } from "../offerings/ListCache.ts"
import type { Completion, CompletionRequest, PromptResult } from "../offerings/Prompts.ts"
import type { Reading, ResourceContent } from "../offerings/Resources.ts"
import type { ResourceUpdate } from "../offerings/ResourceWatches.ts"
import type { ServerOfferings } from "../offerings/ServerOfferings.ts"
import type { Applied, ServerSet } from "./ServerSet.ts"
import type { ServerSlot } from "./ServerSlot.ts"

export type { PromptList, ResourceList } from "../model/Offered.ts"

/** How long lists of all servers wait for one of them; it is there the next time. */
const PATIENCE = "5 seconds"

export type RequestOptions = Pick<CallOptions, "asker">

/** How a resource is read. */
export interface ReadOptions extends RequestOptions, Partial<Reading> {}

/** The part of `McpRegistry` that is about them. */
export interface Offerings {
  readonly prompts: (server?: string | null) => Effect.Effect<PromptList, McpError>
  readonly prompt: (
    server: string,
    name: string,
    args: Schema.JsonObject,
    options?: RequestOptions
  ) => Effect.Effect<PromptResult, McpError>
  readonly resources: (server?: string | null) => Effect.Effect<ResourceList, McpError>
  readonly readResource: (
    server: string,
    uri: string,
    options?: ReadOptions
  ) => Effect.Effect<ReadonlyArray<ResourceContent>, McpError>
  readonly complete: (server: string, request: CompletionRequest) => Effect.Effect<Completion, McpError>
}

export const make = (servers: Pick<ServerSet, "all" | "names" | "find">): Offerings => {
  /** The server as it is now, or the one that takes its place meanwhile; its failures name it. */
  const of = <A>(
    name: string,
    use: (offerings: ServerOfferings) => Effect.Effect<A, McpErrorReason>
  ): Effect.Effect<A, McpError> =>
    Effect.suspend(() => {
      const slot = servers.find(name)
      if (slot !== undefined) {
        const server = slot.serving()
        return Effect.catch(use(server.offerings), (reason) =>
          slot.isReplaced(server, reason)
            ? Effect.andThen(Effect.ignore(slot.settled), of(name, use))
            : Effect.fail(new McpError({ server: name, reason })))
      }
      const nearest = Nearest.nearest(name, servers.names())
      return Effect.fail(new McpError({ server: null, reason: new UnknownServer({ name, nearest }) }))
    })
  const gathered = <A>(pick: Choice<A>, server: string | null | undefined) =>
    server === null || server === undefined
      ? Effect.map(Effect.forEach(servers.all(), (slot) => ofAny(slot, pick), { concurrency: "unbounded" }), joined)
      : Effect.map(of(server, (offerings) => pick(offerings).get), (list) => joined([had(server, list)]))
  return {
    prompts: Effect.fn("McpRegistry.prompts")(function*(server?: string | null) {
      const { items, ...rest } = yield* gathered(({ prompts }) => prompts, server)
      return { prompts: items, ...rest }
    }),
    prompt: (server, name, args, options) => of(server, ({ prompt }) => prompt(name, args, options?.asker)),
    resources: Effect.fn("McpRegistry.resources")(function*(server?: string | null) {
      const [resources, templates] = yield* Effect.all([
        gathered(({ resources }) => resources, server),
        gathered(({ templates }) => templates, server)
      ], { concurrency: 2 })
      return {
        resources: resources.items,
        templates: templates.items,
        waiting: [...new Set([...resources.waiting, ...templates.waiting])].sort(),
        failed: [...new Map([...templates.failed, ...resources.failed].map((one) => [one.server, one])).values()],
        warnings: [...new Set([...resources.warnings, ...templates.warnings])]
      }
    }),
    readResource: (server, uri, options) => of(server, ({ read }) => read(uri, options)),
    complete: (server, request) => of(server, ({ complete }) => complete(request))
  }
}

type Choice<A> = (offerings: ServerOfferings) => ListCache<A>

/** The list of one server, or why it is missing. */
interface Share<A> {
  readonly items: ReadonlyArray<A>
  readonly waiting: ReadonlyArray<string>
  readonly failed: PromptList["failed"]
  readonly warnings: ReadonlyArray<string>
}

const NOTHING = { items: [], waiting: [], failed: [], warnings: [] }

const had = <A>(
  server: string,
  { diagnostics, items }: { items: ReadonlyArray<A>; diagnostics: ReadonlyArray<string> }
) => ({
  ...NOTHING,
  items,
  warnings: diagnostics.map((words) => `${server}: ${words}`)
})

const cannot = (server: string, { hint, message }: { readonly message: string; readonly hint: string }) => ({
  ...NOTHING,
  failed: [{ server, message, hint }]
})

/** The list of one server among all: a server that sleeps is not woken, and the wait is limited. */
const ofAny = Effect.fnUntraced(function*<A>(slot: ServerSlot, pick: Choice<A>): Effect.fn.Return<Share<A>> {
  const { name } = slot
  const cache = pick(slot.serving().offerings)
  const { error, idle, state } = yield* slot.status
  if (state === "connecting") return { ...NOTHING, waiting: [name] }
  if (state === "failed" || state === "needs-auth") return error === null ? NOTHING : cannot(name, error)
  if (state !== "ready") return NOTHING
  const last = cache.last()
  if (idle) return last === null ? { ...NOTHING, waiting: [name] } : had(name, last)
  return yield* Effect.match(Effect.timeoutOption(cache.get, PATIENCE), {
    onFailure: (reason) => cannot(name, reason),
    onSuccess: Option.match({ onNone: () => ({ ...NOTHING, waiting: [name] }), onSome: (list) => had(name, list) })
  })
})

const joined = <A>(shares: ReadonlyArray<Share<A>>): Share<A> => ({
  items: shares.flatMap(({ items }) => items),
  waiting: shares.flatMap(({ waiting }) => waiting),
  failed: shares.flatMap(({ failed }) => failed),
  warnings: shares.flatMap(({ warnings }) => warnings)
})

export interface WatchOptions {
  /** Whether one comes as soon as the server tells of updates, so that who reads at each misses nothing. */
  readonly atStart?: boolean
}

/** The part of `McpRegistry` that is about them. */
export type WatchResource = (
  server: string,
  uri: string,
  options?: WatchOptions
) => Stream.Stream<ResourceUpdate, McpError>

export const makeResourceWatch =
  (servers: Pick<ServerSet, "find" | "names" | "events">, applied: Stream.Stream<Applied>): WatchResource =>
  (name, uri, { atStart = false } = {}) => {
    const failure = (reason: McpErrorReason) => new McpError({ server: name, reason })
    const unknown = () =>
      new McpError({
        server: null,
        reason: new UnknownServer({ name, nearest: Nearest.nearest(name, servers.names()) })
      })
    const serving = () => servers.find(name)?.serving() ?? null
    const changes = Stream.merge(
      Stream.filter(Stream.unwrap(servers.events), (status) => status.name === name),
      applied
    )
    return Stream.unwrap(Effect.gen(function*() {
      const first = serving()
      if (first === null) return Stream.fail(unknown())
      yield* Effect.mapError(first.watches.offered, failure)
      return Stream.merge(Stream.succeed(null), changes).pipe(
        Stream.map(serving),
        Stream.changesWith((was, is) => was === is),
        Stream.zipWithIndex,
        Stream.switchMap(([server, index]) =>
          server === null
            ? Stream.fail(unknown())
            : Stream.mapError(server.watches.updates(uri, atStart || index > 0), failure)
        )
      )
    }))
  }
