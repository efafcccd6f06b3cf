/** An OpenID Connect provider that signs in the person that the test names, without asking. */
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import Provider from "oidc-provider"

export interface Person {
  readonly sub: string
  readonly [claim: string]: unknown
}

export interface IdentityHost {
  readonly issuer: string
  /** Who signs in from now on. */
  readonly be: (person: Person) => void
}

export const CLIENT = { id: "boocode", secret: "a secret of the client and this server" }

/** Has one client, whose browsers come back to this address. */
export const start = (redirect: string) =>
  Effect.acquireRelease(
    Effect.promise(() => host(redirect)),
    ({ close }) => Effect.promise(close)
  )

const host = async (redirect: string) => {
  let person: Person = { sub: "nobody" }
  const people = new Map<string, Person>()
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const provider = new Provider(issuer, {
    clients: [{
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [redirect],
      token_endpoint_auth_method: "client_secret_post"
    }],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email", "email_verified"] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => people.get(sub) ?? { sub } }),
    cookies: { keys: ["a key of this test"] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true }
  })
  const decided = async (request: IncomingMessage, response: ServerResponse) => {
    const { grantId, params, prompt } = await provider.interactionDetails(request, response)
    if (prompt.name === "login") {
      return provider.interactionFinished(request, response, { login: { accountId: person.sub, remember: false } })
    }
    const grant = grantId === undefined
      ? new provider.Grant({ accountId: person.sub, clientId: String(params["client_id"]) })
      : await provider.Grant.find(grantId)
    grant?.addOIDCScope(String(params["scope"]))
    return provider.interactionFinished(request, response, { consent: { grantId: await grant?.save() ?? "" } })
  }
  const callback = provider.callback()
  answer = (request, response) =>
    void (request.url?.startsWith("/interaction/") === true ? decided(request, response) : callback(request, response))
  return {
    issuer,
    be: (one: Person) => {
      person = one
      people.set(one.sub, one)
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
