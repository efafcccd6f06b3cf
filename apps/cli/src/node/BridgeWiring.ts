/** The bridge of a real process: its pipes, the server that runs on its data folder, and the way there. */
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UserDirectories from "effect/persistence/UserDirectories"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { randomUUID } from "node:crypto"
import * as Bridge from "../bridge/Bridge.ts"
import { exchange } from "../bridge/HttpExchange.ts"
import * as LocalSend from "../bridge/LocalSend.ts"
import { NotServed } from "../bridge/NotServed.ts"
import * as ServerLink from "../bridge/ServerLink.ts"
import type { DataLocation } from "../options/DataLocation.ts"
import * as AnnouncedServer from "./AnnouncedServer.ts"
import * as OnDemandServer from "./OnDemandServer.ts"
import type { Variables } from "./Wiring.ts"

export interface BridgeProcess extends Bridge.ClientPipes {
  readonly program: OnDemandServer.OwnProgram
  /** The id of the user who runs this; null where the system has no such ids. */
  readonly user: number | null
}

/** Runs until the client ends. */
export const run = Effect.fnUntraced(
  function*(place: DataLocation, profile: string, variables: Variables, { program, user, ...pipes }: BridgeProcess) {
    const { send } = yield* Effect.acquireRelease(Effect.sync(LocalSend.make), ({ close }) => Effect.sync(close))
    const id = randomUUID()
    const proofOf: AnnouncedServer.Seeker["proofOf"] = (url, nonce) =>
      Effect.suspend(() => {
        let text = ""
        const health = new URL(`/api/health?nonce=${nonce}`, url)
        const asked = exchange(send, { method: "GET", url: health, headers: {}, body: null }, (body) => {
          text = body
        })
        return Effect.map(asked, () => proofIn(JsonRpc.decode(text)))
      })
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof AnnouncedServer.find>>>()
    const find = Effect.map(
      AnnouncedServer.find(place, { user, proofOf }),
      (found) => found === null ? null : targetOf(found, { id, profile })
    ).pipe(Effect.provideContext(context))
    const start = OnDemandServer.start({ place, program, variables, find }).pipe(
      Effect.provide(folderOf(place)),
      Effect.provideContext(context),
      Effect.mapError(({ hint, message }) => new NotServed({ message, hint }))
    )
    const attend = ({ headers, url }: ServerLink.Target) =>
      exchange(
        send,
        { method: "GET", url: new URL(`/api/clients/attend?id=${id}`, url), headers, body: null },
        () => {}
      )
        .pipe(
          // A server of an earlier version knows no attendance.
          Effect.flatMap(({ status }) => status === 404 ? Effect.never : Effect.void),
          Effect.orElseSucceed(() => undefined)
        )
    const link = yield* ServerLink.make({ find, start, attend })
    yield* Bridge.run({ ...pipes, link, send })
  },
  Effect.scoped
)

const proofIn = (health: unknown): string | null =>
  typeof health === "object" && health !== null && "proof" in health && typeof health.proof === "string"
    ? health.proof
    : null

/** The pass stands for the person of this machine; the id tells the requests of one bridge from those of others. */
const targetOf = (
  { isOnDemand, pass, url }: { readonly url: string; readonly pass: Redacted.Redacted; readonly isOnDemand: boolean },
  { id, profile }: { readonly id: string; readonly profile: string }
): ServerLink.Target => ({
  url: new URL(profile === "default" ? "/mcp" : `/mcp/${encodeURIComponent(profile)}`, url),
  headers: { authorization: `Bearer ${Redacted.value(pass)}`, "x-boocode-bridge": id },
  isOnDemand
})

const folderOf = (place: DataLocation) =>
  DataFolder.layer(place).pipe(
    Layer.provide(UserDirectories.layer),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
