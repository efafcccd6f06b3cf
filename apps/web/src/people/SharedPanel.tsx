/** The route `#/shared/ID`: a chat that somebody shows, to read. The server leaves out questions that wait for its owner. */
import type { SharedChat } from "@boocode/chat-server/api/users/SharesApi"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, path } from "../api/Client.ts"
import { follow } from "../api/Events.ts"
import type { ChatTurn, Part } from "../api/Types.ts"
import { Answer } from "../chat/Answer.tsx"
import { PdfChip } from "../chat/media/PdfChip.tsx"
import { SharedFiles } from "../chat/open/OpenChat.ts"
import { add, EMPTY } from "../chat/open/TurnModel.ts"
import { people as words } from "../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Panel } from "../state/Panel.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import "../ui/panels.css"
import { Spinner } from "../ui/Spinner.tsx"
import "./people.css"

type Shared = typeof SharedChat.Type

/** Parts of a turn that runs come many at once. */
const PAUSE_MILLIS = 1000

export const SharedPanel = ({ rest: [share = ""] }: PanelProps) => {
  const found = useSignal<Shared | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = () =>
      run(async () => {
        found.value = await get<Shared>(path("shared", share))
      })
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void read()
      }, PAUSE_MILLIS)
    }
    const seq = () => Math.max(0, ...found.value?.turns.flatMap(({ parts }) => parts.map((part) => part.seq)) ?? [])
    let following: { readonly close: () => void } | null = null
    void read().then(() => {
      if (found.value === null) return
      following = follow<Part>(() => `${path("shared", share, "events")}?after=${seq()}`, {
        document: soon,
        state: (state) => state === "gone" ? soon() : undefined
      })
    })
    return () => {
      clearTimeout(timer)
      following?.close()
    }
  }, [share])
  const { value } = found
  return (
    <Panel title={value?.title ?? words.sharedChat}>
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value === null || refused.value !== null ? null : (
        <>
          <p class="muted">{words.sharedBy(value.by)}</p>
          {value.turns.filter(({ replacedBy, state }) => replacedBy === null && state !== "waiting")
            .map((turn) => <SharedTurn key={turn.turn} share={share} turn={turn} />)}
        </>
      )}
    </Panel>
  )
}

const SharedTurn = ({ share, turn }: { readonly share: string; readonly turn: ChatTurn }) => {
  const files = {
    attached: (file: string) => `/api/${path("shared", share, "files", file)}`,
    ofCall: (call: string, file: string) => `/api/${path("shared", share, "calls", call, "files", file)}`
  }
  return (
    <article class="turn">
      <div class="asked">
        {turn.attachments.map(({ bytes, id, kind, name }) =>
          kind === "pdf"
            ? <PdfChip key={id} address={files.attached(id)} name={name} size={bytes} />
            : <a key={id} class="chip" href={files.attached(id)} download={name}>{name}</a>
        )}
        <p class="bubble">{turn.text}</p>
      </div>
      <h2 class="section-heading">{turn.agent}</h2>
      <SharedFiles value={files}>
        <Answer model={add(EMPTY, turn.parts)} isCommand={turn.model === "command"} />
      </SharedFiles>
    </article>
  )
}
