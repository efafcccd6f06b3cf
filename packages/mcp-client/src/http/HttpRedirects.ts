/** Where a redirect may lead: within the origin, and with the method kept. A header or a body goes nowhere else (R76). */
import type { HttpRequest, ResponseHeaders } from "../host/McpFetch.ts"
import * as HttpResponse from "./HttpResponse.ts"

/** Where an answer redirects to; null when it does not. */
export const targetOf = (from: URL, status: number, headers: ResponseHeaders): URL | null => {
  const location = CODES.has(status) ? HttpResponse.header(headers, "location") : null
  return location === null ? null : URL.parse(location, from.href)
}

const CODES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Whether a redirect may be followed. */
export const isOpen = (from: URL, target: URL, status: number, method: HttpRequest["method"]): boolean =>
  isSame(from, target) &&
  (method === "GET" || status === 307 || status === 308) &&
  target.username === from.username && target.password === from.password

/** An upgrade from http to https on the usual ports leads to the same server. */
const isSame = (from: URL, target: URL): boolean =>
  target.origin === from.origin ||
  (from.protocol === "http:" && target.protocol === "https:" && from.hostname === target.hostname &&
    from.port === "" && target.port === "")

/** Says where a redirect leads that was not followed; null when the answer is no redirect. */
export const words = (from: URL, status: number, headers: ResponseHeaders): string | null => {
  // Some runtimes report a redirect that way, and keep its target to themselves.
  if (status === 0) return "Redirect not followed: this runtime does not expose where it points"
  const target = targetOf(from, status, headers)
  if (target === null) return null
  const place = target.origin + target.pathname
  return target.protocol === "http:" && from.protocol === "https:"
    ? `Redirect from https to plain http not followed; try ${place.replace(/^http:/, "https:")} as the endpoint`
    : `Redirect to ${place} not followed`
}
