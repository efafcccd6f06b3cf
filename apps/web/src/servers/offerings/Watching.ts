/** Watching one resource: its server tells when it changes, while somebody looks at it here. */
import { signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Refusal } from "../../api/Client.ts"
import { type Connection, follow } from "../../api/Events.ts"
import type { WatchEvent } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { watchAddress } from "../ServersClient.ts"

/** Each holds a connection, of which browsers allow six to one server over all tabs; the page itself needs two. */
const MOST = 2

const watching = signal(0)

export interface Watch {
  readonly isOn: boolean
  readonly state: Connection | null
  /** Whether its server tells of changes by now. */
  readonly isHeard: boolean
  /** When it last changed, in milliseconds since 1970; null when it did not. */
  readonly changedAt: number | null
  readonly refused: Refusal | null
  readonly set: (isOn: boolean) => void
  /** The shown content is the present one. */
  readonly seen: () => void
}

export const useWatch = (server: string, uri: string): Watch => {
  const isOn = useSignal(false)
  const state = useSignal<Connection | null>(null)
  const changedAt = useSignal<number | null>(null)
  const refused = useSignal<Watch["refused"]>(null)
  const isHeard = useSignal(false)
  const isWatched = isOn.value
  useEffect(() => {
    if (!isWatched) return undefined
    watching.value += 1
    const following = follow<WatchEvent>(() => watchAddress(server, uri), {
      document: (news) => {
        if ("at" in news) {
          // The first one says that it is watched; that of a stream that had to be opened again may stand for a change.
          if (isHeard.value) changedAt.value = news.at
          isHeard.value = true
          return
        }
        refused.value = { message: news.problem.detail, hint: news.problem.hint }
        isOn.value = false
      },
      state: (next) => {
        state.value = next
      }
    })
    return () => {
      watching.value -= 1
      following.close()
      state.value = null
      isHeard.value = false
    }
  }, [server, uri, isWatched])
  const set = (next: boolean) => {
    refused.value = null
    if (next && watching.value >= MOST) {
      refused.value = {
        message: texts.tooManyWatched(MOST),
        hint: texts.stopWatching
      }
      return
    }
    changedAt.value = null
    isOn.value = next
  }
  const seen = () => {
    changedAt.value = null
  }
  return {
    isOn: isWatched,
    state: state.value,
    isHeard: isHeard.value,
    changedAt: changedAt.value,
    refused: refused.value,
    set,
    seen
  }
}
