/**
 * Refuses requests that a foreign page makes through the browser of the person who runs this server (DNS rebinding, R78).
 */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Problems from "../api/Problems.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { Settings } from "../settings/Settings.ts"
import type { RequestHead } from "./RequestHead.ts"

/** Answers a request itself, or lets what is behind it answer. */
export type Guard = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * A request names the host that it asks once: proxies differ about which of two `Host` headers counts, so that is answered with 400.
 * `Host` must be a loopback name, the address this server was told to bind, or one of `allowedHosts` and `publicUrl`; where every address
 * is bound, any address will do, for a foreign page has a name. `Origin`, where there is one, must be this server's own,
 * or one of `allowedHosts`, and never that of the apps (`isApps`); where there is none, a browser must not say that another site asks. Everything else is
 * answered with 403.
 */
export const guard = (
  boundHost: string,
  isApps: (origin: URL) => boolean
): Effect.Effect<Guard, never, Settings> =>
  Effect.map(
    make(boundHost, isApps),
    (refusalOf) => (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const refusal = refusalOf(request)
        return refusal === null ? httpEffect : Effect.succeed(refusal)
      })
  )

/** Gives the answer to a request that is refused; null for one that is let by. */
export const make = (
  boundHost: string,
  isApps: (origin: URL) => boolean
): Effect.Effect<(head: RequestHead) => HttpServerResponse.HttpServerResponse | null, never, Settings> =>
  Effect.map(Settings, (settings) => {
    const isOurs = judge(boundHost, namesOf(settings))
    /** Nearly all requests have the `Host` of the one before. */
    let last: { readonly given: string | undefined; readonly host: URL | null } = { given: "", host: null }
    const hostIn = ({ host: given }: RequestHeaders): URL | null => {
      if (last.given === given) return last.host
      const host = parse(`http://${given ?? ""}`)
      last = { given, host: host !== null && isOurs.host(host) ? host : null }
      return last.host
    }
    return (request) => {
      const { headers, method } = request
      if (hostsOf(request) > 1) return TWO_HOSTS
      const given = headers["origin"]
      const host = hostIn(headers)
      if (host === null) return foreign("Host", headers["host"] ?? "none")
      if (given === undefined) {
        return isCrossSite(method, headers) ? foreign("Sec-Fetch-Site", headers["sec-fetch-site"] ?? "") : null
      }
      const origin = parse(given)
      return origin !== null && !isApps(origin) && isOurs.origin(origin, host) ? null : foreign("Origin", given)
    }
  })

/** Node keeps the first alone in `headers`. A request that is not Node's cannot have two. */
const hostsOf = ({ source }: RequestHead): number =>
  "rawHeaders" in source && Array.isArray(source.rawHeaders)
    ? source.rawHeaders.filter((name: unknown, at) => at % 2 === 0 && isHost(String(name))).length
    : 1

/** The length tells most of them apart. */
const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === "host"

const TWO_HOSTS = Problems.response(400, {
  _tag: "BadRequest",
  message: "there is more than one Host header",
  hint: "send one"
})

type RequestHeaders = RequestHead["headers"]

const judge = (boundHost: string, allowedHosts: ReadonlyArray<string>) => {
  const known = new Set([...LOOPBACK, ...(WILDCARDS.has(boundHost) ? [] : [bracketed(boundHost)])])
  const allowed = new Set(allowedHosts.map(hostOf))
  const isKnown = ({ hostname }: URL) => known.has(hostname) || WILDCARDS.has(boundHost) && isAddress(hostname)
  return {
    host: (host: URL) => isKnown(host) || isAllowed(allowed, host),
    // Another port of this machine is another program, whose page has no business here.
    origin: (origin: URL, host: URL) =>
      origin.host === host.host || isAllowed(allowed, origin) ||
      LOOPBACK.includes(origin.hostname) && LOOPBACK.includes(host.hostname) && origin.port === host.port
  }
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
const WILDCARDS = new Set(["0.0.0.0", "::", ""])

const isAddress = (hostname: string): boolean => PrivateAddress.isAddress(hostname)

const bracketed = (host: string): string => host.includes(":") ? `[${host}]` : host.toLowerCase()

/** People write an origin there as well. */
const hostOf = (text: string): string => text.toLowerCase().replace(/^https?:\/\//, "").replace(/\/$/, "")

/** The names under which others reach a server with these settings. */
export const namesOf = (
  { allowedHosts, publicUrl }: Pick<typeof Settings.Service, "allowedHosts" | "publicUrl">
): ReadonlyArray<string> => publicUrl === null ? allowedHosts : [...allowedHosts, publicUrl]

/** The name alone of what is written in `allowedHosts`. */
export const nameOf = (text: string): string => URL.parse(`http://${hostOf(text)}`)?.hostname ?? hostOf(text)

const parse = (text: string): URL | null => {
  const url = URL.canParse(text) ? new URL(text) : null
  // A header with a path, a user or a comma in it is no host.
  return url !== null && url.pathname === "/" && url.username === "" && url.search === "" && url.hash === ""
    ? url
    : null
}

const isAllowed = (allowed: ReadonlySet<string>, url: URL): boolean =>
  url.hostname !== "" && (allowed.has(url.host) || allowed.has(url.hostname))

/** A link that a person follows from elsewhere is fine; an image, a script or a frame of another site is not. */
const isCrossSite = (method: string, headers: RequestHeaders): boolean => {
  const site = headers["sec-fetch-site"]
  if (site === undefined || site === "same-origin" || site === "none") return false
  return !(method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document")
}

const foreign = (header: string, value: string) =>
  Problems.response(403, {
    _tag: "ForeignHost",
    message: `the ${header} ${value.slice(0, 200)} is not one this server answers to`,
    hint: `if it is yours, add its name to "allowedHosts" in settings.json and start again`
  })
