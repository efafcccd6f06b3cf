/** The link of an invitation. The page reads it after the `#`, which no browser sends and no proxy logs. */
import * as Redacted from "effect/Redacted"
import type { Invited } from "./Users.ts"

export const shown = (origin: string, { token, until, user }: Invited) => ({
  user,
  until,
  link: `${origin}/#/invitation/${Redacted.value(token)}`
})
