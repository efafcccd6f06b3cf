/** The common parts of the verbs about prompts and about resources. */
import type { PromptList } from "@boocode/mcp-registry"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { one, Servers } from "../backend/Servers.ts"
import { served } from "../backend/VerbContext.ts"
import { optionalArgument, targetFlags, verb } from "../options/Options.ts"
import type { Failed } from "../terminal/Failure.ts"
import { beside } from "../terminal/Layout.ts"
import { oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

export const server = Argument.String("SERVER").pipe(Argument.withDescription("The server"))

/** The verb that shows all of one kind that the servers offer. */
export const listVerb = <A extends Omit<PromptList, "prompts">>(
  { about, ask, kind, lines }: {
    readonly kind: "prompts" | "resources"
    readonly about: string
    readonly ask: (servers: Servers["Service"], server: string | null) => Effect.Effect<A, Failed>
    readonly lines: (list: A, paint: Paint, columns: number) => ReadonlyArray<string>
  }
) =>
  Command.make(
    kind,
    {
      server: optionalArgument(
        Argument.String("SERVER").pipe(Argument.withDescription(`Only the ${kind} of this server; waits for it`))
      ),
      ...targetFlags
    },
    ({ server, ...target }) =>
      verb((options) =>
        served(
          options,
          target,
          Effect.gen(function*() {
            const output = yield* Output
            const list = yield* ask(yield* settled(server), server)
            if (options.json) return yield* output.document(list)
            yield* tellMissing(list, kind)
            yield* output.lines(lines(list, output.paint, yield* output.columns))
          })
        )
      )
  ).pipe(Command.withDescription(about))

/** The servers, once this one, or each of all, is ready or failed. An unknown name fails at once. */
export const settled = Effect.fnUntraced(function*(server: string | null) {
  const servers = yield* Servers
  if (server !== null) yield* one(server)
  yield* servers.settled(server === null ? null : [server])
  return servers
})

const tellMissing = Effect.fnUntraced(
  function*({ failed, waiting, warnings }: Omit<PromptList, "prompts">, verb: string) {
    const { notePaint, notes } = yield* Output
    yield* notes([
      ...failed.map(({ message, server }) => `${notePaint.bad("failed")}   ${plain(server)}: ${oneLine(message, 400)}`),
      ...waiting.map((server) =>
        `${notePaint.careful("waiting")}  ${plain(server)} sleeps or is slow; ${
          notePaint.typed(`boocode mcp ${verb} ${plain(server)}`)
        } waits for it`
      ),
      ...warnings.map((warning) => `${notePaint.careful("warning")}  ${plain(warning)}`)
    ])
  }
)

export const table = (
  rows: ReadonlyArray<readonly [string, string]>,
  paint: Paint,
  columns: number
): ReadonlyArray<string> =>
  beside(rows.map(([name, about]) => ({ name: plain(name), about })), columns, {
    colour: paint.bold,
    lead: "",
    most: Math.min(MOST_WIDE, Math.floor(columns / 2))
  })

const MOST_WIDE = 60
