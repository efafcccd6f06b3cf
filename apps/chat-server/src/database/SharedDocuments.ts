/** The documents of apps where several servers show them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Documents that the nodes of a fleet have together, so that a browser finds one at any of them; null for a single server. */
export const SharedDocuments = Context.Reference<
  {
    readonly put: (id: string, text: string) => Effect.Effect<void, { readonly message: string }>
    /** Null for one that is not there. */
    readonly get: (id: string) => Effect.Effect<string | null, { readonly message: string }>
  } | null
>("chat-server/SharedDocuments", { defaultValue: () => null })
