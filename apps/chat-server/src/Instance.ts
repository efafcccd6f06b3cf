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
export const proof = (secret: Redacted.Redacted<string>, nonce: string): string =>
  createHmac("sha256", Redacted.value(secret)).update(nonce).digest("hex")
