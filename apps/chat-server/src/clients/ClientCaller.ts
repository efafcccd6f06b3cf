/** Who sends a request to `/mcp`: a client with a token, a bridge of this machine, or whom the API would let in. */
import { FIRST, type User } from "@boocode/chat"
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

/** The token of a person is for other things. */
export class NotForGateway extends Data.TaggedError("NotForGateway") {
  override readonly message: string = "this token is not for the tools at /mcp"
  readonly hint: string = "make one with the scope gateway"
}

/** The request is not let in. */
export class NotLetIn extends Data.TaggedError("NotLetIn")<{ readonly refusal: Refusal }> {}

/** A client whose token, or whose owner, is there no more. */
const GONE: Refusal = { _tag: "WrongToken", wait: null }

/** What the requests of a client with a token have as the id of their caller. */
export const idOf = ({ created, name }: ClientTokens.OwnedClient): string => `token ${name} ${created}`

/** What the requests have as the id of their caller that a person sends without a client's token. */
export const personOf = ({ id }: User): string => id === FIRST.id ? "local" : `person ${id}`

/** The header in which a bridge gives its id, so that its requests are told from those of others. */
export const BRIDGE = "x-boocode-bridge"

/** What the requests of a bridge have as the id of their caller. */
export const bridgeOf = (id: string): string => `bridge ${id}`

export interface Called {
  readonly caller: Caller
  /** For whom it acts. */
  readonly user: User
}

/** The caller of a request for a profile; null is the one of its token, else the default. */
export const of = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  profile: string | null
): Effect.fn.Return<
  Called,
  NotForGateway | NotLetIn | ProfileOfOthers | UnknownProfile,
  Access | ClientProfiles | ClientTokens.ClientTokens
> {
  const access = yield* Access
  const profiles = yield* ClientProfiles
  const shown = bearer(request)
  const client = shown === null ? null : yield* (yield* ClientTokens.ClientTokens).of(shown)
  if (client !== null) {
    if (profile !== null && profile !== client.profile) {
      return yield* new ProfileOfOthers({ client: client.name, profile: client.profile })
    }
    const user = yield* Effect.mapError(access.person(client.owner), (refusal) => new NotLetIn({ refusal }))
    if (user === null) return yield* new NotLetIn({ refusal: GONE })
    const caller = {
      id: idOf(client),
      label: client.name,
      profileName: client.profile,
      profile: yield* profiles.get(client.profile)
    }
    return { caller, user }
  }
  // A token that was taken back opens nothing, also where nobody needs one.
  if (access.isOpen && shown !== null && ClientTokens.isToken(shown)) {
    return yield* new NotLetIn({ refusal: GONE })
  }
  const { scopes, user } = yield* Effect.mapError(access.requester(request), (refusal) => new NotLetIn({ refusal }))
  if (scopes !== null && !scopes.includes("gateway")) return yield* new NotForGateway()
  const name = profile ?? DEFAULT
  const bridge = request.headers[BRIDGE]
  const id = bridge === undefined ? personOf(user) : bridgeOf(bridge)
  const caller = { id, label: null, profileName: name, profile: yield* profiles.get(name) }
  return { caller, user }
})
