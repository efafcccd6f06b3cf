/**
 * Refuses requests that a foreign page makes through the browser of whoever runs this server (DNS rebinding, R78).
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as ApiErrors from "./ApiErrors.ts"
import { Settings } from "./Settings.ts"

/**
 * `Host` must be a loopback name, the address this server was told to bind, or one of `allowedHosts`; `Origin`, where
 * there is one, must be this server's own, or one of `allowedHosts`. Everything else is answered with 403.
 */
export const layer = (boundHost: string) =>
  HttpRouter.middleware(
    Effect.map(Settings, ({ allowedHosts }) => {
      const known = new Set([...LOOPBACK, ...(WILDCARDS.has(boundHost) ? [] : [bracketed(boundHost)])])
      const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
      return <E, R>(httpEffect: Effect.Effect<Response, E, R>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
          const host = parse(`http://${headers["host"] ?? ""}`)
          if (host === null || !(known.has(host.hostname) || isAllowed(allowed, host))) {
            return Effect.succeed(foreign("Host", headers["host"] ?? "none"))
          }
          const given = headers["origin"]
          const origin = given === undefined ? host : parse(given)
          // Another port of this machine is another program, whose page has no business here.
          const isOwn = origin !== null && known.has(origin.hostname) && origin.port === host.port
          return isOwn || (origin !== null && (origin.host === host.host || isAllowed(allowed, origin)))
            ? httpEffect
            : Effect.succeed(foreign("Origin", given ?? "none"))
        })
    }),
    { global: true }
  )

type Response = ReturnType<typeof ApiErrors.response>

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
const WILDCARDS = new Set(["0.0.0.0", "::", ""])

const bracketed = (host: string): string => host.includes(":") ? `[${host}]` : host.toLowerCase()

const parse = (text: string): URL | null => {
  const url = URL.canParse(text) ? new URL(text) : null
  // A header with a path, a user or a comma in it is no host.
  return url !== null && url.pathname === "/" && url.username === "" && url.search === "" && url.hash === ""
    ? url
    : null
}

const isAllowed = (allowed: ReadonlySet<string>, url: URL): boolean =>
  url.hostname !== "" && (allowed.has(url.host) || allowed.has(url.hostname))

const foreign = (header: string, value: string): Response =>
  ApiErrors.response(403, {
    _tag: "ForeignHost",
    message: `the ${header} ${value.slice(0, 200)} is not one this server answers to`,
    hint: `if it is yours, add its name to "allowedHosts" in settings.json and start again`
  })
