/** `audit`: who called which tool, from where, with which outcome and whose yes. */
import type { AuditedCall } from "@boocode/chat-server/api/users/AuditApi"
import * as AuditText from "@boocode/chat-server/team/AuditText"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { optional, textFlag } from "../options/Options.ts"
import { local, oneLine, type Paint } from "../terminal/Output.ts"
import { asking, target } from "./PeopleVerb.ts"

const LIMIT = 50

const filters = {
  user: textFlag("user", "NAME", "The calls of this person; members see their own").pipe(optional),
  tool: textFlag("tool", "NAME", "The calls of this tool").pipe(optional),
  server: textFlag("server", "NAME", "The calls of tools of this server").pipe(optional),
  origin: Flag.Literals("origin", ["chat", "program", "v1", "own", "client", "app"]).pipe(
    Flag.withDescription("From where: chat, program, v1, own or client"),
    optional
  ),
  outcome: Flag.Literals("outcome", ["done", "failed", "unknown", "refused"]).pipe(
    Flag.withDescription("What became of it: done, failed, unknown or refused"),
    optional
  ),
  since: textFlag("since", "TIME", "From this time of UTC on, such as 2026-11-24 or 2026-11-24T17:00Z").pipe(optional)
}

export const audit = Command.make(
  "audit",
  {
    ...filters,
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("How many, 50 by default"),
      Flag.withDefault(LIMIT)
    ),
    csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print CSV"), Flag.withDefault(false)),
    ...target
  },
  ({ csv, isLocal, limit, url, ...given }) =>
    asking(
      { isLocal, url },
      (people, { document, lines, paint }, { json }) =>
        Effect.flatMap(people.audit(given, limit), (calls) => {
          if (json) return document({ calls })
          if (csv) return lines([AuditText.CSV_HEAD, ...calls.map(AuditText.csvLine)].map((line) => line.trimEnd()))
          return lines(calls.length === 0 ? ["no call is known"] : calls.map((call) => lineOf(call, paint)))
        })
    )
).pipe(
  Command.withDescription("Show who called which tool, the newest call first, without arguments"),
  Command.withExamples([{ command: "boocode audit --user Ann --outcome refused", description: "What Ann was refused" }])
)

const lineOf = (call: typeof AuditedCall.Type, paint: Paint): string => {
  const { allowedBy, at, origin, outcome, place, source, tool, user } = call
  const who = user === null ? "" : `${oneLine(user, 40)}  `
  const from = origin === "client" && place !== null ? `client ${oneLine(place, 40)}` : origin
  const yes = allowedBy === "default" ? "" : `, ${allowedBy}${source === "" ? "" : ` (${oneLine(source, 80)})`}`
  return `${paint.dim(local(at, "short"))}  ${who}${paint.bold(oneLine(tool, 80))}  ${outcome}, ${from}${yes}`
}
