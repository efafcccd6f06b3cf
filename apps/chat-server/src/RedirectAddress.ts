/**
 * Where a browser comes back to that is sent to a login by a request: this server where authorization servers would send
 * it there, else the machine that the browser runs on.
 */
import { isSecure } from "@boocode/mcp-client/SecureAddress"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Callback from "./Callback.ts"

type Request = HttpServerRequest.HttpServerRequest

/**
 * This server's own address, for who made a request whose `Host` was found to be ours; null where nobody would send codes
 * there: over plain http only a machine itself is a place for them.
 */
export const own = (request: Request): string | null => {
  const url = URL.parse(`${isHttps(request) ? "https" : "http"}://${request.headers["host"] ?? ""}${Callback.PATH}`)
  return url !== null && isSecure(url) ? url.href : null
}

/** Where nothing listens, so that a person copies the address that their browser ends at. */
export const nowhere = (request: Request): string =>
  Callback.here(Number(URL.parse(`http://${request.headers["host"] ?? ""}`)?.port || "80"))

/** Only a proxy in front speaks https. Whoever claims it in vain is sent to where nobody answers. */
export const isHttps = ({ headers }: Request): boolean =>
  (headers["origin"] ?? "").startsWith("https://") || /^https\b/i.test(headers["x-forwarded-proto"] ?? "")
