/**
 * Asks a server once whether it is still there after a request took too long, and gives its connection up when it is not:
 * a server that is frozen would stay ready otherwise while each of its calls times out.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Background } from "../Background.ts"
import type { Connection } from "../Connection.ts"
import { ConnectionLost } from "../McpError.ts"
import * as Ping from "../Ping.ts"

/** @category models */
export interface Options extends Pick<Connection, "ping" | "traffic"> {
  readonly background: Background
  readonly giveUp: (why: ConnectionLost) => void
}

/** @category models */
export interface Doubt {
  /** Asks, unless that is under way. */
  readonly arise: () => void
}

/** @category constructors */
export const make = (options: Options): Doubt => {
  let isAsking = false
  const asked = Effect.map(Ping.isThere(options), (isThere) => {
    isAsking = false
    // It may do one thing at a time, and work on another call: should that take too long, it is asked again.
    if (!isThere && options.traffic().waiting === 0) options.giveUp(GONE)
  })
  return {
    arise: () => {
      if (isAsking) return
      isAsking = true
      options.background.run(asked)
    }
  }
}

const GONE = new ConnectionLost({
  detail: `a call took too long, and it did not answer within ${Duration.format(Ping.LIMIT)} whether it is there`
})
