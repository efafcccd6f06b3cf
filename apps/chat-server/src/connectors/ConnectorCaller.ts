/** Who sends a request to `/mcp`, where connectors sign in as well. */
import type { Caller } from "@boocode/mcp-gateway"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Access, bearer } from "../access/Access.ts"
import * as ClientCaller from "../clients/ClientCaller.ts"
import { ClientProfiles } from "../clients/ClientProfiles.ts"
import { Connectors } from "./Connectors.ts"

/** The caller of a request for a profile; null is the one of its token. A connector's token is for one resource and no other. */
export const of = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, profile: string | null) {
  const { service } = yield* Connectors
  const shown = bearer(request)
  const found = service === null || shown === null ? null : yield* service.signedIn(shown)
  if (found === null) return yield* ClientCaller.of(request, profile)
  const { client, id, profile: own } = found
  if ((profile ?? "default") !== own) {
    return yield* new ClientCaller.ProfileOfOthers({ client, profile: own })
  }
  const caller: Caller = {
    id: `connector ${id}`,
    label: client,
    profileName: own,
    profile: yield* (yield* ClientProfiles).get(own)
  }
  // A person let it in with the token of this server.
  const user = yield* Effect.mapError((yield* Access).owner, (refusal) => new ClientCaller.NotLetIn({ refusal }))
  return { caller, user }
})
