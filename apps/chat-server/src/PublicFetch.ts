/**
 * The way to servers that may have public addresses only (R77): the same fetch, judged at each connection.
 */
import { GuardedFetch } from "@boocode/mcp-node"
import { McpFetch } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PrivateAddress from "./PrivateAddress.ts"
import { Settings } from "./Settings.ts"

/** Adds it to the ways beneath. What `privateAddresses` of the settings names is allowed. */
export const layer = Layer.effect(
  McpFetch,
  Effect.gen(function*() {
    const web = yield* McpFetch
    const { privateAddresses } = yield* Settings
    const { fetch, post } = yield* GuardedFetch.make(PrivateAddress.refusal(privateAddresses))
    return McpFetch.of({ ...web, publicFetch: fetch, publicPost: post })
  })
)
