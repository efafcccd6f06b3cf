/**
 * Asks a server once whether it is still there after a request took too long, and gives its connection up when it is not:
 * a server that is frozen would stay ready otherwise while each of its calls times out.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BackgroundFibers } from "../base/BackgroundFibers.ts"
import type { Connection } from "../contract/Connection.ts"
import { ConnectionLost } from "../errors/McpError.ts"
import * as Ping from "./Ping.ts"

export interface Options extends Pick<Connection, "ping" | "traffic"> {
  readonly background: BackgroundFibers
  readonly giveUp: (why: ConnectionLost) => void
}

export interface Doubt {
  /** Asks, unless that is under way. */
  readonly arise: () => void
}

export const make = (options: Options): Doubt => {
  let isAsking = false
  /** When the server was last heard before a question that it did not answer while it worked on another call. */
  let silentSince: number | null = null
  const asked = Effect.map(Ping.isThere(options), (isThere) => {
    isAsking = false
    if (isThere) return
    const { heardAt, waiting } = options.traffic()
    // It may do one thing at a time, so one question passes; a second one that finds it as silent as before does not.
    if (waiting === 0 || heardAt === silentSince) return options.giveUp(GONE)
    silentSince = heardAt
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
