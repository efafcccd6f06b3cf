/** What a person types to run this command: in a checkout there is no `boocode` on the path, as README has it. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { CHECKOUT } from "./VerbContext.ts"

export const typedCommand = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isCheckout = yield* Effect.orElseSucceed(fs.exists(path.join(CHECKOUT, "pnpm-workspace.yaml")), () => false)
  return isCheckout ? "npx -y pnpm@12 boocode" : "boocode"
})
