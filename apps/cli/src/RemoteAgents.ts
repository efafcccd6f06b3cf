/** An agent that a running server does not have, with those it has. */
import * as Effect from "effect/Effect"
import * as Explained from "./Explained.ts"
import type { Failed } from "./Failure.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

/** Says more about a request that failed because of its agent; any other failure stays what it is. */
export const explained = (agent: string | null) =>
  Effect.fnUntraced(function*(error: Failed | RemoteFailure.Problem) {
    const told = RemoteFailure.plainly(error)
    if (error._tag === "Failed" || error.tag !== "UnknownAgent" || error.nearest.length > 0) return yield* told
    const { api, quick } = yield* Remote
    const { agents, problems } = yield* Effect.mapError(quick(api.agents.agents()), RemoteFailure.plainly)
    return yield* problems.some(({ name }) => name === agent) ? told : Explained.noAgent(told, agents)
  })
