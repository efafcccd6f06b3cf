/**
 * The registry as one person has it. Code that lists or calls tools asks for `McpRegistry`, and a program for several
 * people provides it here alone, so that leaving the person out is a type error.
 */
import { McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CurrentUser } from "./CurrentUser.ts"

type Without<R> = Exclude<R, McpRegistry> | McpRegistries

/** Runs with the registry of this person. */
export const forPerson = <A, E, R>(person: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Without<R>> =>
  Effect.flatMap(McpRegistries, ({ of }) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(
        Scope.provide(of(person), scope),
        (registry) => Effect.provideService(effect, McpRegistry, registry)
      )
    ))

/** Runs with the registry of the person of this request. */
export const mine = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Without<R> | CurrentUser> =>
  Effect.flatMap(CurrentUser, ({ id }) => forPerson(id, effect))

/** Uses the registry of the person of this request. */
export const use = <A, E, R>(
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, Without<R> | CurrentUser> => mine(McpRegistry.use(body))

/** Streams from the registry of the person of this request, as long as the stream runs. */
export const stream = <A, E, R>(
  body: (registry: McpRegistry["Service"]) => Stream.Stream<A, E, R>
): Stream.Stream<A, E, R | McpRegistries | CurrentUser> =>
  Stream.unwrap(Effect.gen(function*() {
    const { of } = yield* McpRegistries
    return body(yield* of((yield* CurrentUser).id))
  }))
