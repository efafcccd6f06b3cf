/**
 * The server side of the official SDK, which speaks both eras. Loading it takes longer than all of this package, so this
 * file alone does it, when the first gateway is made.
 */
import type * as Loaded from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"

export type Sdk = typeof Loaded

export type {
  HandlerResultTypeMap,
  Server,
  ServerContext,
  ServerEvent,
  ServerEventBus,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"

/** The SDK. */
export const load: Effect.Effect<Sdk> = Effect.promise(() => import("@modelcontextprotocol/server"))

/** An error that a client reads as an error of the protocol. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly code: number
  readonly message: string
}

export const refusal = (code: number, message: string): Refusal => ({ _tag: "Refusal", code, message })

export const INVALID_PARAMS = -32602
export const INTERNAL = -32603
export const NOT_FOUND = -32002

/**
 * Takes JSON for what the SDK types it as. The SDK checks the results of tools before it sends them; the others are made here
 * or by the registry.
 */
export const typed = <A>(value: unknown): Effect.Effect<A> =>
  isTyped<A>(value) ? Effect.succeed(value) : Effect.die("the SDK gave no object")

const isTyped = <A>(value: unknown): value is A => typeof value === "object" && value !== null
