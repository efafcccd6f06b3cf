/** Taking a person to an address where they sign in, and getting the address they came back to. */
import * as LoginCallback from "@boocode/chat-server/LoginCallback"
import type { Loopback } from "@boocode/chat-server/Loopback"
import * as Effect from "effect/Effect"
import { Browser, openable } from "./Browser.ts"
import { Failed } from "./Failure.ts"
import { Keyboard } from "./Keyboard.ts"
import { Output } from "./Output.ts"
import { oneLine, plain } from "./PlainText.ts"

export interface Visit {
  readonly server: string
  readonly url: string
  readonly state: string
  /** Where the browser comes back to. */
  readonly redirectUri: string
}

export interface Way {
  /** What the browser comes back to; null where that is nowhere on this machine. */
  readonly loopback: Loopback | null
  /** False for `--no-browser`. */
  readonly opens: boolean
}

/**
 * Says where to go, and waits for the browser to come back or for the address to be pasted, whichever is first. Fails with
 * `NothingPasted` where neither can happen any more.
 */
export const go = Effect.fnUntraced(function*({ loopback, opens }: Way, visit: Visit) {
  const url = openable(visit.url)
  if (url === null) return yield* unsafe(visit)
  const shown = Effect.flatMap(
    opens ? Browser.use((browser) => browser.open(url)) : Effect.succeed(false),
    (isOpened) => tell(visit, url, isOpened)
  )
  // Waited for before it is opened: a browser that asks nobody comes back at once.
  const arrival = loopback === null ? Effect.never : loopback.arrival(visit.state)
  const ended = loopback === null ? Effect.fail(nothingPasted(visit)) : Effect.never
  return yield* Effect.raceFirst(arrival, Effect.andThen(shown, pasted(visit, ended)))
})

const nothingPasted = ({ redirectUri }: Visit) =>
  new Failed({
    tag: "NothingPasted",
    message: `nobody can come back here from ${oneLine(redirectUri, 400)}, and nothing was pasted`,
    hint: "run it in a terminal, and paste the whole address that the browser ends at"
  })

const unsafe = ({ server, url }: Visit) =>
  new Failed({
    tag: "AuthorizationFailed",
    message: `${oneLine(server)} would have you sign in at ${oneLine(url)}, which is neither https nor on this machine`,
    hint: "do not open it; ask whoever runs the server"
  })

const tell = Effect.fnUntraced(function*({ server }: Visit, { host, href }: URL, isOpened: boolean) {
  const { notePaint, notes } = yield* Output
  const whom = `${notePaint.bold(oneLine(server))} at ${notePaint.bold(oneLine(host))}`
  yield* notes([
    isOpened ? `Your browser opens to sign in to ${whom}. If it does not, go to` : `To sign in to ${whom}, go to`,
    "",
    plain(href),
    "",
    notePaint.dim("If the browser cannot come back, paste here the whole address it ends at.")
  ])
})

/** What is pasted wrongly is asked for again. */
const pasted = <E>(visit: Visit, ended: Effect.Effect<never, E>): Effect.Effect<string, E, Keyboard | Output> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const { notePaint, notes } = yield* Output
    for (;;) {
      const line = yield* keyboard.line("")
      if (line === null) return yield* ended
      if (LoginCallback.isAnswer(line, visit.redirectUri, visit.state)) return line.trim()
      if (line.trim() === "") continue
      const meant = oneLine(visit.redirectUri, 400)
      yield* notes([`${notePaint.careful("?")} that is not where this leads back to: it begins with ${meant}`])
    }
  })
