/**
 * The routes of the API as patterns: which methods a path takes, and one name for all paths of a route.
 */
import { ChatApi } from "../api/ChatApi.ts"
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
  { method: "GET", path: LoginCallback.PATH }
].map(({ method, path }) => ({ method, pattern: path, path: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`) }))
  // A route without parameters goes before one that its path fits too.
  .toSorted((one, other) => parameters(one.pattern) - parameters(other.pattern))

/** The methods that a path takes, in capitals. */
export const methodsOf = (path: string): ReadonlySet<string> =>
  new Set(ROUTES.filter((route) => route.path.test(path)).map(({ method }) => method))

/** The pattern of the route that a url belongs to; `page` for the page's files, `unknown` for what the API has not. */
export const patternOf = (url: string): string => {
  const path = url.split("?")[0] ?? ""
  return ROUTES.find((route) => route.path.test(path))?.pattern ?? (path.startsWith("/api/") ? "unknown" : "page")
}

function parameters(pattern: string): number {
  return pattern.split(":").length
}
