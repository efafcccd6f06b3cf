/** Keeps when servers become ready, fail, are started again and stop, so that a restart of this server does not forget it. */
import { McpRegistries, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type ServerEvent, ServerEvents } from "./ServerEvents.ts"

type Told = Pick<ServerStatus, "error" | "name" | "restarts" | "sharing" | "state">

/** The event between two looks at a server; null for nothing that is kept. A personal server is one of each person's. */
export const eventOf = (before: Told | null, now: Told): ServerEvent | null => {
  const { error, name: server, sharing, state } = now
  if (sharing === "personal") return null
  if (before !== null && now.restarts > before.restarts) return { server, kind: "restarted", reason: null }
  if (state === before?.state) return null
  if (state === "failed") return { server, kind: "failed", reason: error?._tag ?? null }
  if (state === "ready") return { server, kind: "ready", reason: null }
  return state === "stopped" && before !== null ? { server, kind: "stopped", reason: null } : null
}

/** Watches the servers that all share, and tidies up once an hour. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const events = yield* ServerEvents
  const { shared } = yield* McpRegistries
  const told = Effect.catch(({ message }: { readonly message: string }) =>
    Effect.logWarning(`what happened to servers is not noted: ${message}`)
  )
  const before = new Map<string, Told>()
  const look = (now: Told) =>
    Effect.suspend(() => {
      const event = eventOf(before.get(now.name) ?? null, now)
      before.set(now.name, now)
      return event === null ? Effect.void : told(events.add(event))
    })
  // The state of now comes behind the subscription, so that no change is missed.
  const all = Stream.merge(shared.events, Stream.unwrap(Effect.map(shared.servers, Stream.fromIterable)))
  yield* Effect.forkScoped(Stream.runForEach(all, look))
  yield* Effect.forkScoped(Effect.repeat(told(events.tidy), Schedule.spaced("1 hour")))
}))
