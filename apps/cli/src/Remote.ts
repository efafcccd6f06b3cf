/** A running server as its API shows it: every wait has a limit, and every failure has words. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Failed } from "./Failure.ts"
import type { Api } from "./RemoteClient.ts"
import type * as RemoteFailure from "./RemoteFailure.ts"

export class Remote extends Context.Service<Remote, {
  readonly url: string
  readonly api: Api
  /** For what is answered at once: 15 s at most. */
  readonly quick: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | RemoteFailure.Problem, R>
  /** For what takes as long as it takes: until the server itself is silent, which takes 40 s at most to notice. */
  readonly lasting: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, Failed | RemoteFailure.Problem, R>
  /** The same for a stream. */
  readonly alive: <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.Stream<A, Failed | RemoteFailure.Problem, R>
}>()("cli/Remote") {}
