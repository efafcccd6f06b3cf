/**
 * The token that requests must show. It is needed as soon as another machine can reach this server, directly or by way of a
 * proxy.
 */
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"
import { Settings } from "../settings/Settings.ts"
import { MIN_TOKEN } from "../settings/SettingsTable.ts"
import { TOLD } from "../settings/ToldWords.ts"
import * as HostGuard from "./HostGuard.ts"

/** There is no token that could be used, so nothing is served. Exit code 1. */
export class NoToken extends Schema.TaggedError<NoToken>()("NoToken", TOLD) {
  override readonly [Runtime.errorExitCode] = 1
}

export class AccessToken extends Context.Service<AccessToken, {
  /** Null where only this machine reaches the server, so that nobody needs one. */
  readonly token: Redacted.Redacted<string> | null
  /** Where it stands, for a sentence. */
  readonly source: string
  /** True when it was made just now, and nobody can know it yet. */
  readonly isNew: boolean
}>()("chat-server/AccessToken") {
  /** For a server that binds `host`. Where `allowedHosts` or `publicUrl` has names, a proxy brings others in. Fails with `NoToken`. */
  static readonly layer = (host: string) =>
    Layer.effect(
      AccessToken,
      Effect.flatMap(
        Settings,
        (settings) =>
          [host, ...HostGuard.namesOf(settings).map(HostGuard.nameOf)].every(isLoopback) ? Effect.succeed(NONE) : find
      )
    )

  /** Nobody needs one. */
  static readonly layerNone = Layer.sync(AccessToken, () => NONE)

  static readonly layerOf = (token: Redacted.Redacted<string>) =>
    Layer.succeed(AccessToken, { token, source: "a test", isNew: false })
}

const NONE = AccessToken.of({ token: null, source: "", isNew: false })

/**
 * Whether only this machine reaches what is bound to an address. `SecureAddress.isLoopback` of mcp-client judges the host of
 * a URL; this takes what a socket binds and names of proxies, in every spelling of an IP address.
 */
export const isLoopback = (host: string): boolean => PrivateAddress.isThisMachine(host)

/** `BOOCODE_TOKEN`, else what settings.json says, else the one of the state folder, which is made when it is not there. */
const find = Effect.gen(function*() {
  const { variables } = yield* Environment
  const settings = yield* Settings
  const variable = variables["BOOCODE_TOKEN"] ?? ""
  if (variable !== "") {
    if (!isToken(variable)) return yield* tooWeak
    return { token: Redacted.make(variable), source: "BOOCODE_TOKEN", isNew: false }
  }
  if (settings.token !== null) return { token: settings.token, source: "settings.json", isNew: false }
  const path = yield* Path.Path
  const file = path.join((yield* DataFolder).state, "token")
  return yield* Effect.mapError(kept(file), (error) => notKept(file, error.message))
})

const isToken = (text: string): boolean => text.length >= MIN_TOKEN && /^[\x21-\x7e]+$/.test(text)

const kept = Effect.fnUntraced(function*(file: string) {
  const { change } = yield* PrivateFile.shared(file)
  const fresh = randomBytes(24).toString("base64url")
  return yield* change((text) => {
    const found = (text ?? "").trim()
    const isNew = !isToken(found)
    const token = { token: Redacted.make(isNew ? fresh : found), source: file, isNew }
    return Effect.succeed([token, isNew ? `${fresh}\n` : null] as const)
  })
})

const tooWeak = new NoToken({
  message: `BOOCODE_TOKEN is shorter than ${MIN_TOKEN} characters, or has spaces in it`,
  hint: "take one that nobody can guess, such as the output of: openssl rand -hex 24"
})

const notKept = (file: string, why: string) =>
  new NoToken({
    message: `other machines can reach this address, so it needs a token, and none can be kept in ${file}: ${why}`,
    hint: "set BOOCODE_TOKEN, or BOOCODE_STATE_DIR to a folder that can be written"
  })
