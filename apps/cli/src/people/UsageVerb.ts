/** `usage`: what people used of models, and how much they may. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { PeopleUsage } from "../backend/PeopleBackend.ts"
import { optional, textFlag } from "../options/Options.ts"
import { beside } from "../terminal/Layout.ts"
import { local, oneLine, type Paint } from "../terminal/Output.ts"
import { asking, target } from "./PeopleVerb.ts"

const month = textFlag("month", "MONTH", "A month of UTC such as 2026-11; this one by default").pipe(optional)

export const usage = Command.make(
  "usage",
  { month, ...target },
  ({ month, ...target }) =>
    asking(
      target,
      (people, { columns, document, lines, paint }, { json }) =>
        Effect.flatMap(people.usage(month), (found) =>
          json
            ? document({ ...found })
            : Effect.flatMap(columns, (width) => lines(usageLines(found, paint, width))))
    )
).pipe(
  Command.withDescription("Show what people used of models this month, and your limits"),
  Command.withExamples([{ command: "boocode usage --month 2026-11", description: "One person each line" }])
)

const usageLines = ({ mine, month, people }: PeopleUsage, paint: Paint, columns: number): ReadonlyArray<string> => [
  ...people.length === 0
    ? [`nothing was used in ${month}`]
    : beside(
      people.map(({ cost, inputTokens, name, outputTokens, requests }) => ({
        name: name === "" ? "you" : oneLine(name, 64),
        about: `${cost.toFixed(2)} USD, ${short(inputTokens + outputTokens)} tokens, ${requests} requests`
      })),
      columns,
      { colour: paint.bold }
    ),
  ...mine.limits.map(({ limit, most, resets, used }) =>
    paint.dim(`you may use ${limit}: ${percent(used, most)} used, anew ${local(resets, "short")}`)
  ),
  ...mine.turns === null ? [] : [paint.dim(`${mine.turns} of your chats are answered at once`)]
]

const percent = (used: number, most: number): string => most === 0 ? "all" : `${Math.floor(used / most * 100)} %`

const short = (tokens: number): string => tokens < 10_000 ? String(tokens) : `${Math.round(tokens / 1000)}k`
