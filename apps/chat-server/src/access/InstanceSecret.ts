/** Which running server this is: a secret made when it starts, and the proof of knowing it. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac, randomBytes } from "node:crypto"

export class InstanceSecret extends Context.Service<InstanceSecret, {
  /** Known to this server and to readers of its announcement. */
  readonly secret: Redacted.Redacted<string>
}>()("chat-server/InstanceSecret") {
  static readonly layer = Layer.sync(
    InstanceSecret,
    () => InstanceSecret.of({ secret: Redacted.make(randomBytes(32).toString("hex")) })
  )
}

/** The answer to a number used once, which needs the secret. */
export const proof = (secret: Redacted.Redacted<string>, nonce: string): string => sign(secret, `proof:${nonce}`)

/** A command of this machine shows it in place of the token. Making it takes the secret of the announcement. */
export const pass = (secret: Redacted.Redacted<string>): Redacted.Redacted<string> =>
  Redacted.make(sign(secret, "access"))

const sign = (secret: Redacted.Redacted<string>, text: string): string =>
  createHmac("sha256", Redacted.value(secret)).update(text).digest("hex")
