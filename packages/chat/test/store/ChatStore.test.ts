import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ChatStore } from "../../src/store/ChatStore.ts"
import * as StoreSuite from "../support/StoreSuite.ts"

describe("A store of chats in memory", () => {
  StoreSuite.all((title, run) => it.effect(title, () => Effect.provide(run, ChatStore.layerMemory)))
})
