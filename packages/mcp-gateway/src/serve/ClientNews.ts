/** Tells clients what changes, and passes log messages of servers on. */
import { McpRegistry, type ServerNews } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ProfileServers from "../offer/ProfileServers.ts"
import type { ClientRoster } from "./ClientRoster.ts"
import type { ServedClient } from "./ServedClient.ts"
import type { ToolAnswers } from "./ToolAnswers.ts"

/** Servers that come one after the other are told of once. */
const PACE = "300 millis"

/** The levels of messages, the least first. */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

/** Runs until the scope closes. */
export const run = Effect.fnUntraced(function*(
  roster: Pick<ClientRoster, "all" | "ownNews">,
  { offer }: Pick<ToolAnswers, "offer">
): Effect.fn.Return<void, never, McpRegistry | Scope.Scope> {
  const registry = yield* McpRegistry

  const tellTools = Effect.fnUntraced(function*(served: ServedClient) {
    const now = yield* offer(served)
    if (now === served.known) return
    served.known = now
    served.tell({ kind: "tools_list_changed" })
  })
  const tellLists = (what: "prompts" | "resources") =>
    Effect.sync(() => {
      for (const served of roster.all()) served.tell({ kind: `${what}_list_changed` })
    })
  const changes = Stream.merge(Stream.map(registry.events, () => null), Stream.map(registry.applied, () => null))
  const lists = (what: "prompts" | "resources") =>
    Stream.runForEach(
      Stream.debounce(
        Stream.merge(
          changes,
          Stream.filter(registry.news, (news) => news._tag === "ListChanged" && news.what === what)
        ),
        PACE
      ),
      () => tellLists(what)
    )
  yield* Effect.forkScoped(
    Stream.runForEach(
      registry.applied,
      ({ changed, removed }) =>
        Effect.forEach(roster.all(), ({ servers }) => servers.entriesChanged([...changed, ...removed]), {
          discard: true,
          concurrency: "unbounded"
        })
    ),
    { startImmediately: true }
  )
  yield* Effect.forkScoped(
    Stream.runForEach(
      Stream.debounce(changes, PACE),
      () => Effect.forEach(roster.all(), tellTools, { discard: true })
    ),
    { startImmediately: true }
  )
  yield* Effect.forkScoped(lists("prompts"), { startImmediately: true })
  yield* Effect.forkScoped(lists("resources"), { startImmediately: true })
  yield* Effect.forkScoped(
    Stream.runForEach(registry.news, (news) => news._tag === "LogMessage" ? passed(news, roster.all()) : Effect.void),
    { startImmediately: true }
  )
  yield* Effect.forkScoped(
    Stream.runForEach(roster.ownNews, ({ news, served }) =>
      news._tag === "LogMessage"
        ? passed(news, [served])
        : Effect.sync(() => served.tell({ kind: `${news.what}_list_changed` }))),
    { startImmediately: true }
  )
})

type LogMessage = Extract<ServerNews, { readonly _tag: "LogMessage" }>

/**
 * A message goes to the client whose calls run at the server, on the stream of one of them. While calls of several clients do, nobody
 * knows whose it is about, so nobody is told; while none does, every client is that asked for messages and may see the server.
 */
const passed = Effect.fnUntraced(function*(message: LogMessage, clients: ReadonlyArray<ServedClient>) {
  const calling = clients.filter(({ open }) => open.some(({ server }) => server === message.server))
  const [only, ...others] = calling
  const params = paramsOf(message)
  if (only !== undefined && others.length === 0) {
    const call = only.open.findLast(({ server }) => server === message.server)
    const level = call?.channel.logLevel ?? null
    if (level !== null && isWanted(message, level)) {
      yield* call?.channel.notify("notifications/message", params) ?? Effect.void
    }
  }
  if (only !== undefined) return
  for (const served of clients.filter(({ logLevel }) => logLevel !== null && isWanted(message, logLevel))) {
    const { names } = yield* ProfileServers.of(served.client.profile)
    if (names.has(message.server)) yield* served.log(params)
  }
})

const isWanted = ({ level }: LogMessage, least: string): boolean =>
  LEVELS.indexOf(level ?? "info") >= LEVELS.indexOf(least)

const paramsOf = ({ level, logger, server, text }: LogMessage) => ({
  level: level ?? "info",
  logger: logger === null ? server : `${server}/${logger}`,
  data: text
})
