import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import * as RemovedPeople from "../support/RemovedPeople.ts"

const database = () => Layer.fresh(Layer.provideMerge(RemovedPeople.layer, NodeSqlite.layer(":memory:")))

describe("People who are removed", () => {
  it.effect("had something in each table of people", () => Effect.provide(RemovedPeople.whole, database()))

  it.effect("are gone also for requests of theirs that are under way", () =>
    Effect.provide(RemovedPeople.afterwards, database()))

  it.effect.prop(
    "leave no row with their id, whatever they and others did before and what comes for them afterwards",
    [Schema.Array(RemovedPeople.Step).check(Schema.isMinLength(6), Schema.isMaxLength(30))],
    ([steps]) => Effect.provide(RemovedPeople.run(steps), database()),
    { arbitrary: { runs: 30 } }
  )
})
