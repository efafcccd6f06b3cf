/** A call on its way: how long, how far, and cancelling it. Leaving the page's tool cancels it too. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { Problem, words } from "../api/Client.ts"
import type { CallProgress, Json } from "../api/Types.ts"
import { problemsOf } from "../forms/ServerProblems.ts"
import type { ArgumentsDraft } from "./ArgumentsDraft.ts"
import { keep, type Outcome } from "./Runs.ts"
import { call } from "./ToolsClient.ts"

export const useRunning = (tool: string, args: ArgumentsDraft) => {
  const since = useSignal<number | null>(null)
  const progress = useSignal<CallProgress | null>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])

  const start = async (value: Json, timeoutMillis: number | undefined) => {
    const controller = new AbortController()
    abort.current = controller
    const [at, began] = [Date.now(), performance.now()]
    since.value = began
    progress.value = null
    args.problems.value = []
    const body = { args: value, ...(timeoutMillis === undefined ? {} : { timeoutMillis }) }
    const tell = (next: CallProgress) => {
      progress.value = next
    }
    const outcome = await call(tool, body, tell, controller.signal).then(
      (result): Outcome => ({ is: "answer", result }),
      (error): Outcome => {
        if (controller.signal.aborted) return { is: "cancelled" }
        if (error instanceof Problem && error.tag === "InvalidArguments") {
          args.problems.value = problemsOf(error.message, tool)
        }
        return { is: "failure", problem: words(error) }
      }
    )
    since.value = null
    keep(tool, { at, args: value, millis: performance.now() - began, outcome })
  }
  return { since, progress, start, cancel: () => abort.current?.abort() }
}
