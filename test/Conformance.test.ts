/** The official conformance suite, against a client that only uses public options of the registry. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Results from "./conformance/Results.ts"
import { SELECTIONS } from "./conformance/Suite.ts"
import * as Documents from "./support/Documents.ts"

const LIMIT = 180_000

describe("Conformance", () => {
  it.live(
    "every scored client scenario of both revisions passes, and of all others those that are not listed as open",
    () =>
      Effect.gen(function*() {
        const results = yield* Results.of(SELECTIONS)
        assert.deepStrictEqual(Results.troubles(results), [])
        const scored = (revision: string) =>
          results.filter(({ isScored, selection }) => isScored && selection === revision).length
        // The sets are frozen; fewer would mean that the suite was not understood.
        assert.deepStrictEqual([scored("2025-11-25"), scored("2026-07-28")], [18, 32])
        assert.include(Documents.read("docs/conformance.md"), Documents.unpadded(Results.table(results)))
      }),
    LIMIT
  )
})
