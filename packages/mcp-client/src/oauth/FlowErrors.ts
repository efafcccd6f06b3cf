/** Turns what the SDK throws during a sign-in into `AuthorizationFailed`. Words of others are cleaned and cut. */
import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError
} from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { AuthorizationFailed } from "../errors/McpError.ts"
import * as RefusalText from "../errors/RefusalText.ts"

/** A step of a flow: the words that its errors begin with, and what hides secrets in them. */
export interface Step {
  readonly what: string
  readonly scrub: (text: string) => string
}

export const attempt = <A>(step: Step, run: () => Promise<A>): Effect.Effect<A, AuthorizationFailed> =>
  Effect.tryPromise({ try: run, catch: (error) => toFailure(error, step) })

const MOST_WORDS = 300

const toFailure = (error: unknown, { scrub, what }: Step): AuthorizationFailed => {
  const cut = (words: string) => scrub(words).replace(/\s+/g, " ").trim().slice(0, MOST_WORDS)
  if (error instanceof AuthorizationFailed) return error
  if (error instanceof OAuthError) return ofOAuth(error, what, cut)
  if (error instanceof RegistrationRejectedError) {
    const words = cut(RefusalText.wordsOf(error.body))
    return new AuthorizationFailed({
      detail: `it does not register this program (HTTP ${error.status})${words === "" ? "" : `: ${words}`}`,
      try: NO_REGISTRATION
    })
  }
  // Its words are not shown: in a mix-up they are an attacker's.
  if (error instanceof IssuerMismatchError) return mixedUp(error)
  if (error instanceof AuthorizationServerMismatchError || error instanceof InsecureTokenEndpointError) {
    return new AuthorizationFailed({ detail: `${what}: ${cut(error.message)}` })
  }
  if (error instanceof SyntaxError || (error instanceof Error && error.name.endsWith("ZodError"))) {
    return new AuthorizationFailed({ detail: `${what}: the answer is not what OAuth asks for` })
  }
  return new AuthorizationFailed({ detail: `${what}: ${cut(error instanceof Error ? error.message : String(error))}` })
}

export const NO_REGISTRATION =
  `register it by hand with the authorization server, and write what you get: "oauth": { "clientId": "…" }`

const ofOAuth = (error: OAuthError, what: string, cut: (words: string) => string): AuthorizationFailed => {
  // The SDK puts a body that it cannot read into its words, whole.
  const [unread, status] = /^(?:HTTP (\d+): )?Invalid OAuth error response/.exec(error.message) ?? []
  if (unread !== undefined) return new AuthorizationFailed({ detail: `${what}: HTTP ${status ?? "error"}` })
  const words = cut(error.message)
  const told = words === "" || words === error.code ? "" : `: ${words}`
  return new AuthorizationFailed({
    detail: `${what}: ${cut(error.code)}${told}`,
    error: cut(error.code),
    ...(LATER.has(error.code) ? { isTransient: true } : {})
  })
}

const LATER: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"])

const mixedUp = ({ kind }: IssuerMismatchError): AuthorizationFailed =>
  new AuthorizationFailed({
    detail: kind === "metadata"
      ? "the authorization server calls itself by another name than the one it was found under"
      : "the answer did not come from the authorization server that was asked",
    try: "do not try again before you know why: somebody may be between you and the server"
  })
