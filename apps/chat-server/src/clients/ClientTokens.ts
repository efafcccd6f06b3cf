/** The MCP clients that people let in: each has an owner, a name, a profile, and a token of which only the hash is kept. */
import { FIRST } from "@boocode/chat"
import { Nearest } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { hash as digest, randomBytes } from "node:crypto"
import { KnownClient } from "../api/clients/ClientsApi.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"
import { TOLD } from "../settings/ToldWords.ts"

const Owned = Schema.Struct({
  ...KnownClient.fields,
  /** The id of the person that it acts for. A token from before there were people belongs to the first one. */
  owner: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed(FIRST.id)))
})
export type OwnedClient = typeof Owned.Type

const Kept = Schema.fromJsonString(Schema.Array(Schema.Struct({ ...Owned.fields, hash: Schema.String })))
type Kept = typeof Kept.Type

/** A client could not be added. */
export class ClientNotAdded extends Schema.TaggedError<ClientNotAdded>()("ClientNotAdded", TOLD) {}

/** No client has this name. */
export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", {
  name: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `no MCP client is called ${this.name}`
  }
  get hint(): string {
    const [near] = this.nearest
    return near === undefined ? "boocode mcp clients lists them" : `did you mean ${near}?`
  }
}

export class ClientTokens extends Context.Service<ClientTokens, {
  /** Sorted by name. */
  readonly all: Effect.Effect<ReadonlyArray<OwnedClient>>
  /** Lets a client in for a person. Its token is given here and never again. */
  readonly add: (
    name: string,
    profile: string,
    owner: string
  ) => Effect.Effect<{ readonly client: OwnedClient; readonly token: Redacted.Redacted<string> }, ClientNotAdded>
  /** Takes a client's token back, one of this owner; null is anybody's. */
  readonly remove: (name: string, owner: string | null) => Effect.Effect<void, UnknownClient | ClientNotAdded>
  /** Takes back all that a person has. */
  readonly forget: (owner: string) => Effect.Effect<void, ClientNotAdded>
  /** The client whose token this is; null for another text. A change by another program in the file holds after a second. */
  readonly of: (token: string) => Effect.Effect<OwnedClient | null>
}>()("chat-server/ClientTokens") {
  /** Keeps them in `mcp-clients.json` of the state folder, for its owner alone. A file that is damaged has no clients, and is left. */
  static readonly layer: Layer.Layer<ClientTokens, never, DataFolder | FileSystem.FileSystem | Path.Path> = Layer
    .effect(
      ClientTokens,
      Effect.gen(function*() {
        const path = yield* Path.Path
        return yield* make(path.join((yield* DataFolder).state, FILE))
      })
    )
}

const FILE = "mcp-clients.json"

/** All tokens begin so: one that is not known is refused, also where nobody needs any. */
const PREFIX = "boo_"

export const isToken = (text: string): boolean => text.startsWith(PREFIX)

/** Each request of each client asks, and to read a file takes longer than all else that a request needs. */
const FRESH = "1 second"

const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$/
const MOST = 200

const make = Effect.fnUntraced(function*(file: string) {
  const kept = yield* PrivateFile.shared(file)
  const decoded = (text: string | null) => Schema.decodeEffect(Kept)(text ?? "[]")
  const usable = Effect.catch(
    Effect.flatMap(kept.read, decoded),
    (error) =>
      Effect.as(Effect.logWarning(`${file} cannot be used, so no MCP client has a token: ${error.message}`), [])
  )
  /** The tokens that were shown and are right: each is hashed once for as long as the list holds, not for each call. */
  const listed = Effect.map(usable, (kept) => ({ kept, shown: new Map<string, OwnedClient>() }))
  const [known, forget] = yield* Effect.cachedInvalidateWithTTL(listed, FRESH)
  const unusable = (error: { readonly message: string }) =>
    new ClientNotAdded({ message: `${file} cannot be used: ${error.message}`, hint: "repair the file, or remove it" })
  /** Another command or node may change it meanwhile, so it is read before each change. */
  const changed = <A, E extends UnknownClient | ClientNotAdded>(
    change: (kept: Kept) => Effect.Effect<readonly [A, Kept], E>
  ): Effect.Effect<A, E | ClientNotAdded> =>
    kept.change((text) =>
      Effect.gen(function*() {
        const [result, next] = yield* change(yield* Effect.mapError(decoded(text), unusable))
        return [result, yield* Effect.orDie(Schema.encodeEffect(Kept)(next))] as const
      })
    ).pipe(
      Effect.mapError((error) => error._tag === "NotKept" ? unusable(error) : error),
      Effect.tap(() => forget)
    )
  return ClientTokens.of({
    all: Effect.map(usable, (kept) => kept.map(({ hash: _, ...client }) => client)),
    add: Effect.fnUntraced(function*(name, profile, owner) {
      const token = `${PREFIX}${randomBytes(24).toString("base64url")}`
      const client = { name, profile, created: DateTime.formatIso(yield* DateTime.now), owner }
      return yield* changed(
        (
          kept
        ): Effect.Effect<
          readonly [{ client: OwnedClient; token: Redacted.Redacted<string> }, Kept],
          ClientNotAdded
        > => {
          const why = refusal(name, kept)
          return why === null
            ? Effect.succeed([
              { client, token: Redacted.make(token) },
              [...kept, { ...client, hash: hashOf(token) }].toSorted((one, other) => one.name < other.name ? -1 : 1)
            ])
            : Effect.fail(why)
        }
      )
    }),
    remove: (name, owner) =>
      changed((kept): Effect.Effect<readonly [void, Kept], UnknownClient> => {
        const theirs = kept.filter((one) => owner === null || one.owner === owner)
        return theirs.some((one) => one.name === name)
          ? Effect.succeed([undefined, kept.filter((one) => one.name !== name)])
          : Effect.fail(new UnknownClient({ name, nearest: Nearest.nearest(name, theirs.map((one) => one.name)) }))
      }),
    forget: (owner) => changed((kept) => Effect.succeed([undefined, kept.filter((one) => one.owner !== owner)])),
    of: (token) =>
      isToken(token)
        ? Effect.map(known, ({ kept, shown }) => {
          const before = shown.get(token)
          if (before !== undefined) return before
          const hash = hashOf(token)
          const found = kept.find((one) => one.hash === hash)
          if (found === undefined) return null
          const { hash: _, ...client } = found
          shown.set(token, client)
          return client
        })
        : Effect.succeed(null)
  })
})

const refusal = (name: string, kept: Kept): ClientNotAdded | null => {
  if (!NAME.test(name)) {
    return new ClientNotAdded({
      message: `${JSON.stringify(name)} is no name for an MCP client`,
      hint: "take 64 letters, digits, spaces or ._@- at most, the first a letter or digit"
    })
  }
  if (kept.some((one) => one.name === name)) {
    return new ClientNotAdded({
      message: `an MCP client is called ${name} already`,
      hint: "take another name, or remove that one first"
    })
  }
  return kept.length < MOST ? null : new ClientNotAdded({
    message: `there are ${MOST} MCP clients already`,
    hint: "remove those that are not needed any more"
  })
}

/** A token is random and long, so a plain hash tells nothing of it. */
const hashOf = (token: string): string => digest("sha256", token)
