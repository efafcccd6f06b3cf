/** The bridge of a real process: its pipes, the server that runs on its data folder, and the way there. */
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { NodeFetch } from "@boocode/mcp-node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UserDirectories from "effect/persistence/UserDirectories"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { randomUUID } from "node:crypto"
import * as Bridge from "../bridge/Bridge.ts"
import { exchange } from "../bridge/HttpExchange.ts"
import * as ServerLink from "../bridge/ServerLink.ts"
import type { DataLocation } from "../options/DataLocation.ts"
import { Failed, failed } from "../terminal/Failure.ts"
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
    // A server of this machine is reached without a proxy.
    const { fetch, send } = yield* NodeFetch.make({})
    if (send === undefined) return yield* NO_WAY
    const id = randomUUID()
    const proofOf: AnnouncedServer.Seeker["proofOf"] = (url, nonce) =>
      Effect.map(
        Effect.tryPromise((signal) =>
          fetch(`${url}/api/health?nonce=${nonce}`, { signal, redirect: "error" }).then((answer) => answer.json())
        ),
        proofIn
      )
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof AnnouncedServer.find>>>()
    const find = Effect.map(
      AnnouncedServer.find(place, { user, proofOf }),
      (found) => found === null ? null : targetOf(found, { id, profile })
    ).pipe(Effect.provideContext(context))
    const start = OnDemandServer.start({ place, program, variables, find }).pipe(
      Effect.provide(folderOf(place)),
      Effect.provideContext(context),
      Effect.mapError((error) => error instanceof Failed ? error : failed(error))
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

const NO_WAY = new Failed({
  tag: "Unexpected",
  message: "this program cannot send requests",
  hint: "install BooCode again"
})

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
