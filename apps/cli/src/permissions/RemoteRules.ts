/** The rules of a running server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Remote from "../backend/Remote.ts"
import { ownersOf, Servers } from "../backend/Servers.ts"
import { RuleSource } from "./RuleSource.ts"

export const layer = Layer.effect(
  RuleSource,
  Effect.gen(function*() {
    const remote = yield* Remote.Remote
    const { api, quick } = remote
    const servers = yield* Servers
    const plainly = <A, R>(asked: Effect.Effect<A, unknown, R>) => Effect.mapError(quick(asked), Remote.plainly)
    const settled = Effect.fnUntraced(function*(tools: ReadonlyArray<string>) {
      const names = (yield* servers.all).map(({ name }) => name)
      yield* servers.settled([...new Set(tools.flatMap((tool) => ownersOf(tool, names) ?? names))])
    })
    return RuleSource.of({
      list: Effect.andThen(servers.settled(null), plainly(api.permissions.list())),
      explain: (payload) =>
        Effect.andThen(
          settled([payload.tool]),
          quick(api.permissions.explain({ payload })).pipe(
            Effect.catch(Remote.agentHint(payload.agent)),
            Effect.provideService(Remote.Remote, remote),
            Effect.mapError(Remote.plainly)
          )
        ),
      test: Effect.gen(function*() {
        const { examples } = yield* plainly(api.permissions.list())
        yield* settled(examples.map(({ tool }) => tool))
        return yield* plainly(api.permissions.test())
      })
    })
  })
)
