/** The reference of the API as a page. */
import * as Effect from "effect/Effect"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { ChatApi } from "../api/ChatApi.ts"
import { DOCS_PATH } from "./Page.ts"

/** The page is made at the first request for it: its script takes 13 MB, which most servers never need. */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function*() {
    const page = yield* Effect.cached(made)
    yield* router.add("GET", DOCS_PATH, Effect.flatten(page))
  })
)

const made = Effect.gen(function*() {
  const router = yield* HttpRouter.make
  yield* HttpApiScalar.layer(ChatApi, { path: DOCS_PATH, scalar: { withDefaultFonts: false } }).pipe(
    Layer.provide(Layer.succeed(HttpRouter.HttpRouter, router)),
    Layer.build,
    Effect.scoped
  )
  return router.asHttpEffect()
})
