/** The apps that people let be shown, each as it was then: one with another document or another policy asks again. */
import { FIRST } from "@boocode/chat"
import * as StateFile from "@boocode/mcp-client/StateFile"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { DataFolder } from "../settings/DataFolder.ts"
import type { AppPolicy } from "./AppPolicy.ts"

const Pin = Schema.Struct({
  /** The id of the person; left out, it is the first one. */
  owner: Schema.optionalKey(Schema.String),
  server: Schema.String,
  uri: Schema.String,
  /** SHA-256 of the document and its policy. */
  print: Schema.String
})
type Pin = typeof Pin.Type

const File = Schema.Struct({ version: Schema.Literal(1), apps: Schema.Array(Pin) })

/** An app of a server, for a person. */
export interface PinnedApp {
  readonly owner: string
  readonly server: string
  readonly uri: string
}

/** How an app stands for a person: never seen, another than the one that they saw, or that very one. */
export type Standing = "new" | "changed" | "seen"

interface Pins {
  /** Never fails: a file that cannot be used pins nothing, and says so in the log. */
  readonly standing: (app: PinnedApp, print: string) => Effect.Effect<Standing>
  readonly pin: (app: PinnedApp, print: string) => Effect.Effect<void, StateFile.StateFileError>
}

/** The apps that people let be shown. Without a layer every app is asked about each time. */
export class AppPins extends Context.Reference<Pins>("chat-server/AppPins", {
  defaultValue: () => ({ standing: () => Effect.succeed("new"), pin: () => Effect.void })
}) {
  /** Kept in `app-pins.json` of the state folder. */
  static readonly layer = Layer.effect(
    AppPins,
    Effect.gen(function*() {
      const { state } = yield* DataFolder
      const file = yield* StateFile.make((yield* Path.Path).join(state, "app-pins.json"), File)
      const pins = Effect.flatMap(file.read, (content) =>
        Result.isSuccess(content)
          ? Effect.succeed(content.success?.apps ?? [])
          : Effect.as(Effect.logWarning(`apps of servers are asked about anew: ${content.failure.message}`), []))
      return {
        standing: (app, print) =>
          Effect.map(pins, (all) => {
            const found = all.find(isOf(app))
            return found === undefined ? "new" : found.print === print ? "seen" : "changed"
          }),
        pin: (app, print) =>
          file.change((content) => ({
            version: 1,
            apps: [...(Result.getOrElse(content, () => null)?.apps ?? []).filter((one) => !isOf(app)(one)), {
              ...app.owner === FIRST.id ? {} : { owner: app.owner },
              server: app.server,
              uri: app.uri,
              print
            }]
          }))
      } satisfies Pins
    })
  )
}

const isOf = ({ owner, server, uri }: PinnedApp) => (one: Pin): boolean =>
  (one.owner ?? FIRST.id) === owner && one.server === server && one.uri === uri

/** The hash of a document and of all that it may reach. */
export const printOf = (html: string, policy: AppPolicy): string =>
  createHash("sha256").update(JSON.stringify([html, policy])).digest("hex")
