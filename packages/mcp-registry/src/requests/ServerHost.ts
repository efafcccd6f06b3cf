/**
 * What a connection knows of its host: in whose name the server asks, who answers, and its folders.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { type Asker, type Asking, type Elicitation, nobody, type Root } from "../ServerRequests.ts"

/** What a connection knows of its host. @category models */
export interface ServerHost {
  readonly asking: Asking
  readonly elicitation: ReadonlyArray<Elicitation["kind"]>
  readonly sampling: boolean
  readonly asker: Asker
  /** The folders of this server, and when they become others; null where it is told of none. */
  readonly roots: {
    readonly current: Effect.Effect<ReadonlyArray<Root>>
    readonly changes: Stream.Stream<void>
  } | null
}

/** The host of the server that a fiber works for; one that answers nothing where none is given. @category references */
export const Current: Context.Reference<ServerHost> = Context.Reference("mcp-registry/ServerHost", {
  defaultValue: (): ServerHost => ({
    asking: { server: "", isTrusted: false },
    elicitation: [],
    sampling: false,
    asker: nobody,
    roots: null
  })
})

/**
 * What the host can do, as a server is told of it: exactly what is answered (R56). Since 2026-07-28 nobody tells servers
 * that the folders changed: they ask with each request that needs them.
 *
 * @category encoding
 */
export const capabilities = (
  { elicitation, roots, sampling }: ServerHost,
  era: "legacy" | "modern"
): Schema.JsonObject => ({
  ...(elicitation.length === 0 ? {} : { elicitation: Object.fromEntries(elicitation.map((mode) => [mode, {}])) }),
  ...(sampling ? { sampling: {} } : {}),
  ...(roots === null ? {} : { roots: era === "modern" ? {} : { listChanged: true } })
})
