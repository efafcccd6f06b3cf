/** The address under which others reach this server, by way of a reverse proxy. */
import * as PrivateAddress from "./PrivateAddress.ts"

/** Whether a text can be one: an origin, over https unless only this machine reaches it. */
export const isUsable = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "") return false
  return url.protocol === "https:" || url.protocol === "http:" && isHere(url.hostname)
}

const isHere = (host: string): boolean =>
  PrivateAddress.isLocalName(host) || PrivateAddress.kindOf(host.replace(/^\[|\]$/g, "")) === "loopback"

/** Without a slash at the end. */
export const originOf = (text: string): string => URL.parse(text)?.origin ?? text

/** The names under which others reach a server with these settings. */
export const hostsOf = (
  { allowedHosts, publicUrl }: { readonly allowedHosts: ReadonlyArray<string>; readonly publicUrl: string | null }
): ReadonlyArray<string> => publicUrl === null ? allowedHosts : [...allowedHosts, originOf(publicUrl)]
