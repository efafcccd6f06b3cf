/** Which addresses a person may be sent to, and secrets: https, and http to this machine (R79). */

/** Whether an address is one of them. The part before an @ only looks like where it leads. */
export const isSecure = (address: string | URL): boolean => {
  const url = URL.parse(String(address))
  if (url === null || url.username !== "" || url.password !== "") return false
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
}

/** Whether a host of an address is this machine. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || /^127(\.\d+){3}$/.test(host) || host === "[::1]"
