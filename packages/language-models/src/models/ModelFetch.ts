/** The fetch that providers are reached through, so that tests script the network and hosts choose their own. */
import * as Context from "effect/Context"

/**
 * A `fetch`; `globalThis.fetch` unless a layer gives another. Give one without time limits of its own where models may
 * think for longer than five minutes before their first word: the global one gives up then.
 */
export const ModelFetch: Context.Reference<typeof globalThis.fetch> = Context.Reference("language-models/ModelFetch", {
  defaultValue: () => globalThis.fetch
})
