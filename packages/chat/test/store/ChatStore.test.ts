import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryChatStore from "../../src/store/MemoryChatStore.ts"
import * as StoreSuite from "../support/StoreSuite.ts"

describe("A store of chats in memory", () => {
  StoreSuite.all((title, run) => it.effect(title, () => Effect.provide(run, MemoryChatStore.layer)))
})
