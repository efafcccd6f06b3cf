/** An agent that a running server does not have, with those it has. */
import * as Effect from "effect/Effect"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import type { Failed } from "../terminal/Failure.ts"
import * as Remote from "./Remote.ts"

/** Says more about a request that failed because of its agent; any other failure stays what it is. */
export const explained = (agent: string | null) =>
  Effect.fnUntraced(function*(error: Failed | Remote.Problem) {
    const told = Remote.plainly(error)
    if (error._tag === "Failed" || error.tag !== "UnknownAgent" || error.nearest.length > 0) return yield* told
    const { api, quick } = yield* Remote.Remote
    const { agents, problems } = yield* Effect.mapError(quick(api.agents.agents()), Remote.plainly)
    return yield* problems.some(({ name }) => name === agent) ? told : ErrorHints.noAgent(told, agents)
  })
