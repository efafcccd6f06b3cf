/** The typed keys of model providers: kept where the tokens of remote servers are, each for the one address it was saved for. */
import type { CredentialKey, CredentialStore } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The keys in a store. Everything fails with `AuthorizationFailed` where it cannot be read or written now. */
export const make = (store: CredentialStore) => {
  const read = (name: string, address: string) =>
    Effect.map(store.read(place(name, address)), (kept) => kept?.tokens?.access ?? null)
  return {
    /** The key of a provider at an address; null where none was saved for that address. */
    read,
    /** Saves the key of a provider for this address; what was kept for it gives way. */
    save: (name: string, address: string, key: Redacted.Redacted<string>) =>
      store.change(place(name, address), () => Effect.succeed({ keep: kept(address, key), give: undefined })),
    /** Forgets the key of a provider at this address; without one it does nothing. */
    forget: Effect.fnUntraced(function*(name: string, address: string) {
      const found = yield* Effect.result(read(name, address))
      if (Result.isSuccess(found) && found.success === null) return
      // One that cannot be opened any more goes as well.
      yield* store.remove(place(name, address))
    })
  }
}

export type ProviderKeys = ReturnType<typeof make>

/** No server has a name with a slash at its end. */
const place = (name: string, address: string): CredentialKey => ({
  server: `provider ${name}/`,
  url: URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address
})

const kept = (address: string, key: Redacted.Redacted<string>) => ({
  issuer: URL.canParse(address) ? new URL(address).origin : address,
  client: null,
  tokens: { access: key, type: "key", refresh: null, scopes: [], expiresAt: null },
  wanted: []
})
