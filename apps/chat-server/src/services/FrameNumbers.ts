/** The numbers in the marks around what servers wrote: their key is kept, so that a restart does not change requests. */
import { Frame } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { createHmac, randomBytes } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"

/**
 * HMACs under the key in the file `frame-key` of the state folder, which is made where there is none. Where it cannot be
 * kept, the key is that of this run alone, and the log says so.
 */
export const layer = Layer.effect(
  Frame.Numbers,
  Effect.gen(function*() {
    const path = yield* Path.Path
    const file = path.join((yield* DataFolder).state, "frame-key")
    const fresh = randomBytes(24).toString("base64url")
    const key = yield* Effect.catch(
      kept(file, fresh),
      (error) =>
        Effect.as(
          Effect.logWarning(
            `${file} cannot be used, so providers read each chat without their cache after a restart: ${error.message}`
          ),
          fresh
        )
    )
    return (text: string) => createHmac("sha256", key).update(text).digest("hex").slice(0, 8)
  })
)

const kept = Effect.fnUntraced(function*(file: string, fresh: string) {
  const { change } = yield* PrivateFile.shared(file)
  return yield* change((text) => {
    const found = (text ?? "").trim()
    return Effect.succeed(found.length >= fresh.length ? [found, null] as const : [fresh, `${fresh}\n`] as const)
  })
})
