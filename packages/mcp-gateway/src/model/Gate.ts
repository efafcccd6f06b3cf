/** The gate that a call passes before it reaches its server. */
import type { CallResult, McpError, McpTool } from "@boocode/mcp-registry"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Client } from "./GatewayClient.ts"

/**
 * A call as it would be sent.
 *
 * @category model
 */
export interface GatewayCall {
  readonly tool: McpTool
  readonly args: Schema.JsonObject
}

/**
 * The verdict of a rule about a call: it may be made, it needs a person's yes, or it is refused for a reason.
 *
 * @category model
 */
export type Verdict =
  | { readonly _tag: "Allow" }
  | { readonly _tag: "Ask" }
  | { readonly _tag: "Deny"; readonly reason: string }

/**
 * The answer of a person: yes, with other arguments where they are given, or no, with the reason that the client reads.
 *
 * @category model
 */
export type Decision =
  | { readonly _tag: "Allowed"; readonly args?: Schema.JsonObject | undefined }
  | { readonly _tag: "Denied"; readonly reason: string }

/**
 * A decision, or where a person makes it.
 *
 * @category model
 */
export type Approval = Decision | {
  readonly _tag: "Waiting"
  /** The page on which a person decides. */
  readonly url: string
  /** Waits for the decision. It is interrupted when the client or its call ends: take the question away then. */
  readonly decided: Effect.Effect<Decision>
}

/**
 * A call that is over.
 *
 * @category model
 */
export interface MadeCall {
  readonly call: GatewayCall
  /** The authority that let it be made: the rules, the client's own person, or a person who was asked elsewhere. */
  readonly by: "rules" | "client" | "person"
  readonly exit: Exit.Exit<CallResult, McpError>
}

/**
 * Decides about calls.
 *
 * @category model
 */
export interface Gate {
  /**
   * The verdict of the rules about a call, for tools that read as well. A denial holds in every profile; in a profile
   * that asks, each call of a tool that writes asks whatever else the rules say. Without it a profile with `"write":
   * "rules"` is one that asks.
   */
  readonly rules?: ((call: GatewayCall, client: Client) => Effect.Effect<Verdict>) | undefined
  /**
   * Asks a person about a call of a client that cannot ask its own. It answers at once, with `Waiting` where the person
   * takes time. Without it such a call is refused.
   */
  readonly approve?: ((call: GatewayCall, client: Client) => Effect.Effect<Approval>) | undefined
  /** Hears of each call that was sent to its server, when it is over. */
  readonly made?: ((made: MadeCall, client: Client) => Effect.Effect<void>) | undefined
}
