/**
 * The calls that wait for a person's yes: which there are, and answering them.
 */
import { ToolApprovals } from "@boocode/chat"
import { Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "approvals",
  Effect.fnUntraced(function*(handlers) {
    const approvals = yield* ToolApprovals

    const revoke = Effect.fnUntraced(function*(name: string) {
      if (yield* Effect.mapError(approvals.revoke(name), ApiErrors.internal)) return
      const names = (yield* approvals.granted).map((grant) => grant.name)
      return yield* Effect.fail(ApiErrors.notFound({
        _tag: "NotAllowed",
        message: `no tool is always allowed under the name ${name}`,
        hint: "list what is",
        nearest: Nearest.nearest(name, names)
      }))
    })

    return handlers.handleAll({
      list: () =>
        Effect.mapError(
          Effect.all({ pending: approvals.pending, granted: approvals.granted }),
          ApiErrors.fromStore
        ),
      answer: ({ params, payload }) =>
        Effect.mapError(approvals.answer(params.id, params.approval, payload), ApiErrors.fromAnswer),
      revoke: ({ params }) => revoke(params.name)
    })
  })
)
