/** Logins of commands by a one-time code: what the command asks for, and what a person says to it. */
import { CurrentUser } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Access } from "../../access/Access.ts"
import { DeviceLogins, OnePerson, type TooManyCodes, type UnknownCode } from "../../access/DeviceLogins.ts"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"

const fromCode = (error: UnknownCode | TooManyCodes) =>
  error._tag === "UnknownCode" ? Problems.notFound(error) : Problems.tooMany(error)

export const layer = HttpApiBuilder.group(
  ChatApi,
  "device",
  Effect.fnUntraced(function*(handlers) {
    const access = yield* Access
    const logins = yield* DeviceLogins
    return handlers.handleAll({
      begin: Effect.fnUntraced(
        function*({ payload: { device, scopes }, request }) {
          if (!(yield* access.hasUsers)) return yield* new OnePerson()
          const peer = Option.getOrElse(request.remoteAddress, () => "")
          const { deviceCode, ...rest } = yield* logins.begin({ device, scopes: [...new Set(scopes)] }, peer)
          return { ...rest, deviceCode: Redacted.value(deviceCode) }
        },
        Effect.mapError((error) => {
          if (error._tag === "OnePerson") return Problems.badRequest(error)
          return error._tag === "TooManyCodes" ? Problems.tooMany(error) : Problems.fromStore(error)
        })
      ),
      token: Effect.fnUntraced(
        function*({ payload: { deviceCode } }) {
          const outcome = yield* logins.poll(Redacted.value(deviceCode))
          return outcome.status === "done" ? { ...outcome, token: Redacted.value(outcome.token) } : outcome
        },
        Effect.mapError((error) =>
          error._tag === "UserRefused" ? Problems.badRequest(error) : Problems.fromStore(error)
        )
      ),
      look: ({ params: { code } }) =>
        Effect.flatMap(CurrentUser, (user) => Effect.mapError(logins.look(code, user), fromCode)),
      decide: ({ params: { code }, payload: { allow } }) =>
        Effect.flatMap(CurrentUser, (user) => Effect.mapError(logins.decide(code, user, allow), fromCode))
    })
  })
)
