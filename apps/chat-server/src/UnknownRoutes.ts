/**
 * What no route of the API answers to: a path that is not there, or a method that its path does not take.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as ApiErrors from "./ApiErrors.ts"
import { DOCS_PATH } from "./Page.ts"
import * as Routes from "./Routes.ts"

// Not HEAD: the router answers it with the GET route of the path. What is no path of the API is the page's for GET.
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const answer = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  const path = url.split("?")[0] ?? ""
  const allowed = allowedMethods(path)
  const told = { hint: `${DOCS_PATH} lists what there is` }
  if (allowed.length === 0) {
    return ApiErrors.response(404, { ...told, _tag: "UnknownRoute", message: `there is no ${method} ${path}` }, {
      nearest: []
    })
  }
  const message = `${path} takes ${allowed.join(", ")}, not ${method}`
  return HttpServerResponse.setHeader(
    ApiErrors.response(405, { ...told, _tag: "MethodNotAllowed", message }),
    "allow",
    allowed.join(", ")
  )
})

export const layer = Layer.mergeAll(
  HttpRouter.add(METHODS[0], "/api/*", answer),
  ...METHODS.slice(1).map((method) => HttpRouter.add(method, "/*", answer))
)

const allowedMethods = (path: string): ReadonlyArray<string> => {
  const taken = Routes.methodsOf(path)
  return METHODS.filter((method) => taken.has(method)).flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method]
  )
}
