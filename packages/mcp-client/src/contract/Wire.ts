/**
 * The messages of the protocol, by the types of the official SDK: a revision that renames or adds one breaks the
 * compile here, and not a user. Only the names that a server writes are believed; each value may be anything.
 */
import type { ClientNotification, ClientRequest, ServerNotification, ServerRequest } from "@modelcontextprotocol/client"
import type * as Schema from "effect/Schema"

/** The members of a message under the protocol's names, as they were written. */
export type Written<A> = { readonly [K in keyof A as string extends K ? never : K]?: Schema.Json | undefined }

export type ClientMethod = ClientRequest["method"]

export type Params<M extends ClientMethod> = Written<NonNullable<Extract<ClientRequest, { method: M }>["params"]>>

export type ClientNotificationMethod = ClientNotification["method"]

export type ServerMethod = ServerRequest["method"]

export type ServerNotificationMethod = ServerNotification["method"]
