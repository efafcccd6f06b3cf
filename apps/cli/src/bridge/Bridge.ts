/** `boocode mcp serve`: the lines of a client on one side, a server that runs on the other. */
import type { HttpSend } from "@boocode/mcp-client"
import { Framing } from "@boocode/mcp-client/Protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import type { Readable, Writable } from "node:stream"
import * as BridgeSession from "./BridgeSession.ts"
import * as ClientMessage from "./ClientMessage.ts"
import type { NotServed } from "./NotServed.ts"
import type { ServerLink } from "./ServerLink.ts"

export interface ClientPipes {
  readonly input: Readable
  readonly output: Writable
}

export interface Options extends ClientPipes {
  readonly link: ServerLink
  readonly send: HttpSend
}

/** Questions from before the input ended are answered within this time. */
const LAST_ANSWERS = "2 seconds"
/** A message of a client has at most so many bytes. */
const LONGEST = 16 * 1024 * 1024

/**
 * Passes messages until the input ends or nobody reads the output any more. Fails where no server can be started, after the
 * client was told so.
 */
export const run = Effect.fnUntraced(
  function*({ input, link, output, send }: Options): Effect.fn.Return<void, NotServed> {
    const isOver = Deferred.makeUnsafe<void>()
    const isDeaf = Deferred.makeUnsafe<void>()
    const write = (line: string) => void output.write(`${line}\n`)
    const session = BridgeSession.make({ link, send, write })
    return yield* Effect.scoped(Effect.gen(function*() {
      const requests = yield* FiberMap.make<string | number>()
      const others = yield* FiberSet.make()
      const runRequest = yield* FiberMap.runtime(requests)<never>()
      const runOther = yield* FiberSet.runtime(others)<never>()
      const open = new Map<string | number, ClientMessage.ClientMessage>()
      /** A message that begins a session is done before anything that comes after it is passed on. */
      let before: Latch.Latch | null = null

      const passed = (message: ClientMessage.ClientMessage) => {
        const last = before
        const passing = last === null ? session.pass(message) : Effect.andThen(last.await, session.pass(message))
        if (!isBeginning(message)) return passing
        const latch = Latch.makeUnsafe(false)
        before = latch
        return Effect.ensuring(
          passing,
          Effect.suspend(() => {
            if (before === latch) before = null
            return latch.open
          })
        )
      }
      const take = (line: string) => {
        const message = ClientMessage.read(line)
        if (message === null) return write(ClientMessage.refusal(null, -32_700, "Parse error: the line is no JSON"))
        const cancelled = message.cancels === null ? undefined : open.get(message.cancels)
        // Since revision 2026-07-28 a request is cancelled by the end of its connection.
        if (cancelled !== undefined && cancelled.id !== null && cancelled.modern !== null) {
          return void runOther(FiberMap.remove(requests, cancelled.id))
        }
        const { id } = message
        if (id === null) {
          const isReady = message.method === "notifications/initialized"
          return void runOther(isReady ? Effect.andThen(passed(message), session.listen) : passed(message))
        }
        open.set(id, message)
        runRequest(id, Effect.ensuring(passed(message), Effect.sync(() => open.delete(id))))
      }
      const framing = new Framing(LONGEST)
      const onData = (chunk: Uint8Array) => {
        for (const frame of framing.push(chunk)) {
          if (frame._tag === "Line") take(frame.text)
          else write(ClientMessage.refusal(null, -32_600, `a message has at most ${LONGEST} bytes`))
        }
      }
      const onEnd = () => Deferred.doneUnsafe(isOver, Effect.void)
      const onError = () => Deferred.doneUnsafe(isDeaf, Effect.void)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          input.on("data", onData).once("end", onEnd).once("close", onEnd).on("error", onEnd)
          output.on("error", onError)
        }),
        () => Effect.sync(() => input.off("data", onData).pause())
      )
      yield* Effect.addFinalizer(() => session.close)
      const answered = Effect.andThen(
        Deferred.await(isOver),
        Effect.ignore(Effect.timeout(FiberMap.awaitEmpty(requests), LAST_ANSWERS))
      )
      const failed = Effect.catch(
        Effect.andThen(link.current, Effect.never),
        (error) => Effect.andThen(Effect.sleep(LAST_ANSWERS), error)
      )
      yield* Effect.raceAllFirst([answered, Deferred.await(isDeaf), failed])
    }))
  }
)

const isBeginning = ({ method }: ClientMessage.ClientMessage): boolean =>
  method === "initialize" || method === "notifications/initialized"
