/** Addresses that servers want opened: where they lead, and what may deceive about that. Pure. */
import { questions as texts } from "../messages/QuestionsMessages.ts"

interface Parts {
  readonly before: string
  readonly host: string
  readonly after: string
}

const parsed = (url: string): URL | null => URL.canParse(url) ? new URL(url) : null

/** The address as a browser would go to it: letters of other alphabets in its host are shown as what they are. */
export const partsOf = (url: string): Parts => {
  const address = parsed(url)
  if (address === null || address.host === "") return { before: url, host: "", after: "" }
  const { host, href, password, protocol, username } = address
  const person = username === "" && password === ""
    ? 0
    : username.length + (password === "" ? 0 : password.length + 1) + 1
  const from = protocol.length + 2 + person
  return { before: href.slice(0, from), host, after: href.slice(from + host.length) }
}

/** The address when a click may open it; null for anything but `http:` and `https:`. */
export const openable = (url: string): string | null => {
  const address = parsed(url)
  return address !== null && /^https?:$/.test(address.protocol) ? address.href : null
}

const isLoopback = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

export const warningsOf = (url: string): ReadonlyArray<string> => {
  const address = parsed(url)
  if (address === null || openable(url) === null) return [texts.noAddress]
  const { hostname, password, protocol, username } = address
  return [
    ...(username === "" && password === ""
      ? []
      : [texts.misleading(hostname)]),
    ...(/(^|\.)xn--/.test(hostname) ? [texts.otherAlphabet] : []),
    ...(protocol === "http:" && !isLoopback(hostname)
      ? [texts.notEncrypted]
      : [])
  ]
}
