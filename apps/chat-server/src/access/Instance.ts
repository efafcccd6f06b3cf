/**
 * Which running server this is: a secret made when it starts, and the proof of knowing it.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac, randomBytes } from "node:crypto"

export class Instance extends Context.Service<Instance, {
  /** Known to this server and to who may read its announcement. */
  readonly secret: Redacted.Redacted<string>
}>()("chat-server/Instance") {
  static readonly layer = Layer.sync(
    Instance,
    () => Instance.of({ secret: Redacted.make(randomBytes(32).toString("hex")) })
  )
}

/** What only who knows the secret can answer to a number used once. */
export const proof = (secret: Redacted.Redacted<string>, nonce: string): string => sign(secret, `proof:${nonce}`)

/** What a command of this machine shows in place of the token: only who can read the announcement can make it. */
export const pass = (secret: Redacted.Redacted<string>): Redacted.Redacted<string> =>
  Redacted.make(sign(secret, "access"))

const sign = (secret: Redacted.Redacted<string>, text: string): string =>
  createHmac("sha256", Redacted.value(secret)).update(text).digest("hex")
