/** Which tools the list shows: by words, by server, and by what an agent may use. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listTools } from "../api/Api.ts"
import type { Tool } from "../api/Types.ts"
import { tools } from "../state/Catalog.ts"
import { getJson } from "../state/Loading.ts"
import { inOrder } from "./ToolOrder.ts"
import { searchTools } from "./ToolsClient.ts"

export interface Wanted {
  readonly words: string
  readonly server: string | null
  readonly agent: string | null
}

/** An answer of the server. For a moment it belongs to older words than the field has. */
interface Answer {
  readonly to: string
  readonly names: ReadonlyArray<string>
}

const useAnswer = (isAsked: boolean, key: string, ask: (signal: AbortSignal) => Promise<ReadonlyArray<Tool>>) => {
  const answer = useSignal<Answer | null>(null)
  const all = tools.value
  useEffect(() => {
    if (!isAsked) return undefined
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const request = ask(abort.signal).catch((error) => {
        if (abort.signal.aborted) return []
        throw error
      })
      void getJson(request, (found) => {
        if (!abort.signal.aborted) answer.value = { to: key, names: found.map(({ name }) => name) }
      })
    }, 150)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [isAsked, key, all])
  return isAsked && answer.value?.to === key ? answer.value.names : null
}

export interface Found {
  readonly tools: ReadonlyArray<Tool>
  /** The server was not heard yet: what is here was found by the words alone. */
  readonly isWaiting: boolean
}

/** Tools with the words in their names come at once. The server then adds tools that do what the words say. */
export const useFound = ({ agent, server, words }: Wanted): Found => {
  const asked = words.trim()
  const allowed = useAnswer(
    agent !== null,
    agent ?? "",
    (signal) => listTools(agent, signal).then((list) => list.tools)
  )
  const ranked = useAnswer(
    asked !== "",
    `${asked} ${agent ?? ""}`,
    (signal) => searchTools(asked, agent, signal).then((list) => list.tools)
  )
  const isAllowed = agent === null ? null : new Set(allowed ?? [])
  const here = tools.value.filter((tool) =>
    (server === null || tool.server === server) && (isAllowed === null || isAllowed.has(tool.name))
  )
  const isWaiting = agent !== null && allowed === null || asked !== "" && ranked === null
  return { tools: asked === "" ? here : inOrder(here, asked, ranked ?? []), isWaiting }
}
