/**
 * The addresses that browsers come back to after a login.
 */
import { isSecure } from "@boocode/mcp-client/SecureAddress"
import type { OAuth } from "@boocode/mcp-config"

/** The same at a server and at a command: whoever registers this program by hand registers one path. */
export const PATH = "/oauth/callback"

/** Where an entry wants people to come back to; null where it leaves that to whoever asks. */
export const ofEntry = (oauth: OAuth | false | undefined): string | null => {
  if (oauth === undefined || oauth === false) return null
  return oauth.redirectUri ?? (oauth.callbackPort === null ? null : here(oauth.callbackPort))
}

/** An address of this machine; port 0 is any. */
export const here = (port: number): string => `http://127.0.0.1:${port}${PATH}`

/** Whether an address is one of the machine that whoever reads it runs on, over plain http. */
export const isHere = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.protocol === "http:" && url.hash === "" && isSecure(url)
}

/** Whether a text is the address that a visit with this `state` ends at. What else it carries is for others to judge. */
export const isAnswer = (text: string, redirectUri: string, state: string): boolean => {
  const given = URL.parse(text.trim())
  const meant = URL.parse(redirectUri)
  return given !== null && meant !== null && given.origin === meant.origin && given.pathname === meant.pathname &&
    given.searchParams.get("state") === state
}
