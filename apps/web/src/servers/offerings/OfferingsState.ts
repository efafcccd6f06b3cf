/** The prompts and resources of one server, asked for while it is looked at. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listPrompts, listResources } from "../../api/Api.ts"
import type { Prompt, Resource, ResourceTemplate, ServerStatus } from "../../api/Types.ts"

export interface OfferingsState {
  readonly prompts: ReadonlyArray<Prompt>
  readonly resources: ReadonlyArray<Resource>
  readonly templates: ReadonlyArray<ResourceTemplate>
}

const NONE: OfferingsState = { prompts: [], resources: [], templates: [] }

/** Asked anew when the server's state or tools change. A server that has none, or that is away, has empty lists. */
export const useOfferings = ({ name, state, tools }: ServerStatus): OfferingsState => {
  const found = useSignal(NONE)
  useEffect(() => {
    if (state !== "ready") {
      found.value = NONE
      return undefined
    }
    const abort = new AbortController()
    const of = <A extends { readonly server: string }>(all: ReadonlyArray<A>) =>
      all.filter(({ server }) => server === name)
    // A list that cannot be had is not shown; the server's own state and log tell the reason.
    listPrompts(abort.signal).then(({ prompts }) => {
      found.value = { ...found.value, prompts: of(prompts) }
    }, () => {})
    listResources("", abort.signal).then(({ resources, templates }) => {
      found.value = { ...found.value, resources: of(resources), templates: of(templates) }
    }, () => {})
    return () => abort.abort()
  }, [name, state, tools])
  return found.value
}
