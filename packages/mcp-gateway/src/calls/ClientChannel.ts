/** The way to a client while one of its requests runs. */
import { ServerRequests } from "@boocode/mcp-client/Host"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/** The client did not answer a question, and why. */
export class Unanswered extends Data.TaggedError("Unanswered")<{ readonly message: string }> {}

/** The requests that a client can answer, as it declares. */
export interface Abilities {
  readonly form: boolean
  readonly url: boolean
  readonly sampling: boolean
  readonly roots: boolean
  /** It shows apps of servers (MCP Apps). Left out, it does not. */
  readonly apps?: true
}

/** The way to the client that sent a request, and to no other. */
export interface ClientChannel {
  readonly can: Abilities
  /** From which level on it wants log messages about its request; null for none. */
  readonly logLevel: string | null
  /** The revision knows ids of visits, which the client is told when a visit is done. */
  readonly hasVisitIds: boolean
  /**
   * Asks the client, by a name of the question where its server gives one. Ends with the request. Interruption withdraws the
   * question.
   */
  readonly ask: (
    method: AskMethod,
    params: Schema.JsonObject,
    key?: string
  ) => Effect.Effect<Schema.JsonObject, Unanswered>
  /** Tells the client, on the stream of its request. Never fails. */
  readonly notify: (method: string, params: Schema.JsonObject) => Effect.Effect<void>
}

export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list"

/** The abilities that the capabilities of a client name. An elicitation without a mode is one of forms. */
export const abilitiesOf = (capabilities: unknown): Abilities => {
  const { elicitation, extensions, roots, sampling } = fieldsOf(capabilities)
  const modes = fieldsOf(elicitation)
  return {
    form: isObject(elicitation) && (isObject(modes["form"]) || !isObject(modes["url"])),
    url: isObject(modes["url"]),
    sampling: isObject(sampling),
    roots: isObject(roots),
    ...isObject(fieldsOf(extensions)[ServerRequests.APPS]) ? { apps: true } : {}
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => isObject(value) ? value : {}
