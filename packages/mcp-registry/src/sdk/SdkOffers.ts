/**
 * What a server offers beside tools, behind the `Connection` contract: lists of prompts and resources, and requests about
 * them.
 */
import type { Client } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Connection, Inquiry, ListKind } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"
import * as Pages from "./Pages.ts"

/** @category models */
export type Method = (typeof LISTS)[ListKind]["method"] | Inquiry["method"]

/** The members of a connection that are about them. @category models */
export type SdkOffers = Pick<Connection, "declares" | "list">

const LISTS = {
  prompts: { method: "prompts/list", declared: "prompts", pages: { key: "prompts", id: "name", noun: "prompts" } },
  resources: {
    method: "resources/list",
    declared: "resources",
    pages: { key: "resources", id: "uri", noun: "resources" }
  },
  templates: {
    method: "resources/templates/list",
    declared: "resources",
    pages: { key: "resourceTemplates", id: "uriTemplate", noun: "templates" }
  }
} as const satisfies Record<ListKind, { method: string; declared: "prompts" | "resources"; pages: Pages.Kind }>

/**
 * Asks through `ask`, which takes a result as the server wrote it.
 *
 * @category constructors
 */
export const make = (
  client: Client,
  ask: (method: Method, params: Schema.JsonObject) => Effect.Effect<Schema.JsonObject, McpErrorReason>
): SdkOffers => {
  const declares: SdkOffers["declares"] = (capability) =>
    capability === "subscribe"
      ? client.getServerCapabilities()?.resources?.subscribe === true
      : client.getServerCapabilities()?.[capability] !== undefined
  return {
    declares,
    list: (kind) =>
      Effect.suspend(() => {
        const { declared, method, pages } = LISTS[kind]
        if (!declares(declared)) return Effect.succeed({ items: [], diagnostics: [], ttlMillis: null })
        const page = (cursor: string | null) => ask(method, cursor === null ? {} : { cursor })
        // Templates have no capability of their own, so a server without any may not know how to list them.
        const unknown = kind === "templates" ? [] : [`the server declares ${declared} but cannot list them`]
        return Effect.catchIf(
          Pages.collect(pages, page),
          isUnknownMethod,
          () => Effect.succeed({ items: [], diagnostics: unknown, ttlMillis: null })
        )
      })
  }
}

const METHOD_NOT_FOUND = -32601

/** A server may declare something and not know its method, which is no reason to lose it (R55). @category predicates */
export const isUnknownMethod = (reason: McpErrorReason): boolean =>
  reason._tag === "RequestFailed" && reason.code === METHOD_NOT_FOUND
