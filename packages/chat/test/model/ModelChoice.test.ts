import { LanguageModels, ModelFacts, ModelUnavailable } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ModelChoice from "../../src/model/ModelChoice.ts"
import { CurrentUser, FIRST, type User } from "../../src/users/CurrentUser.ts"

const OVERRIDES = {
  "dear/best": { for: ["admins", "group:dev"] },
  "dear/*": { for: ["ann@example.org"] },
  "cheap/*": { inputPrice: 1 },
  "wrong/*": { for: ["groups:dev"] }
}

const person = (name: string, role: User["role"], ...groups: ReadonlyArray<string>): User => ({
  id: name,
  name,
  role,
  groups
})

const offered = (user: User) =>
  Effect.map(
    ModelChoice.offered,
    (isOffered) => ["dear/best", "dear/other", "cheap/x", "wrong/x", "unnamed/x"].filter(isOffered).join(" ")
  ).pipe(
    Effect.provideService(CurrentUser, user),
    Effect.provideService(ModelFacts.ModelOverrides, OVERRIDES)
  )

describe("ModelChoice", () => {
  it.effect("offers a model to those whom its settings name, and to everyone without them", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* offered(person("Bob", "member")), "cheap/x unnamed/x")
      assert.strictEqual(yield* offered(person("Dora", "member", "dev")), "dear/best cheap/x unnamed/x")
      assert.strictEqual(yield* offered(person("Boss", "admin")), "dear/best cheap/x unnamed/x")
      assert.strictEqual(yield* offered(person("Ann@example.org", "member")), "dear/other cheap/x unnamed/x")
    }))

  it.effect("offers every model to the one person of a server without people", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* offered(FIRST), "dear/best dear/other cheap/x wrong/x unnamed/x")
    }))

  it.effect("refuses a model that is not offered, before it asks anybody for it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(ModelChoice.model("dear/best"))
      assert.instanceOf(error, ModelUnavailable)
      assert.strictEqual(error.message, "dear/best: you have no such model")
    }).pipe(
      Effect.provideService(CurrentUser, person("Bob", "member")),
      Effect.provideService(ModelFacts.ModelOverrides, OVERRIDES),
      Effect.provideService(
        LanguageModels,
        LanguageModels.of({
          providers: Effect.die("not asked"),
          model: () => Effect.die("not asked"),
          facts: () => Effect.die("not asked"),
          listed: () => Effect.die("not asked"),
          suggested: () => Effect.die("not asked")
        })
      )
    ))
})
