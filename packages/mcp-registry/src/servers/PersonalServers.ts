/** The servers of personal entries: each person has a set of their own, beside the servers that all share. */
import { ServerRequests } from "@boocode/mcp-client"
import type * as Connect from "@boocode/mcp-client/Connect"
import { TooManyInstances } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Path from "effect/Path"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Instances } from "../lifecycle/ConnectAttempt.ts"
import { PersonalValues } from "../model/PersonalValues.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import { ConnectionPerson } from "../state/ConnectionSource.ts"
import { Manifests } from "../tools/Manifests.ts"
import * as PersonalKeeping from "./PersonalKeeping.ts"
import * as ServerSet from "./ServerSet.ts"

export interface Options {
  /** Closes in parallel. */
  readonly scope: Scope.Scope
  readonly searchAfterPath: ReadonlyArray<string>
  /** The servers that all share. A personal entry has a place among them that nothing runs in. */
  readonly shared: ServerSet.ServerSet
  /** One change of servers at a time. */
  readonly turn: Semaphore.Semaphore
}

export interface PersonalServers {
  /** The servers as one person has them, until the scope closes. */
  readonly begin: (person: string) => Effect.Effect<ServerSet.ServerSet, never, Scope.Scope | Connect.Requirements>
  /** Makes the servers of everybody what these entries say; in the turn of the registry. */
  readonly apply: (entries: ReadonlyArray<ConfiguredServer>) => Effect.Effect<void>
  /** Runs so that servers are told of the folder of this person, where they would be told of everybody's. */
  readonly inFolder: (person: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** An entry as it is for this person. */
  readonly entryOf: (person: string, entry: ConfiguredServer) => Effect.Effect<ConfiguredServer>
  /** Whether each person has a server of their own of this name. */
  readonly isPersonal: (name: string) => boolean
  /** How many people's servers of this name run. */
  readonly running: (name: string) => number
  /** How long the servers of a person stay who does nothing: as long as the one that sleeps last. */
  readonly idle: () => Duration.Duration
  /** Ends all servers of a person at once. */
  readonly end: (person: string) => Effect.Effect<void>
  /** The status of a person's own server at each change, with the person. It keeps nobody's servers. */
  readonly events: Stream.Stream<PersonalEvent>
}

/** A server of one person, and the key of that person. */
export type PersonalEvent = readonly [person: string, status: ServerStatus]

/** The place of a personal entry among the servers that all share. */
export const place = (entry: ConfiguredServer): ConfiguredServer =>
  entry.personal === undefined ? entry : { ...entry, enabled: false }

const LEAST = Duration.minutes(10)

interface Person {
  readonly apply: Effect.Effect<void>
  readonly end: Effect.Effect<void>
}

/** Nobody has any yet. */
export const make = Effect.fnUntraced(function*(
  { scope, searchAfterPath, shared, turn }: Options
): Effect.fn.Return<PersonalServers, never, Scope.Scope | Path.Path> {
  const values = yield* PersonalValues
  const path = yield* Path.Path
  const people = new Map<string, Person>()
  const told = yield* PubSub.sliding<PersonalEvent>(1024)
  const counts = new Map<string, number>()
  let entries: ReadonlyArray<ConfiguredServer> = []

  const count = (name: string, by: number) => Effect.sync(() => void counts.set(name, (counts.get(name) ?? 0) + by))
  const enter = ({ maxInstances, name }: ServerConfig) =>
    Effect.suspend(() =>
      (counts.get(name) ?? 0) >= maxInstances
        ? Effect.fail(new TooManyInstances({ most: maxInstances }))
        : Effect.asVoid(Effect.acquireRelease(count(name, 1), () => count(name, -1)))
    )
  const entryOf = (person: string, entry: ConfiguredServer): Effect.Effect<ConfiguredServer> =>
    entry.personal === undefined
      ? Effect.succeed(entry)
      : Effect.zipWith(
        values.of(person),
        values.workspace(person),
        (given, folder) => resolved(entry, given, folder)
      )

  const inFolder = (person: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.updateService(effect, ServerRequests, (host) => {
      const own = Effect.flatMap(values.workspace(person), (folder) =>
        folder === null
          ? Effect.succeed([])
          : Effect.map(Effect.orDie(path.toFileUrl(folder)), ({ href }) => [{ uri: href, name: "workspace" }]))
      const current = Effect.flatMap(values.areSeveral, (areSeveral) => areSeveral ? own : host.roots.current)
      return { ...host, roots: { ...host.roots, current } }
    })

  const begin = Effect.fnUntraced(function*(person: string) {
    const own = yield* Scope.fork(scope, "parallel")
    const end = Scope.close(own, Exit.void)
    const set = yield* ServerSet.make(own, searchAfterPath).pipe(
      Effect.provideService(Instances, { enter }),
      Effect.provideService(ConnectionPerson, person),
      Effect.updateService(Manifests, ({ recall, remember }) => ({
        recall: (owner) => recall({ ...owner, entry: named(owner.entry, person) }),
        remember: (owner, manifest) => remember({ ...owner, entry: named(owner.entry, person) }, manifest)
      })),
      PersonalKeeping.keptFor(person, () => true),
      inFolder(person)
    )
    const apply = Effect.suspend(() => {
      const personal = entries.filter((entry) => entry.personal !== undefined)
      return Effect.flatMap(
        Effect.forEach(personal, (entry) => entryOf(person, entry)),
        (mine) => Effect.asVoid(set.apply(mine, shared.names()))
      )
    }).pipe(Effect.uninterruptible)
    const is: Person = { apply, end }
    yield* Effect.forkScoped(
      Stream.runForEach(yield* set.events, (status) => PubSub.publish(told, [person, status] as const)),
      { startImmediately: true }
    )
    yield* Effect.acquireRelease(
      turn.withPermit(Effect.andThen(Effect.sync(() => people.set(person, is)), apply)),
      () =>
        Effect.suspend(() => {
          if (people.get(person) === is) people.delete(person)
          return end
        })
    )
    return joined(shared, set)
  })

  yield* Effect.forkScoped(
    Stream.runForEach(
      values.changes,
      (person) => turn.withPermit(Effect.suspend(() => people.get(person)?.apply ?? Effect.void))
    ),
    { startImmediately: true }
  )
  return {
    begin,
    apply: (next) =>
      Effect.suspend(() => {
        entries = next
        return Effect.forEach([...people.values()], ({ apply }) => apply, { discard: true })
      }),
    inFolder,
    entryOf,
    isPersonal: (name) => entries.some((entry) => entry.name === name && entry.personal !== undefined),
    running: (name) => counts.get(name) ?? 0,
    idle: () => entries.reduce((longest, { personal }) => Duration.max(longest, personal?.idle ?? LEAST), LEAST),
    end: (person) => Effect.suspend(() => people.get(person)?.end ?? Effect.void),
    events: Stream.fromPubSub(told)
  }
})

/** The decision about an entry is about what its file says, so it holds for everybody. */
const resolved = (
  entry: ConfiguredServer,
  ...has: Parameters<NonNullable<ConfiguredServer["personal"]>["resolve"]>
): ConfiguredServer => entry.personal === undefined ? entry : { ...entry, config: entry.personal.resolve(...has) }

const named = (entry: ConfiguredServer, person: string): ConfiguredServer => ({
  ...entry,
  name: `${entry.name}\n${person}`
})

/** A server of a person goes before the place of its entry. */
const joined = (shared: ServerSet.ServerSet, own: ServerSet.ServerSet): ServerSet.ServerSet => ({
  all: () => own.all().length === 0 ? shared.all() : shared.all().map((slot) => own.find(slot.name) ?? slot),
  find: (name) => own.find(name) ?? shared.find(name),
  names: shared.names,
  apply: own.apply,
  events: Effect.map(
    both(shared.events, own.events),
    ([everybodys, mine]) => Stream.merge(Stream.filter(everybodys, ({ name }) => own.find(name) === undefined), mine)
  ),
  news: Effect.map(both(shared.news, own.news), ([everybodys, mine]) => Stream.merge(everybodys, mine))
})

const both = <A>(one: ServerSet.Listening<A>, other: ServerSet.Listening<A>) => Effect.all([one, other])
