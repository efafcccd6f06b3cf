/**
 * `GET /api/about`.
 */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { versions } from "node:process"
import { ChatApi, VERSION } from "../ChatApi.ts"
import { Database } from "../Database.ts"
import { DataFolder } from "../DataFolder.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "about",
  Effect.fnUntraced(function*(handlers) {
    const { folder, state } = yield* DataFolder
    const { kind, name } = yield* Database
    return handlers.handleAll({
      about: () =>
        Effect.succeed({ version: VERSION, node: versions.node, storage: { kind, name }, data: folder, state })
    })
  })
)
