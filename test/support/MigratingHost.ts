/** Makes one database after the other in a folder, until it is killed in the middle of one. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import * as StoreFile from "./StoreFile.ts"

const [, , folder = ""] = process.argv

process.stdout.write("begins\n")
for (let number = 1; number < 1000; number++) {
  await Effect.runPromise(Effect.scoped(Layer.build(StoreFile.layer(join(folder, `${number}.sqlite`)))))
}
