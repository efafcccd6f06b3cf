/**
 * Whose credentials: those of one server at one address.
 */
import { AuthorizationFailed } from "../McpError.ts"

/**
 * Which server: another address is another server, whatever its name.
 *
 * @category models
 */
export interface CredentialKey {
  readonly server: string
  readonly url: string
}

/** One name for both. @category getters */
export const nameOf = ({ server, url }: CredentialKey): string => JSON.stringify([server, url])

/** Nothing is kept of it. @category constants */
export const NOBODY = new AuthorizationFailed({
  detail: "nobody is signed in",
  try: "there is nothing to sign out of"
})
