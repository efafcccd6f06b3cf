/** The MCP clients of this server: listing, letting in and ending them. */
import { Nearest } from "@boocode/mcp-config"
import type { ClientStatus } from "@boocode/mcp-gateway"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import { bridgeOf } from "../clients/ClientCaller.ts"
import { ClientGateway } from "../clients/ClientGateway.ts"
import { ClientProfiles, DEFAULT } from "../clients/ClientProfiles.ts"
import { ClientTokens } from "../clients/ClientTokens.ts"
import { Connectors } from "../connectors/Connectors.ts"
import * as EventStream from "../http/EventStream.ts"
import { Signals } from "../services/Shutdown.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "clients",
  Effect.fnUntraced(function*(handlers) {
    const gateway = yield* ClientGateway
    const profiles = yield* ClientProfiles
    const tokens = yield* ClientTokens
    const { service } = yield* Connectors
    const signedIn = service === null ? Effect.succeed([]) : service.all
    const { last } = yield* Signals

    const documentOf = Effect.fnUntraced(function*(clients: ReadonlyArray<ClientStatus>) {
      return {
        clients: clients.map(connected),
        known: [
          ...yield* tokens.all,
          ...(yield* signedIn).map(({ client, created, profile }) => ({
            name: client,
            profile,
            created,
            signedIn: true
          }))
        ],
        profiles: [...yield* profiles.all].map(([name, profile]) => ({ name, ...profile })),
        file: profiles.file,
        problems: (yield* profiles.problems).map(({ column, hint, key, line, message }) => ({
          column,
          hint,
          key,
          line,
          message
        }))
      }
    })
    const endThose = Effect.fnUntraced(function*(isOne: (client: ClientStatus) => boolean) {
      const those = (yield* gateway.clients).filter(isOne)
      yield* Effect.forEach(those, ({ id }) => gateway.end(id), { discard: true })
      return those.length
    })
    const end = Effect.fnUntraced(function*(name: string) {
      const ended = yield* endThose(({ caller, id }) => id === name || caller.label === name)
      if (ended > 0) return { ended }
      const names = (yield* gateway.clients).flatMap(({ caller, id }) => [caller.label ?? id])
      return yield* Effect.fail(Problems.notFound({
        _tag: "UnknownClient",
        message: `no MCP client ${name} is connected`,
        hint: "boocode mcp clients lists them",
        nearest: Nearest.nearest(name, names)
      }))
    })
    const listen = <A>(stream: Stream.Stream<A>) =>
      EventStream.response(Stream.interruptWhen(stream, Deferred.await(last)))
    return handlers.handleAll({
      list: () => Effect.flatMap(gateway.clients, documentOf),
      changes: () => listen(Stream.mapEffect(gateway.changes, documentOf)),
      add: Effect.fnUntraced(function*({ payload: { name, profile = DEFAULT } }) {
        yield* Effect.mapError(profiles.get(profile), Problems.notFound)
        const { client, token } = yield* Effect.mapError(tokens.add(name, profile), Problems.notChanged)
        return { ...client, token: Redacted.value(token) }
      }),
      remove: ({ params }) =>
        tokens.remove(params.name).pipe(
          Effect.catchTag("UnknownClient", (error) =>
            Effect.flatMap(
              service === null ? Effect.succeed(false) : service.remove(params.name),
              (isRemoved) => isRemoved ? Effect.void : Effect.fail(error)
            )),
          Effect.mapError((error) =>
            error._tag === "UnknownClient" ? Problems.notFound(error) : Problems.notChanged(error)
          ),
          Effect.andThen(endThose(({ caller }) => caller.label === params.name)),
          Effect.asVoid
        ),
      end: ({ params }) => end(params.name),
      attend: ({ query }) => {
        const gone = endThose(({ caller }) => caller.id === bridgeOf(query.id))
        return listen(Stream.ensuring(Stream.never, gone))
      }
    })
  })
)

const connected = (client: ClientStatus) => {
  const { calls, caller, era, exposure, id, inFlight, lastTools, profileName, program } = client
  const at = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))
  return {
    id,
    name: caller.label ?? null,
    program,
    profile: profileName,
    exposure,
    era,
    since: at(client.since),
    lastSeen: at(client.lastSeen),
    calls,
    inFlight,
    lastTools
  }
}
