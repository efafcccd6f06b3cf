/**
 * Rows of a fleet that hold what people write and read, sealed: a sealed text opens in the row that it was sealed for. An older
 * BooCode wrote some unsealed: those can be read, and stay as they are until they are written anew.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SecretKey } from "../../users/SecretKey.ts"
import { FleetSettings } from "../FleetSettings.ts"

/** The key of the fleet. */
export const key = Layer.unwrap(Effect.map(FleetSettings, ({ seal }) => SecretKey.layerOf(Redacted.value(seal))))

/** For the rows of one table, by their ids. Fails in words where nothing can be sealed, or another secret sealed it. */
export const make = Effect.fnUntraced(function*(table: string) {
  const { open, openBytes, seal, sealBytes } = yield* SecretKey
  const placeOf = (id: string) => `${table} ${id}`
  return {
    seal: (id: string, text: string) =>
      Effect.map(seal(Redacted.make(text), placeOf(id)), (sealed) => `${SEALED}${sealed}`),
    open: (id: string, text: string) =>
      text.startsWith(SEALED)
        ? Effect.map(found(open(text.slice(SEALED.length), placeOf(id))), Redacted.value)
        : Effect.succeed(text),
    sealBytes: (id: string, bytes: Uint8Array) =>
      Effect.map(sealBytes(bytes, placeOf(id)), (sealed) => Buffer.concat([MARK, sealed])),
    openBytes: (id: string, bytes: Uint8Array) =>
      MARK.equals(bytes.subarray(0, MARK.length))
        ? found(openBytes(bytes.subarray(MARK.length), placeOf(id)))
        : Effect.succeed(bytes)
  }
})

/** No text of these rows begins so: they are JSON, or files of the state folder. */
const SEALED = "sealed "
const MARK = Buffer.from("\0boocode sealed\0")

/** So many bytes more than what was sealed: the mark, a nonce of 12 bytes and a tag of 16. */
export const OVERHEAD = MARK.length + 28

const found = <A>(opened: Effect.Effect<A | null>) =>
  Effect.flatMap(opened, (value) => value === null ? Effect.fail(OTHER_SECRET) : Effect.succeed(value))

const OTHER_SECRET = { message: "another BOOCODE_SECRET sealed it; give all nodes the same" }
