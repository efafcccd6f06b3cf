/** The routes about providers of models. */
import { get, patch, path, post, query, remove } from "../api/Client.ts"
import type { Provider, ProviderKind, ProviderList, ProviderTrial } from "../api/Types.ts"

/** An absent key stays as it is; null is the address of the kind, or no key. */
export interface ProviderDraft {
  readonly kind?: ProviderKind
  readonly url?: string | null
  readonly key?: string | null
}

/** `find` also looks for programs of this machine, which takes half a second. */
export const listProviders = (find: boolean) => get<ProviderList>(query("providers", { find: find ? "true" : null }))
export const addProvider = (name: string, draft: ProviderDraft) => post<Provider>("providers", { name, ...draft })
export const changeProvider = (name: string, draft: ProviderDraft) => patch<Provider>(path("providers", name), draft)
export const removeProvider = (name: string) => remove(path("providers", name))
export const testProvider = (name: string, draft: ProviderDraft | null) =>
  post<ProviderTrial>(path("providers", name, "test"), draft)
/** The model of chats that name none. */
export const setDefaultModel = (model: string) => patch<unknown>("settings", { model })
