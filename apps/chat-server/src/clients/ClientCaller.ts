/** The sender of a request to `/mcp`: a client with a token, a bridge of this machine, or anybody the API would let in. */
import { FIRST, type User } from "@boocode/chat"
import type { Caller } from "@boocode/mcp-gateway"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Access, bearer, type Refusal } from "../access/Access.ts"
import type { RequestHead } from "../access/RequestHead.ts"
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
export class ScopeNeeded extends Data.TaggedError("ScopeNeeded")<{ readonly scope: "chat" | "gateway" }> {
  override get message(): string {
    return `this token is not for ${this.scope === "chat" ? "chats" : "the tools at /mcp"}`
  }
  get hint(): string {
    return `make one with the scope ${this.scope}`
  }
}

/** The request is not let in. */
export class NotLetIn extends Data.TaggedError("NotLetIn")<{ readonly refusal: Refusal }> {}

/** A client whose token, or whose owner, is there no more. */
export const GONE: Refusal = { _tag: "WrongToken", wait: null }

/** The caller's id of requests of a client with a token. */
export const idOf = ({ created, name }: ClientTokens.OwnedClient): string => `token ${name} ${created}`

/** The caller's id of requests that a person sends without a client's token. */
export const personOf = ({ id }: User): string => id === FIRST.id ? "local" : `person ${id}`

/** The header in which a bridge gives its id, so that its requests are told from those of others. */
const BRIDGE = "x-boocode-bridge"

/** The caller's id of requests of a bridge. */
export const bridgeOf = (id: string): string => `bridge ${id}`

export interface Called {
  readonly caller: Caller
  /** The person that it acts for. */
  readonly user: User
}

export interface KnownCaller {
  /** The client whose token the request shows; null where the API lets it in. */
  readonly client: ClientTokens.OwnedClient | null
  /** The person that it acts for. */
  readonly user: User
}

const knowing = (access: Access["Service"], tokens: ClientTokens.ClientTokens["Service"]) => {
  const refused = (refusal: Refusal) => new NotLetIn({ refusal })
  const ofPerson = Effect.fnUntraced(function*(
    request: RequestHead,
    shown: string | null,
    scope: ScopeNeeded["scope"]
  ): Effect.fn.Return<KnownCaller, ScopeNeeded | NotLetIn> {
    // A token that was taken back opens nothing, also where nobody needs one.
    if (access.isOpen && shown !== null && ClientTokens.isToken(shown)) return yield* refused(GONE)
    const { scopes, user } = yield* Effect.mapError(access.requester(request), refused)
    const isFor = scopes === null || scopes.includes(scope) || scope === "chat" && scopes.includes("admin")
    return isFor ? { client: null, user } : yield* new ScopeNeeded({ scope })
  })
  /** Each request of each client asks. */
  return (
    request: RequestHead,
    scope: ScopeNeeded["scope"]
  ): Effect.Effect<KnownCaller, ScopeNeeded | NotLetIn> => {
    const shown = bearer(request)
    if (shown === null) return ofPerson(request, shown, scope)
    return Effect.flatMap(
      tokens.of(shown),
      (client): Effect.Effect<KnownCaller, ScopeNeeded | NotLetIn> =>
        client === null ? ofPerson(request, shown, scope) : Effect.matchEffect(access.person(client.owner), {
          onFailure: (refusal) => Effect.fail(refused(refusal)),
          onSuccess: (user) => user === null ? Effect.fail(refused(GONE)) : Effect.succeed({ client, user })
        })
    )
  }
}

/** Finds the client whose token a request shows, and the person that it acts for. A person's token needs the scope. */
export const known = Effect.fnUntraced(
  function*(request: RequestHead, scope: ScopeNeeded["scope"]) {
    return yield* knowing(yield* Access, yield* ClientTokens.ClientTokens)(request, scope)
  }
)

/** Gives the caller of a request for a profile; null is the one of its token, else the default. */
export const make = Effect.gen(function*() {
  const profiles = yield* ClientProfiles
  const known = knowing(yield* Access, yield* ClientTokens.ClientTokens)
  const called = ({ client, user }: KnownCaller, { headers }: RequestHead, asked: string | null) => {
    const bridge = headers[BRIDGE]
    const id = client !== null ? idOf(client) : bridge === undefined ? personOf(user) : bridgeOf(bridge)
    const profileName = client?.profile ?? asked ?? DEFAULT
    return Effect.map(
      profiles.get(profileName),
      (profile): Called => ({ caller: { id, label: client?.name ?? null, profileName, profile }, user })
    )
  }
  return (
    request: RequestHead,
    profile: string | null
  ): Effect.Effect<Called, ScopeNeeded | NotLetIn | ProfileOfOthers | UnknownProfile> =>
    Effect.flatMap(known(request, "gateway"), (found): Effect.Effect<Called, ProfileOfOthers | UnknownProfile> => {
      const { client } = found
      return client !== null && profile !== null && profile !== client.profile
        ? Effect.fail(new ProfileOfOthers({ client: client.name, profile: client.profile }))
        : called(found, request, profile)
    })
})
