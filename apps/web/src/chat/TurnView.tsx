/** One turn: what was asked, what came of it, and what can be done about it. */
import { useSignal } from "@preact/signals"
import { Component } from "preact"
import type { FinishReason } from "../api/Types.ts"
import { turn as words } from "../messages/ChatMessages.ts"
import { ui } from "../messages/UiMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Copy } from "../ui/code/Copy.tsx"
import { Ghost } from "../ui/Ghost.tsx"
import { lazy } from "../ui/Lazy.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { Answer } from "./Answer.tsx"
import { openId } from "./ChatMenu.tsx"
import type { Turn } from "./open/OpenTurns.ts"
import { isJoined, openCall, plainText, type TurnModel, waitingApprovals, waitingQuestions } from "./open/TurnModel.ts"
import type { Shown } from "./open/Versions.ts"
import { usageDetails, usageWords } from "./UsageLine.tsx"
import { UserMessageView } from "./UserMessageView.tsx"
import { ReadButton } from "./voice/ReadButton.tsx"

export interface TurnActions {
  /** Sends the message of a turn once more, with these words where they are given. */
  readonly onAgain: (turn: Turn, text: string | null) => void
  /** Makes a new chat with everything up to this turn. */
  readonly onFork: (turn: Turn) => void
  readonly onVersion: (newest: number, turn: number) => void
}

interface TurnViewProps {
  readonly turn: Turn
  readonly shown: Shown
  readonly actions: TurnActions
}

const Timeline = lazy(() => import("./timeline/TimelineDialog.tsx").then(({ TimelineDialog }) => TimelineDialog), null)

/** Why a turn ended, where that is worth a word. */
const FINISH: Partial<Record<FinishReason, string>> = words.finish

const Working = ({ model }: { readonly model: TurnModel }) => {
  const last = model.blocks.at(-1)
  // Parts that stream, run or ask show that themselves.
  if (last?.kind === "text" || waitingApprovals(model).length + waitingQuestions(model).length > 0) return null
  if (openCall(model) !== null) return null
  return <Spinner label={ui.working} />
}

const Foot = ({ actions, model, shown, turn }: TurnViewProps & { readonly model: TurnModel }) => {
  const isTimed = useSignal(false)
  const { finish } = model
  if (finish === null) {
    // It has its room from the beginning, so that nothing moves when the turn ends.
    return (
      <div class="foot">
        <div class="foot-row working">
          <Working model={model} />
        </div>
      </div>
    )
  }
  const isEmpty = model.blocks.length === 0
  const said = isEmpty && finish.reason === "stopped" ? words.stoppedUnanswered : FINISH[finish.reason]
  const used = usageWords(finish.usage)
  const chat = openId()
  return (
    <div class="foot">
      {said === undefined ? null : <p class="note">{said}</p>}
      <div class="foot-row">
        {isEmpty ? null : <Copy label={words.copy} text={() => plainText(model)} />}
        {plainText(model) === "" ? null : <ReadButton text={plainText(model)} />}
        {shown.isEarlier ? null : (
          <Button
            class="replacing"
            kind="plain"
            isSmall
            icon="retry"
            label={words.again}
            onClick={() => actions.onAgain(turn, null)}
          />
        )}
        <Button kind="plain" isSmall icon="fork" label={words.fork} onClick={() => actions.onFork(turn)} />
        {chat === null || isEmpty
          ? null
          : <Button kind="plain" isSmall icon="clock" label={words.timeline} onClick={() => isTimed.value = true} />}
        {used === "" ? null : <span class="used" title={usageDetails(finish.usage)}>{used}</span>}
      </div>
      {chat !== null && isTimed.value
        ? <Timeline chat={chat} turn={turn.number} onClose={() => isTimed.value = false} />
        : null}
    </div>
  )
}

const Turned = ({ actions, shown, turn }: TurnViewProps) => {
  const about = turn.about.value
  const model = turn.model.value
  // A waiting message stands above the composer.
  if (isJoined(model) || about.state === "waiting") return null
  const isBusy = model.finish === null
  const canReplace = !shown.isEarlier && !isBusy
  return (
    <article
      id={`turn-${turn.number}`}
      class={shown.isEarlier ? "turn earlier" : "turn"}
      aria-busy={isBusy}
      aria-label={words.number(turn.number)}
    >
      <UserMessageView
        text={about.text}
        attachments={about.attachments}
        onEdit={canReplace ? (text) => actions.onAgain(turn, text) : null}
        versions={shown.versions}
        current={turn.number}
        onVersion={(version) => actions.onVersion(shown.newest, version)}
      />
      <div class="answer">
        {about.agent === ""
          ? null
          : (
            <h2 class="who">
              <Ghost width={14} />
              {about.agent} <span title={about.model}>{about.model.slice(about.model.indexOf("/") + 1)}</span>
            </h2>
          )}
        <Answer model={model} isCommand={about.model === "command"} />
        <Foot turn={turn} shown={shown} actions={actions} model={model} />
      </div>
    </article>
  )
}

/** Drawn again when its own signals change, or when it is another turn: not because another one streams. */
export class TurnView extends Component<TurnViewProps> {
  override shouldComponentUpdate(next: TurnViewProps) {
    const { actions, shown, turn } = this.props
    return next.turn !== turn || next.actions !== actions ||
      next.shown.isEarlier !== shown.isEarlier || next.shown.versions.join() !== shown.versions.join() ||
      next.shown.newest !== shown.newest
  }
  override render(props: TurnViewProps) {
    return <Turned {...props} />
  }
}
