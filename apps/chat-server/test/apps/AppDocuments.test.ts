import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AppDocuments from "../../src/apps/AppDocuments.ts"
import * as AppPolicy from "../../src/apps/AppPolicy.ts"

const HOST = "http://127.0.0.1:4266"
const APPS = "http://127.0.0.1:5000"
const policy = AppPolicy.of({}, [])
const shown = (sandbox: string | null, html = "<p>") => ({ html, policy, host: HOST, sandbox })

describe("The documents of apps", () => {
  it.effect("are there for those who have their address, framed by the page that asked and nobody else", () =>
    Effect.gen(function*() {
      const documents = AppDocuments.make()
      const [one, other] = [yield* documents.add(shown(APPS)), yield* documents.add(shown(null))]
      assert.match(one, /^[\w-]{32}$/)
      assert.notStrictEqual(one, other)
      assert.include((yield* documents.document(one))?.policy ?? "", `frame-ancestors ${APPS} ${HOST};`)
      assert.include((yield* documents.document(other))?.policy ?? "", `frame-ancestors ${HOST};`)
      const around = yield* documents.sandbox(one, APPS)
      assert.include(around?.policy ?? "", `frame-src ${APPS}/${one}/document;`)
      assert.include(around?.policy ?? "", `frame-ancestors ${HOST}`)
      assert.isNull(yield* documents.sandbox(other, APPS))
      assert.isNull(yield* documents.document("unknown"))
    }))

  it.effect("go, the oldest first, where they are too many or too large", () =>
    Effect.gen(function*() {
      const documents = AppDocuments.make()
      const areThere = (ids: ReadonlyArray<string | undefined>) =>
        Effect.forEach(ids, (id) => Effect.map(documents.document(id ?? ""), (found) => found !== null))
      const ids = yield* Effect.forEach(Array.from({ length: 201 }), () => documents.add(shown(null)))
      assert.deepStrictEqual(yield* areThere([ids[0], ids[1], ids[200]]), [false, true, true])
      const large = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => documents.add(shown(null, "x".repeat(5_000_000)))
      )
      assert.deepStrictEqual(yield* areThere(large), [false, false, ...Array(6).fill(true)])
    }))

  it.effect("are sent by any node of a fleet, also when the database fails by the one that showed them", () =>
    Effect.gen(function*() {
      const rows = new Map<string, string>()
      const database = { isAway: false }
      const asked = <A>(answer: () => A) =>
        Effect.suspend(() => database.isAway ? Effect.fail({ message: "it is away" }) : Effect.sync(answer))
      const node = () =>
        AppDocuments.make({
          put: (id, text) => asked(() => void rows.set(id, text)),
          get: (id) => asked(() => rows.get(id) ?? null)
        })
      const [one, other] = [node(), node()]
      const id = yield* one.add(shown(APPS))
      assert.deepStrictEqual(yield* other.document(id), yield* one.document(id))
      assert.include((yield* other.sandbox(id, APPS))?.policy ?? "", `frame-src ${APPS}/${id}/document;`)
      assert.isNull(yield* other.document("unknown"))
      database.isAway = true
      const late = yield* one.add(shown(null))
      assert.isNotNull(yield* one.document(late))
      assert.isNull(yield* other.document(late))
    }))
})
