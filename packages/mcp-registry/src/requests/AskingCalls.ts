/**
 * The calls of a connection that a server may ask something about, and who answers for them.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Inquirer } from "../Connection.ts"
import type { Asker } from "../ServerRequests.ts"

/** A call in flight. @category models */
export interface AskingCall {
  /** Null where its caller brought none. */
  readonly asker: Asker | null
  /** Counts a question that may belong to it for as long as it is open. */
  readonly asked: <A, E, R>(question: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits until the call has its answer, or nobody wants it any more. */
  readonly ended: Effect.Effect<void>
}

/** Who answers a question, and the calls it may belong to; none for one that the server asks on its own. @category models */
export interface Addressee {
  readonly asker: Asker
  readonly calls: ReadonlyArray<AskingCall>
}

/** @category models */
export interface AskingCalls {
  /** Makes a call known for as long as it runs. */
  readonly during: <A, E, R>(
    inquirer: Inquirer,
    call: (call: AskingCall) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Who answers a question of which nothing is known but when it came. */
  readonly addressee: () => Addressee
  /** Who answers a question about this call. */
  readonly of: (call: AskingCall) => Addressee
}

/** Begins without any call. `host` answers where nobody else does. @category constructors */
export const make = (host: Asker): AskingCalls => {
  const calls = new Set<AskingCall>()
  const of = (call: AskingCall): Addressee => ({ asker: call.asker ?? host, calls: [call] })
  const begin = (inquirer: Inquirer) =>
    Effect.sync(() => {
      const begun = toCall(inquirer)
      calls.add(begun.call)
      return begun
    })
  return {
    during: (inquirer, run) =>
      Effect.acquireUseRelease(begin(inquirer), ({ call }) => run(call), ({ call, end }) =>
        Effect.sync(() => {
          calls.delete(call)
          end()
        })),
    addressee: () => ({ asker: commonOf([...calls].map(({ asker }) => asker ?? host)) ?? host, calls: [...calls] }),
    of
  }
}

/** The one asker of all calls; where there are several, the one that all of them share. */
const commonOf = (askers: ReadonlyArray<Asker>): Asker | null => {
  const [first, ...others] = askers
  if (first === undefined) return null
  if (others.every((other) => other === first)) return first
  const shared = first.shared ?? first
  return others.every((other) => (other.shared ?? other) === shared) ? shared : null
}

const toCall = ({ asker, onAsked }: Inquirer): { readonly call: AskingCall; readonly end: () => void } => {
  const latch = Latch.makeUnsafe(false)
  let open = 0
  const tell = (change: number) =>
    Effect.sync(() => {
      open += change
      onAsked?.(open)
    })
  return {
    call: {
      asker: asker ?? null,
      asked: (question) => Effect.acquireUseRelease(tell(1), () => question, () => tell(-1)),
      ended: latch.await
    },
    end: () => void Latch.openUnsafe(latch)
  }
}
