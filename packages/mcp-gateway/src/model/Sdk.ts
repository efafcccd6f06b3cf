/**
 * The server side of the official SDK, which speaks both eras. Loading it takes longer than all of this package, so this
 * file alone does it, when the first gateway is made.
 */
import type * as Loaded from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"

export type Sdk = typeof Loaded

export type {
  HandlerResultTypeMap,
  JSONRPCMessage,
  JSONRPCRequest,
  McpHttpHandler,
  Server,
  ServerContext,
  ServerEvent,
  ServerEventBus,
  Transport,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"

/** The SDK. */
export const load: Effect.Effect<Sdk> = Effect.promise(() => import("@modelcontextprotocol/server"))

/** An error that a client reads as an error of the protocol. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly code: number
  readonly message: string
  /** The resource that nobody has. */
  readonly uri?: string
  /** The ability that the client would need. */
  readonly missing?: "sampling"
}

export const refusal = (code: number, message: string): Refusal => ({ _tag: "Refusal", code, message })

/** Nobody has the resource; the SDK says so as the revision has it. */
export const notFound = (uri: string): Refusal => ({ ...refusal(INVALID_PARAMS, `Resource not found: ${uri}`), uri })

/** The request cannot be answered for a client that cannot do this, which revision 2026-07-28 has an error for. */
export const missing = (capability: "sampling"): Refusal => ({
  ...refusal(INTERNAL, `the server needs what this client does not offer: ${capability}`),
  missing: capability
})

/** The error of the SDK for a refusal. */
export const toError = (
  { MissingRequiredClientCapabilityError, ProtocolError, ResourceNotFoundError }: Sdk,
  { code, message, missing: capability, uri }: Refusal
): Error => {
  if (uri !== undefined) return new ResourceNotFoundError(uri)
  return capability === undefined
    ? new ProtocolError(code, message)
    : new MissingRequiredClientCapabilityError({ requiredCapabilities: { [capability]: {} } }, message)
}

export const INVALID_PARAMS = -32602
export const INTERNAL = -32603

/**
 * Takes JSON for what the SDK types it as. The SDK checks the results of tools before it sends them; the others are made here
 * or by the registry.
 */
export const typed = <A>(value: unknown): Effect.Effect<A> =>
  isTyped<A>(value) ? Effect.succeed(value) : Effect.die("the SDK gave no object")

const isTyped = <A>(value: unknown): value is A => typeof value === "object" && value !== null
