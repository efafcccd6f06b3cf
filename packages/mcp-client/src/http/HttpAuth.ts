/** Authorizes the requests to one server: by nothing but the entry's own headers, by a `headersHelper`, or by OAuth. */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Redaction from "../base/Redaction.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import type { HttpRequest, ResponseHeaders } from "../host/McpFetch.ts"
import type { Occasion } from "./HttpFailure.ts"
import type { HeaderRecord } from "./HttpHeaders.ts"

export interface HttpAuth {
  /** Headers that authorize a request to this URL; the same object as long as nothing changes. */
  readonly headers: (url: URL) => HeaderRecord
  /** Called with the headers of each request that was not refused; `isRetry` where an earlier attempt was. */
  readonly accepted: (used: HeaderRecord, isRetry: boolean) => void
  /**
   * Called with each 401 and 403. True sends the request again, with what `headers` gives then: the server refused it, so
   * nothing happens twice (docs/decisions.md, decision 8). False lets the refusal stand.
   */
  readonly renew: (refusal: Refusal) => Effect.Effect<boolean, McpErrorReason>
  /** Hides the entry's secrets, and all that were added to its requests. */
  readonly scrub: (text: string) => string
  /** Whether requests carry credentials, of the entry or of a person. */
  readonly isAuthorized: () => boolean
  /** The name under which a person can sign in; undefined where nobody can. */
  readonly login: string | undefined
  /** Waits until no renewal is running; false when there was none. */
  readonly renewed: Effect.Effect<boolean>
}

/** A request that the server refused with 401 or 403. */
export interface Refusal {
  readonly url: URL
  readonly method: HttpRequest["method"]
  readonly status: number
  readonly headers: ResponseHeaders
  /** The beginning of the body. */
  readonly text: string
  readonly used: HeaderRecord
  /** How often the request was refused, this time included. */
  readonly count: number
}

/** Adds nothing to the headers of the entry. */
export const none = (config: ServerConfig, { headers }: Http): HttpAuth => {
  const isAuthorized = hasCredentials(Object.keys(headers))
  return {
    headers: () => NOTHING,
    accepted: () => {},
    renew: () => Effect.succeed(false),
    scrub: Redaction.scrubber(config),
    isAuthorized: () => isAuthorized,
    login: undefined,
    renewed: Effect.succeed(false)
  }
}

const NOTHING: HeaderRecord = {}

/** Whether there are headers among these that look like credentials. */
export const hasCredentials = (names: ReadonlyArray<string>): boolean =>
  names.some((name) => /auth|key|token|secret|cookie/i.test(name))

export const occasionOf = ({ isAuthorized, login, scrub }: HttpAuth, method: string): Occasion => ({
  method,
  isAuthorized: isAuthorized(),
  login,
  scrub
})
