/**
 * What a server offers beside tools, behind the `Connection` contract: lists of prompts and resources.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Capability, Connection, ListKind } from "../Connection.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as Pages from "./Pages.ts"
import * as Refusal from "./Refusal.ts"
import type { Requests } from "./Requests.ts"

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

/** Whether capabilities declare this one. @category predicates */
export const isDeclared = (capabilities: Schema.JsonObject, capability: Capability): boolean =>
  capability === "subscribe"
    ? capabilityOf(capabilities, "resources")?.["subscribe"] === true
    : capabilityOf(capabilities, capability) !== null

/** Whether capabilities say that changes of this list are told. @category predicates */
export const isTold = (capabilities: Schema.JsonObject, list: "tools" | "prompts" | "resources"): boolean =>
  capabilityOf(capabilities, list)?.["listChanged"] === true

const capabilityOf = (capabilities: Schema.JsonObject, name: string): Schema.JsonObject | null => {
  const capability = capabilities[name]
  return JsonRpc.isObject(capability) ? capability : null
}

/** Lists what is declared. @category constructors */
export const list = (
  asked: Pick<Connection, "declares"> & { readonly requests: Pick<Requests, "send"> },
  kind: ListKind
): ReturnType<Connection["list"]> =>
  Effect.suspend(() => {
    const { declared, method, pages } = LISTS[kind]
    if (!asked.declares(declared)) return Effect.succeed({ items: [], diagnostics: [], ttlMillis: null })
    const page = (cursor: string | null) => asked.requests.send({ method, params: cursor === null ? {} : { cursor } })
    // Templates have no capability of their own, so a server without any may not know how to list them.
    const unknown = kind === "templates" ? [] : [`the server declares ${declared} but cannot list them`]
    return Effect.catchIf(
      Pages.collect(pages, page),
      Refusal.isUnknownMethod,
      () => Effect.succeed({ items: [], diagnostics: unknown, ttlMillis: null })
    )
  })
