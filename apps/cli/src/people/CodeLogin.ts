/** A token by a one-time code: the person types the code at the page of the server, where they are signed in (RFC 8628). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { hostname } from "node:os"
import { plainly, Remote } from "../backend/Remote.ts"
import { Failed } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

/** Gives null where the server has no such login: one of one person, or an older one. */
export const token = Effect.fnUntraced(function*(url: string, isAdmin: boolean) {
  const { api, quick } = yield* Remote
  const scopes = isAdmin ? ["chat", "admin"] as const : ["chat"] as const
  const begun = yield* quick(api.device.begin({ payload: { device: hostname(), scopes } })).pipe(
    Effect.catchIf(
      (error) => error._tag === "Problem" && error.tag !== "TooManyCodes",
      () => Effect.succeed(null)
    ),
    Effect.mapError(plainly)
  )
  if (begun === null) return null
  const { notePaint, notes } = yield* Output
  const minutes = Math.round(begun.expiresIn / 60)
  yield* notes([
    `Open ${notePaint.bold(`${plain(url)}/#/device`)} where you are signed in, and type`,
    `  ${notePaint.bold(oneLine(begun.userCode))}`,
    notePaint.dim(`The code works once, within ${minutes} minutes. Ctrl-C gives up.`)
  ])
  return yield* waited(Redacted.make(begun.deviceCode), begun.interval)
})

/** Asks as often as the server allows, until it says what became of it: it forgets a code that is too old. */
const waited = Effect.fnUntraced(function*(deviceCode: Redacted.Redacted<string>, interval: number) {
  const { api, quick } = yield* Remote
  let seconds = interval
  while (true) {
    yield* Effect.sleep(seconds * 1000)
    const { status, token } = yield* Effect.mapError(quick(api.device.token({ payload: { deviceCode } })), plainly)
    if (status === "done" && token !== undefined) return Redacted.make(token)
    if (status === "access_denied") return yield* DENIED
    if (status === "expired_token") return yield* ENDED
    if (status === "slow_down") seconds += 5
  }
})

const DENIED = new Failed({
  tag: "LoginDenied",
  message: "the login was denied in the page",
  hint: "run boocode login again if that was a mistake"
})

const ENDED = new Failed({
  tag: "LoginEnded",
  message: "nobody typed the code in time, or the server was started anew",
  hint: "run boocode login again for another code"
})
