/** The routes of the API as patterns, and the answer to a path or a method that is none of them. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as LoginCallback from "../services/LoginCallback.ts"
import { DOCS_PATH } from "./Page.ts"

interface Route {
  readonly method: string
  /** For instance `/api/chats/:id`. */
  readonly pattern: string
  readonly path: RegExp
}

const ROUTES: ReadonlyArray<Route> = [
  ...Object.values(ChatApi.groups).flatMap(({ endpoints }) => Object.values(endpoints)),
  { method: "GET", path: "/api/openapi.json" },
  { method: "GET", path: DOCS_PATH },
  { method: "GET", path: "/metrics" },
  { method: "GET", path: LoginCallback.PATH },
  { method: "GET", path: "/v1/models" },
  { method: "GET", path: "/v1/models/:model" },
  { method: "POST", path: "/v1/chat/completions" },
  ...["GET", "POST", "DELETE"].flatMap((method) => [{ method, path: "/mcp" }, { method, path: "/mcp/:profile" }])
].map(({ method, path }) => ({ method, pattern: path, path: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`) }))
  // A route without parameters goes before one that its path fits too.
  .toSorted((one, other) => parameters(one.pattern) - parameters(other.pattern))

const methodsOf = (path: string): ReadonlySet<string> =>
  new Set(ROUTES.filter((route) => route.path.test(path)).map(({ method }) => method))

/** A path that is a pattern itself, as most are that are asked for often. */
const PLAIN: ReadonlySet<string> = new Set(ROUTES.map(({ pattern }) => pattern).filter((one) => parameters(one) === 1))

/** The pattern of the route that a url belongs to; `page` for the page's files, `unknown` for what the API has not. */
export const patternOf = (url: string): string => {
  const path = url.split("?")[0] ?? ""
  if (PLAIN.has(path)) return path
  const pattern = ROUTES.find((route) => route.path.test(path))?.pattern
  if (pattern !== undefined) return pattern
  if (/^\/(oauth|\.well-known)\//.test(path)) return "/oauth/*"
  return /^\/(api|v1)\//.test(path) ? "unknown" : "page"
}

function parameters(pattern: string): number {
  return pattern.split(":").length
}

// Not HEAD: the router answers it with the GET route of the path. A path that is not the API's is the page's for GET.
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const answer = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  const path = url.split("?")[0] ?? ""
  const allowed = allowedMethods(path)
  const told = { hint: `${DOCS_PATH} lists what there is` }
  if (allowed.length === 0) {
    return Problems.response(404, { ...told, _tag: "UnknownRoute", message: `there is no ${method} ${path}` }, {
      nearest: []
    })
  }
  const message = `${path} takes ${allowed.join(", ")}, not ${method}`
  return HttpServerResponse.setHeader(
    Problems.response(405, { ...told, _tag: "MethodNotAllowed", message }),
    "allow",
    allowed.join(", ")
  )
})

export const unknownLayer = Layer.mergeAll(
  HttpRouter.add(METHODS[0], "/api/*", answer),
  HttpRouter.add(METHODS[0], "/v1/*", answer),
  ...METHODS.slice(1).map((method) => HttpRouter.add(method, "/*", answer))
)

const allowedMethods = (path: string): ReadonlyArray<string> => {
  const taken = methodsOf(path)
  return METHODS.filter((method) => taken.has(method)).flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method]
  )
}
