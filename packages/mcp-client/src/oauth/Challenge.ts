/** The challenge of a server that wants authorization, or more of it (RFC 6750, RFC 9728), and the scopes in it. */

export interface Challenge {
  readonly status: number
  /** Where the server describes itself. */
  readonly metadataUrl: URL | undefined
  /** The scopes that a request needs. */
  readonly scopes: ReadonlyArray<string>
  /** For instance `invalid_token` or `insufficient_scope`. */
  readonly error: string | undefined
}

/** The server has refused nothing yet. */
export const NONE: Challenge = { status: 401, metadataUrl: undefined, scopes: [], error: undefined }

/** The server is used without authorization, so there may be nothing to sign in to. */
export const NOT_NEEDED: Challenge = { ...NONE, status: 200 }

/** Reads the challenge of a refusal from its header `WWW-Authenticate`. */
export const read = (status: number, header: string): Challenge => {
  const said = SCHEMES.test(header) ? header : ""
  return {
    status,
    metadataUrl: URL.parse(parameter(said, "resource_metadata") ?? "") ?? undefined,
    scopes: scopesOf(parameter(said, "scope")),
    error: parameter(said, "error")
  }
}

/** Other schemes give these parameters another meaning (RFC 6750, RFC 9449). */
const SCHEMES = /^(?:bearer|dpop) \S/i

const parameter = (header: string, name: string): string | undefined => {
  const [, quoted, bare] = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]+)"|([^\\s,"]+))`).exec(header) ?? []
  return quoted ?? bare
}

/** Whether more rights would help. */
export const isStepUp = ({ error, status }: Challenge): boolean => status === 403 && error === "insufficient_scope"

/** The scopes in a text as OAuth writes them, the first hundred. */
export const scopesOf = (text: string | undefined): ReadonlyArray<string> =>
  union((text ?? "").split(/\s+/).filter((scope) => SCOPE.test(scope)))

/** The characters that a scope may have (RFC 6749, 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/

/** Scopes are shown, kept, and part of the URL that a browser opens; a server may ask for others each time. */
const MOST = 100

/** Each once, the first hundred. */
export const union = (...scopes: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  [...new Set(scopes.flat())].slice(0, MOST)
