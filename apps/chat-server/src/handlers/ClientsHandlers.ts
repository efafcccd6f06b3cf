/** The MCP clients of this server: listing, letting in and ending them. */
import { CurrentUser } from "@boocode/chat"
import { Nearest } from "@boocode/mcp-config"
import type { ClientStatus } from "@boocode/mcp-gateway"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { RequestedBy, requester } from "../access/Requester.ts"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import { bridgeOf, idOf, personOf } from "../clients/ClientCaller.ts"
import { ClientGateway } from "../clients/ClientGateway.ts"
import { ClientProfiles, DEFAULT } from "../clients/ClientProfiles.ts"
import { ClientTokens } from "../clients/ClientTokens.ts"
import * as ConnectorCaller from "../connectors/ConnectorCaller.ts"
import { Connectors } from "../connectors/Connectors.ts"
import * as AccessGuard from "../http/AccessGuard.ts"
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

    /** The clients that a person sees and ends: their own, an admin all of them. */
    const theirs = Effect.gen(function*() {
      const by = yield* requester
      const { user } = by
      const all = yield* tokens.all
      const isAll = AccessGuard.mayAsAdmin(by)
      const known = isAll ? all : all.filter(({ owner }) => owner === user.id)
      const ids = new Set([personOf(user), ...known.map(idOf)])
      const connectors = ConnectorCaller.idsOf(user.id)
      const isOne = ({ caller: { id } }: ClientStatus) => isAll || ids.has(id) || id.startsWith(connectors)
      return { user, isAll, known, isOne }
    })

    const documentOf = Effect.fnUntraced(function*(clients: ReadonlyArray<ClientStatus>) {
      const { isAll, isOne, known, user } = yield* theirs
      return {
        clients: clients.filter(isOne).map(connected),
        known: [
          ...known.map(({ owner: _, ...client }) => client),
          ...(yield* signedIn).filter(({ owner }) => isAll || owner === user.id).map((
            { client, created, profile }
          ) => ({
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
      const { isOne } = yield* theirs
      const ended = yield* endThose((one) => isOne(one) && (one.id === name || one.caller.label === name))
      if (ended > 0) return { ended }
      const names = (yield* gateway.clients).filter(isOne).flatMap(({ caller, id }) => [caller.label ?? id])
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
      changes: () =>
        Effect.flatMap(
          requester,
          (by) => listen(Stream.provideService(Stream.mapEffect(gateway.changes, documentOf), RequestedBy, by))
        ),
      add: Effect.fnUntraced(function*({ payload: { name, profile = DEFAULT } }) {
        yield* Effect.mapError(profiles.get(profile), Problems.notFound)
        const { id } = yield* CurrentUser
        const { client, token } = yield* Effect.mapError(tokens.add(name, profile, id), Problems.notChanged)
        return { name: client.name, profile, created: client.created, token: Redacted.value(token) }
      }),
      remove: Effect.fnUntraced(function*({ params: { name } }) {
        const { isAll, isOne, user } = yield* theirs
        yield* tokens.remove(name, isAll ? null : user.id).pipe(
          Effect.catchTag("UnknownClient", (error) =>
            Effect.flatMap(
              service?.remove(({ client, owner }) => client === name && (isAll || owner === user.id)) ??
                Effect.succeed(false),
              (isRemoved) => isRemoved ? Effect.void : Effect.fail(error)
            )),
          Effect.mapError((error) =>
            error._tag === "UnknownClient" ? Problems.notFound(error) : Problems.notChanged(error)
          )
        )
        yield* endThose((one) => isOne(one) && one.caller.label === name)
      }),
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
