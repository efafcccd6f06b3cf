/** A connector by the official SDK client, and the browser of the person who lets it in. */
import type { OAuthClientProvider, StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer } from "node:net"

export const REDIRECT = "http://127.0.0.1:33333/callback"

/** What a connector keeps of its sign-in. */
export interface Connector {
  readonly provider: OAuthClientProvider
  readonly seen: {
    authorization?: URL
    client?: StoredOAuthClientInformation
    tokens?: StoredOAuthTokens
    verifier: string
  }
}

export const make = (): Connector => {
  const seen: Connector["seen"] = { verifier: "" }
  return {
    seen,
    provider: {
      redirectUrl: REDIRECT,
      clientMetadata: {
        client_name: "A <b>connector</b>",
        redirect_uris: [REDIRECT],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "none"
      },
      clientInformation: () => seen.client,
      saveClientInformation: (client) => void (seen.client = client),
      tokens: () => seen.tokens,
      saveTokens: (tokens) => void (seen.tokens = tokens),
      redirectToAuthorization: (url) => void (seen.authorization = url),
      saveCodeVerifier: (verifier) => void (seen.verifier = verifier),
      codeVerifier: () => seen.verifier
    }
  }
}

export interface Visit {
  /** The page on which a person decides; null where the browser never came to one. */
  readonly page: string | null
  readonly policy: string
  /** Where the browser ended, or the status and the text of the page that it stays on. */
  readonly end: URL | { readonly status: number; readonly text: string }
}

/**
 * Follows a sign-in as a browser does. On the page of consent `fill` is what a person types and presses. `session` is a cookie that
 * the browser has already.
 */
export const visit = (url: URL, fill: Readonly<Record<string, string>>, session = ""): Effect.Effect<Visit> =>
  Effect.promise(async () => {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(session) ?? []
    const cookies = new Map(session === "" ? [] : [[name, value]])
    let next = url
    let page: string | null = null
    let policy = ""
    let init: RequestInit = {}
    for (;;) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const answer = await fetch(next, { ...init, redirect: "manual", headers: { cookie } })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === "") cookies.delete(name)
        else cookies.set(name, value)
      }
      const text = await answer.text()
      const location = answer.headers.get("location")
      if (location === null) {
        if (answer.status !== 200 || page !== null) return { page, policy, end: { status: answer.status, text } }
        page = text
        policy = answer.headers.get("content-security-policy") ?? ""
        init = { method: "POST", body: new URLSearchParams(fill) }
      } else {
        next = new URL(location, next)
        init = {}
        if (next.origin !== url.origin) return { page, policy, end: next }
      }
    }
  })

/** A port that nobody listens on: a server has to know its address before it starts. */
export const freePort: Effect.Effect<number> = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
})
