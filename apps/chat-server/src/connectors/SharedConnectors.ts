/** The memory of connectors for all nodes of a fleet: a sign-in may begin at one, and its code be redeemed at another. */
import { StateStorage, type StateStorageError } from "@boocode/mcp-client/StateStorage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ConnectorStore from "./ConnectorStore.ts"

/** One thing. It stands under a name with its model and the HMAC of its id. */
const Item = Schema.fromJsonString(Schema.Struct({
  model: Schema.String,
  until: Schema.NullOr(Schema.Finite),
  payload: Schema.Record(Schema.String, Schema.Json)
}))
type Item = typeof Item.Type
const decode = Schema.decodeUnknownOption(Item)
const encode = Schema.encodeEffect(Item)

/** A node looks for what is over, and for what is too much, once in so many changes. */
const CLEANED_EVERY = 50

/** Where nodes keep state together each thing is a text of its own there; else all are in `file`. */
export const make = Effect.fnUntraced(function*(file: string, token: Redacted.Redacted<string>) {
  const storage = yield* StateStorage
  const prefix = storage?.nameOf(file) ?? null
  return storage === null || prefix === null
    ? yield* ConnectorStore.make(file, token)
    : over(storage, prefix, ConnectorStore.keysOf(token))
})

interface Named {
  readonly name: string
  readonly item: Item
}

const over = (
  storage: StateStorage,
  prefix: string,
  keyOf: ReturnType<typeof ConnectorStore.keysOf>
): ConnectorStore.ConnectorStore => {
  const nameOf = (model: string, id: string) => `${prefix}/${model}/${keyOf(model, id)}`
  const isLiving = ({ until }: Item) => Effect.map(Clock.currentTimeMillis, (now) => until === null || until > now)
  const itemOf = (name: string, text: string): ReadonlyArray<Named> =>
    Option.match(decode(text), { onNone: () => [], onSome: (item) => [{ name, item }] })
  const listed = (inside: string) =>
    Effect.map(storage.list(`${prefix}/${inside}`), (all) => all.flatMap(({ name, text }) => itemOf(name, text)))
  const read = (name: string) =>
    Effect.map(
      storage.read(name),
      (kept) => kept === null ? null : { version: kept.version, item: Option.getOrNull(decode(kept.text)) }
    )
  const put = Effect.fnUntraced(function*(name: string, next: (item: Item | null) => Item | null) {
    for (let count = 0; count < ATTEMPTS; count++) {
      const before = yield* read(name)
      const item = next(before?.item ?? null)
      if (item === null) return
      if (yield* storage.write(name, yield* Effect.orDie(encode(item)), before?.version ?? 0)) return
    }
  })
  let changes = 0
  const clean = Effect.gen(function*() {
    if (changes++ % CLEANED_EVERY !== 0) return
    const all = yield* listed("")
    const now = yield* Clock.currentTimeMillis
    const [over, living] = [
      all.filter(({ item }) => item.until !== null && item.until <= now),
      all.filter(({ item }) => item.until === null || item.until > now)
    ]
    const grants = living.filter(({ item }) => item.model === "Grant")
    const used = new Set(grants.map(({ item }) => item.payload["clientId"]))
    const unused = living.filter(({ item }) => item.model === "Client" && !used.has(item.payload["client_id"] ?? null))
    const passing = living.filter(({ item }) => !ConnectorStore.LASTING.has(item.model))
    const tooMany = [
      ...unused.slice(0, Math.max(0, unused.length - ConnectorStore.MOST_CLIENTS)),
      ...passing.slice(0, Math.max(0, passing.length - ConnectorStore.MOST_PASSING))
    ]
    yield* Effect.forEach([...over, ...tooMany], ({ name }) => storage.remove(name), { discard: true })
  })

  return {
    upsert: Effect.fnUntraced(function*(model, id, { jti: _, ...rest }, seconds) {
      const until = seconds === null ? null : (yield* Clock.currentTimeMillis) + seconds * 1000
      const jti = ConnectorStore.TOKENS.has(model) || _ === undefined ? {} : { jti: _ }
      const payload = plain({ ...rest, ...jti })
      yield* tried(Effect.andThen(clean, put(nameOf(model, id), () => ({ model, until, payload }))), undefined)
    }),
    find: (model, id) =>
      tried(
        Effect.gen(function*() {
          const item = (yield* read(nameOf(model, id)))?.item ?? null
          if (item === null || !(yield* isLiving(item))) return undefined
          return { ...item.payload, ...ConnectorStore.TOKENS.has(model) ? { jti: id } : {} }
        }),
        undefined
      ),
    findByUid: (model, uid) =>
      tried(
        Effect.gen(function*() {
          const found = (yield* listed(`${model}/`)).find(({ item }) => item.payload["uid"] === uid)
          return found !== undefined && (yield* isLiving(found.item)) ? found.item.payload : undefined
        }),
        undefined
      ),
    all: (model) =>
      tried(
        Effect.flatMap(listed(`${model}/`), (all) =>
          Effect.map(
            Effect.filter(all, ({ item }) => isLiving(item)),
            (living) => living.map(({ item }) => item.payload)
          )),
        []
      ),
    consume: Effect.fnUntraced(function*(model, id) {
      const consumed = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      yield* tried(
        put(nameOf(model, id), (item) => item === null ? null : { ...item, payload: { ...item.payload, consumed } }),
        undefined
      )
    }),
    destroy: (model, id) => tried(storage.remove(nameOf(model, id)), undefined),
    revokeByGrantId: (grantId) =>
      tried(
        Effect.flatMap(listed(""), (all) =>
          Effect.forEach(
            all.filter(({ item }) => item.payload["grantId"] === grantId),
            ({ name }) => storage.remove(name),
            { discard: true }
          )),
        undefined
      )
  }
}

const ATTEMPTS = 20

/** The library gives values of JSON, and keys that are undefined. */
const plain = (payload: object): Item["payload"] => JSON.parse(JSON.stringify(payload))

/** A thing that cannot be read is not there: a connector then signs in anew. */
const tried = <A>(effect: Effect.Effect<A, StateStorageError>, otherwise: A): Effect.Effect<A> =>
  Effect.catch(
    effect,
    ({ message }) =>
      Effect.as(Effect.logWarning(`sign-ins of connectors cannot be kept or read together: ${message}`), otherwise)
  )
