/** Every request is the one person's, for routes that a test asks without the guards before them. */
import { CurrentUser, FIRST } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { KnowsUser } from "../../src/api/ChatApi.ts"

export const layer = Layer.succeed(KnowsUser, (httpEffect) => Effect.provideService(httpEffect, CurrentUser, FIRST))
