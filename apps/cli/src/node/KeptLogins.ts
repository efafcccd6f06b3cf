/** The tokens of `boocode login`: `logins.json` in the state folder, sealed with a key of the keychain where there is one. */
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { type Credential, Credentials } from "@boocode/mcp-client"
import * as StateFile from "@boocode/mcp-client/StateFile"
import { NodeCredentials } from "@boocode/mcp-node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { failed } from "../terminal/Failure.ts"

/** The part of the file that says which servers there are. The store reads the rest. */
const Addresses = Schema.Struct({ servers: Schema.Array(Schema.Struct({ url: Schema.String })) })

const folder = DataFolder.layer({ dataDir: null, configFile: null }).pipe(
  // The verb itself reports what is wrong with the folder.
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
)

const file = Effect.gen(function*() {
  return (yield* Path.Path).join((yield* DataFolder).state, "logins.json")
}).pipe(Effect.provide(folder), Effect.mapError(failed))

/** The servers that somebody is logged in at, sorted. */
export const addresses = Effect.gen(function*() {
  const state = yield* StateFile.make(yield* file, Addresses)
  const content = yield* Effect.mapError(Effect.fromResult(yield* state.read), failed)
  return (content?.servers ?? []).map(({ url }) => url).toSorted()
})

const store = Effect.gen(function*() {
  return yield* Effect.provide(
    Effect.gen(function*() {
      return yield* Credentials
    }),
    NodeCredentials.layer({ file: yield* file, use: "auto" })
  )
})

const keyOf = (url: string) => ({ server: "boocode", url })

const tokenOf = (credential: Credential | null) => credential?.tokens?.access ?? null

/** The token for a server; null without one. */
export const read = Effect.fnUntraced(function*(url: string) {
  // Asks no keychain for a server that nobody is logged in at.
  if (!(yield* addresses).includes(url)) return null
  return tokenOf(yield* Effect.mapError((yield* store).read(keyOf(url)), failed))
})

/** Keeps a token in place of the one before. */
export const keep = Effect.fnUntraced(function*(url: string, access: Redacted.Redacted<string>) {
  const tokens = { access, type: "Bearer", refresh: null, scopes: [], expiresAt: null }
  const credential: Credential = { issuer: url, client: null, tokens, wanted: [] }
  const kept = (yield* store).change(keyOf(url), () => Effect.succeed({ keep: credential, give: undefined }))
  return yield* Effect.mapError(kept, failed)
})

/** Forgets the token of a server, and gives it; null where it cannot be opened any more. Fails where there is none. */
export const forget = Effect.fnUntraced(function*(url: string) {
  return tokenOf(yield* Effect.mapError((yield* store).remove(keyOf(url)), failed))
})
