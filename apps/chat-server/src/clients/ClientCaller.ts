/** Who sends a request to `/mcp`: a client with a token, a bridge of this machine, or whom the API would let in. */
import type { Caller } from "@boocode/mcp-gateway"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Access, bearer, type Refusal } from "../access/Access.ts"
import { ClientProfiles, DEFAULT, type UnknownProfile } from "./ClientProfiles.ts"
import * as ClientTokens from "./ClientTokens.ts"

/** A client asks for a profile that its token does not have. */
export class ProfileOfOthers extends Data.TaggedError("ProfileOfOthers")<{
  readonly client: string
  readonly profile: string
}> {
  override get message(): string {
    return `${this.client} has the profile ${this.profile} and no other`
  }
  readonly hint: string = "send requests to /mcp alone, or add a client with the other profile"
}

/** The request is not let in. */
export class NotLetIn extends Data.TaggedError("NotLetIn")<{ readonly refusal: Refusal }> {}

/** The header in which a bridge gives its id, so that its requests are told from those of others. */
export const BRIDGE = "x-boocode-bridge"

/** What the requests of a bridge have as the id of their caller. */
export const bridgeOf = (id: string): string => `bridge ${id}`

const knowing = (access: Access["Service"], tokens: ClientTokens.ClientTokens["Service"]) =>
  Effect.fnUntraced(function*(
    request: HttpServerRequest.HttpServerRequest
  ): Effect.fn.Return<ClientTokens.KnownClient | null, NotLetIn> {
    const shown = bearer(request)
    const client = shown === null ? null : yield* tokens.of(shown)
    if (client !== null) return client
    // A token that was taken back opens nothing, also where nobody needs one.
    const refusal = access.isOpen && shown !== null && ClientTokens.isToken(shown)
      ? { _tag: "WrongToken" as const, wait: null }
      : yield* access.refusal(request)
    return refusal === null ? null : yield* new NotLetIn({ refusal })
  })

/** The client whose token a request shows; null for whom the API would let in. */
export const known = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  return yield* knowing(yield* Access, yield* ClientTokens.ClientTokens)(request)
})

/** Gives the caller of a request for a profile; null is the one of its token, else the default. */
export const make = Effect.gen(function*() {
  const profiles = yield* ClientProfiles
  const known = knowing(yield* Access, yield* ClientTokens.ClientTokens)
  return Effect.fnUntraced(function*(
    request: HttpServerRequest.HttpServerRequest,
    profile: string | null
  ): Effect.fn.Return<Caller, NotLetIn | ProfileOfOthers | UnknownProfile> {
    const client = yield* known(request)
    if (client !== null) {
      if (profile !== null && profile !== client.profile) {
        return yield* new ProfileOfOthers({ client: client.name, profile: client.profile })
      }
      return {
        id: `token ${client.name} ${client.created}`,
        label: client.name,
        profileName: client.profile,
        profile: yield* profiles.get(client.profile)
      }
    }
    const name = profile ?? DEFAULT
    const bridge = request.headers[BRIDGE]
    return {
      id: bridge === undefined ? "local" : bridgeOf(bridge),
      label: null,
      profileName: name,
      profile: yield* profiles.get(name)
    }
  })
})
