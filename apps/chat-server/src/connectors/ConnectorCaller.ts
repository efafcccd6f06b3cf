/** The sender of a request to `/mcp`, where connectors sign in as well. */
import type { Caller } from "@boocode/mcp-gateway"
import * as Effect from "effect/Effect"
import { Access, bearer } from "../access/Access.ts"
import type { RequestHead } from "../access/RequestHead.ts"
import * as ClientCaller from "../clients/ClientCaller.ts"
import { ClientProfiles } from "../clients/ClientProfiles.ts"
import { Connectors } from "./Connectors.ts"

/** The beginning of the caller's ids of connectors that a person let in. */
export const idsOf = (owner: string): string => `connector ${owner} `

/**
 * Gives the caller of a request for a profile; null is the one of its token. A connector's token is for one resource and no
 * other.
 */
export const make = Effect.gen(function*() {
  const { service } = yield* Connectors
  const { person } = yield* Access
  const profiles = yield* ClientProfiles
  const ofClient = yield* ClientCaller.make
  if (service === null) return ofClient
  return Effect.fnUntraced(function*(request: RequestHead, profile: string | null) {
    const shown = bearer(request)
    const found = shown === null ? null : yield* service.signedIn(shown)
    if (found === null) return yield* ofClient(request, profile)
    const { client, id, owner, profile: own } = found
    const user = yield* Effect.mapError(person(owner), (refusal) => new ClientCaller.NotLetIn({ refusal }))
    if (user === null) return yield* new ClientCaller.NotLetIn({ refusal: ClientCaller.GONE })
    if ((profile ?? "default") !== own) {
      return yield* new ClientCaller.ProfileOfOthers({ client, profile: own })
    }
    const caller: Caller = {
      id: `${idsOf(owner)}${id}`,
      label: client,
      profileName: own,
      profile: yield* profiles.get(own)
    }
    return { caller, user }
  })
})
