/**
 * Which addresses a person may be sent to, and secrets: https, and http to this machine (R79).
 */

/** Whether an address is one of them. @category predicates */
export const isSecure = (address: string | URL): boolean => {
  const url = URL.parse(String(address))
  if (url === null) return false
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || /^127(\.\d+){3}$/.test(host) || host === "[::1]"
