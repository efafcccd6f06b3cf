/**
 * The requests of servers that this program answers: elicitation by people, sampling where the settings allow it, and roots.
 */
import { Questions } from "@boocode/chat"
import { ServerRequests } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DataFolder from "../settings/DataFolder.ts"
import { DefaultModel } from "../settings/DefaultModel.ts"
import { Settings } from "../settings/Settings.ts"

const questions = Layer.unwrap(Effect.gen(function*() {
  const { model } = yield* DefaultModel
  const { sampling } = yield* Settings
  return Questions.layer({ model, sampling })
}))

const requests = Layer.effect(
  ServerRequests,
  Effect.gen(function*() {
    const { host } = yield* Questions
    const { sampling } = yield* Settings
    const roots = yield* DataFolder.roots
    return ServerRequests.of({
      elicitation: ["form", "url"],
      sampling: sampling !== "never",
      apps: true,
      asker: host,
      roots
    })
  })
)

export const layer = Layer.provideMerge(requests, questions)
