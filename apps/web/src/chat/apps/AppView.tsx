/** The app of a call: asked about at first, running while it is among the last few, a card after that. */
import { useSignal } from "@preact/signals"
import { useContext, useEffect, useLayoutEffect } from "preact/hooks"
import { type Refusal, words as refusalOf } from "../../api/Client.ts"
import { app as words } from "../../messages/chat/AppMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import type { Outcome } from "../calls/CallWords.ts"
import { ChatId, Opened } from "../open/OpenChat.ts"
import type { CallBlock } from "../open/TurnModel.ts"
import { AppConsent } from "./AppConsent.tsx"
import { AppFrame } from "./AppFrame.tsx"
import { type AppDocument, showApp } from "./AppsClient.ts"
import { close, heightOf, isLive, open } from "./LiveApps.ts"
import "./apps.css"

interface AppViewProps {
  readonly block: CallBlock
  readonly outcome: Outcome
}

interface AppOfCallProps extends AppViewProps {
  readonly slot: string
  readonly onHold: (isHeld: boolean) => void
}

const AppOfCall = ({ onHold, slot, ...props }: AppOfCallProps) => {
  const chat = useContext(ChatId)
  const { call } = props.block
  const document = useSignal<AppDocument | null>(null)
  const refused = useSignal<Refusal | null>(null)
  const now = useSignal(props)
  now.value = props
  const load = (how: Parameters<typeof showApp>[1]) => {
    refused.value = null
    document.value = null
    showApp({ chat, call: call.id }, how).then(
      (found) => document.value = found,
      (error) => refused.value = refusalOf(error)
    )
  }
  useEffect(() => load({}), [])
  if (refused.value !== null) {
    return (
      <Notice
        tone="warn"
        hint={refused.value.message}
        action={<Button isSmall icon="retry" onClick={() => load({})}>{words.again}</Button>}
      >
        {words.notShown}
      </Notice>
    )
  }
  const found = document.value
  if (found === null) {
    return (
      <div class="app-wait" style={{ height: `${heightOf(slot)}px` }}>
        <Spinner label={words.loading} />
      </div>
    )
  }
  if (found.state === "ask") return <AppConsent about={found} onShow={() => load({ accept: found.print })} />
  return (
    <AppFrame
      key={found.url}
      slot={slot}
      about={found}
      call={now}
      isLive={isLive(slot)}
      onHold={onHold}
      onUnreached={() => load({ direct: true })}
      onClose={() => close(slot)}
    />
  )
}

export const AppView = (props: AppViewProps) => {
  const chat = useContext(ChatId)
  // Readers of a shared chat have none: it would act for the person who shared it.
  const isOwn = useContext(Opened) !== null
  const { call } = props.block
  const slot = `${chat} ${call.id}`
  /** It makes room as soon as it is done. */
  const isHeld = useSignal(false)
  useLayoutEffect(() => {
    open(slot)
    return () => close(slot)
  }, [slot])
  if (!isOwn || call.server === null) return null
  if (isLive(slot) || isHeld.value) {
    return <AppOfCall {...props} slot={slot} onHold={(is) => isHeld.value = is} />
  }
  return (
    <div class="app-card">
      <p class="app-title">{words.closed(call.server)}</p>
      <Button isSmall onClick={() => open(slot)}>{words.open}</Button>
    </div>
  )
}
