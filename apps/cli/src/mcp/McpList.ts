/** `mcp list`: the servers and their states. A server that failed is part of the answer. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Servers } from "../backend/Servers.ts"
import { served } from "../backend/VerbContext.ts"
import { listLines } from "../lines/ServerLines.ts"
import { targetFlags, verb } from "../options/Options.ts"
import { warned } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import * as TrustQuestions from "../trust/TrustQuestions.ts"

export const list = Command.make("list", targetFlags, (target) =>
  verb((options) =>
    served(
      options,
      target,
      Effect.gen(function*() {
        const { columns, document, lines, paint } = yield* Output
        const servers = yield* Servers
        const first = yield* servers.settled(null)
        const isChanged = !options.json && (yield* TrustQuestions.ask)
        const { problems, servers: all, write } = isChanged ? yield* servers.settled(null) : first
        yield* options.json
          ? document({ servers: all, problems, write })
          : lines(listLines({ servers: all, write }, paint, yield* columns))
        yield* warned(problems)
      }),
      { isOverview: true }
    )
  )).pipe(
    Command.withDescription("Show every server and its state; without a running server, start them first")
  )
