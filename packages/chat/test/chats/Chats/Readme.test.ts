import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { ask } from "../../../examples/Ask.ts"
import { Chats } from "../../../src/chats/Chats.ts"
import type { Part } from "../../../src/model/Part.ts"
import { brief, start } from "../../support/Chatting.ts"
import { finish, model, says } from "../../support/Scripted.ts"

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

describe("README", () => {
  it("shows the code of the example, word for word", () => {
    const [block = ""] = [...read("README.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block]) => block)
    assert.isAbove(block.length, 500)
    assert.isTrue(read("examples/Ask.ts").endsWith(block))
  })

  it.effect("has an example that shows each part of an answer", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[...says("Hello."), finish()]])
      const { service } = yield* start({ models: { m }, environment: "m" })
      const shown: Array<Part> = []
      yield* Effect.provideService(
        ask("hi", (part) => Effect.sync(() => void shown.push(part))),
        Chats,
        service
      )
      assert.deepStrictEqual(brief(shown), ["1 Hello.", "1 stop"])
    }))
})
