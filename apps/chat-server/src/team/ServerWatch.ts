/** Keeps when servers become ready, fail, are started again and stop, so that a restart of this server does not forget it. */
import { McpRegistries, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type ServerEvent, ServerEvents } from "./ServerEvents.ts"

type Before = Pick<ServerStatus, "restarts" | "state">
type Told = Before & Pick<ServerStatus, "error" | "name" | "sharing">

/**
 * The event between two looks at a server of this person, or of all; null for nothing that is kept. Among the servers
 * that all share a personal one has a place, in which nothing runs.
 */
export const eventOf = (before: Before | null, now: Told, owner: string | null = null): ServerEvent | null => {
  const { error, name: server, sharing, state } = now
  if (sharing === "personal" && owner === null) return null
  const about = { server, owner }
  if (before !== null && now.restarts > before.restarts) return { ...about, kind: "restarted", reason: null }
  if (state === before?.state) return null
  if (state === "failed") return { ...about, kind: "failed", reason: error?._tag ?? null }
  if (state === "ready") return { ...about, kind: "ready", reason: null }
  return state === "stopped" && before !== null ? { ...about, kind: "stopped", reason: null } : null
}

/** Watches the servers that all share and those of each person, and tidies up once an hour. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const events = yield* ServerEvents
  const { personal, shared } = yield* McpRegistries
  const told = Effect.catch(({ message }: { readonly message: string }) =>
    Effect.logWarning(`what happened to servers is not noted: ${message}`)
  )
  const before = new Map<string, Before>()
  const look = ([owner, now]: readonly [owner: string | null, now: Told]) =>
    Effect.suspend(() => {
      const key = `${now.name}\n${owner ?? ""}`
      const event = eventOf(before.get(key) ?? null, now, owner)
      // A stopped server of a person may never come back. When it does, it is new.
      if (owner !== null && now.state === "stopped") before.delete(key)
      else before.set(key, { restarts: now.restarts, state: now.state })
      return event === null ? Effect.void : told(events.add(event))
    })
  // The state of now comes behind the subscription, so that no change is missed.
  const all = Stream.merge(shared.events, Stream.unwrap(Effect.map(shared.servers, Stream.fromIterable)))
  const everybodys = Stream.map(all, (status) => [null, status] as const)
  yield* Effect.forkScoped(Stream.runForEach(Stream.merge(everybodys, personal), look))
  yield* Effect.forkScoped(Effect.repeat(told(events.tidy), Schedule.spaced("1 hour")))
}))
