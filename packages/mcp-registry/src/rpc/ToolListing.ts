/**
 * Lists the tools of a server, and tells by it whether the server is of the revision that it was taken for.
 */
import * as Effect from "effect/Effect"
import type { Listing } from "../Connection.ts"
import { HandshakeFailed, type McpErrorReason } from "../McpError.ts"
import * as Pages from "./Pages.ts"
import * as Refusal from "./Refusal.ts"
import type { Requests } from "./Requests.ts"

/** @category models */
export interface Options {
  readonly requests: Pick<Requests, "send">
  /** Whether nothing has shown yet that the server speaks the revision in which it is spoken to. */
  readonly isClaim: boolean
}

/**
 * Lists them. A server may declare tools and not know the method, which is no reason to lose it (R55).
 *
 * @category constructors
 */
export const list = (options: Options): Effect.Effect<Listing, McpErrorReason> =>
  Effect.map(
    Pages.collect(Pages.TOOLS, (cursor) => page(options, cursor)),
    ({ diagnostics, items, ttlMillis }) => ({ tools: items, diagnostics, ttlMillis })
  ).pipe(
    Effect.catchIf(
      (reason) => Refusal.isUnknownMethod(reason) && !options.isClaim,
      () =>
        Effect.succeed({ tools: [], diagnostics: ["the server declares tools but cannot list them"], ttlMillis: null })
    )
  )

/**
 * An older server may take the question of a later revision for its own. Its answer lacks what every result of that
 * revision has.
 */
const page = ({ isClaim, requests }: Options, cursor: string | null) => {
  const asked = requests.send({ method: "tools/list", params: cursor === null ? {} : { cursor } })
  return isClaim
    ? Effect.filterOrFail(asked, ({ resultType }) => resultType !== undefined, () => OLDER)
    : asked
}

const OLDER = new HandshakeFailed({
  method: "tools/list",
  detail: "it answered as servers of older revisions do",
  code: null,
  stderr: ""
})
