/** A quiet line near the composer when most of a limit is used. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get } from "../../api/Client.ts"
import { chat as words } from "../../messages/ChatMessages.ts"
import { getJson } from "../../state/Loading.ts"

interface Usage {
  readonly limits: ReadonlyArray<{ readonly limit: string; readonly used: number; readonly most: number }>
}

const MOST = 0.8

/** Asks when the chat opens, and when a turn begins or ends. */
export const LimitLine = ({ running }: { readonly running: boolean }) => {
  const usage = useSignal<Usage | null>(null)
  useEffect(() => {
    void getJson(get<Usage>("me/usage"), (found) => usage.value = found)
  }, [running])
  const near = usage.value?.limits.find(({ most, used }) => used >= most * MOST)
  if (near === undefined) return null
  const percent = near.most === 0 ? 100 : Math.min(100, Math.floor(near.used / near.most * 100))
  return <p class="limit-line muted" role="status">{words.nearLimit(percent, near.limit)}</p>
}
