/** One call of a tool as a line: its server, title, what it is about and how it stands; the rest of it behind the line. */
import { useSignal } from "@preact/signals"
import { call as words } from "../../messages/ChatMessages.ts"
import { bytes, duration } from "../../messages/Numbers.ts"
import { toolsByName } from "../../state/Catalog.ts"
import { Icon } from "../../ui/Icon.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { mediaIn } from "../media/KeptMedia.ts"
import type { CallBlock } from "../open/TurnModel.ts"
import { TurnQuestion } from "../TurnQuestion.tsx"
import { ArgumentFields } from "./ArgumentFields.tsx"
import { CallOutput, pictures } from "./CallOutput.tsx"
import { answerWords, firstLine, type Outcome, outcomeOf, subjectOf, titleOf } from "./CallWords.ts"

/** Most chats ask nothing and write nothing, so that these have chunks of their own. */
const ApprovalCard = lazy(() => import("./ApprovalCard.tsx").then(({ ApprovalCard: one }) => one), null)
const WriteNote = lazy(() => import("../writes/WriteNote.tsx").then(({ WriteNote: one }) => one), null)
const CallMedia = lazy(() => import("../media/CallMedia.tsx").then(({ CallMedia: one }) => one), null)
const WriteSource = lazy(() => import("../writes/WriteNote.tsx").then(({ WriteSource: one }) => one), null)

export interface CallProps {
  readonly block: CallBlock
  /** The turn has ended, so a call without a result gets none any more. */
  readonly isOver: boolean
  /** A person ended the turn. */
  readonly isStopped: boolean
  /** The details are shown from the beginning. */
  readonly isOpen: boolean
}

const Details = ({ block: { answer, call, result, writes } }: { readonly block: CallBlock }) => (
  <div class="call-details">
    <h3>{words.argumentsTo(call.server)}</h3>
    <ArgumentFields args={call.args} tool={call.name} label={words.arguments} />
    {answer?.args === undefined
      ? null
      : (
        <>
          <h3>{words.sent}</h3>
          <ArgumentFields args={answer.args} tool={call.name} label={words.sent} />
        </>
      )}
    {result === null ? null : <CallOutput part={result} />}
    {writes.map((part) => <WriteSource key={part.id} part={part} />)}
  </div>
)

const State = (
  { block: { answer, result, written }, outcome }: { readonly block: CallBlock; readonly outcome: Outcome }
) => {
  const time = duration(result?.millis ?? 0)
  switch (outcome) {
    case "done":
      return (
        <span class="call-state on-hover">
          <span class="visually-hidden">{words.done}</span>
          {time}
        </span>
      )
    case "failed":
      return (
        <span class="call-state">
          <span class="visually-hidden">{words.failedAfter(time)}</span>
          {firstLine(result?.text ?? "")}
        </span>
      )
    case "denied":
      return <span class="call-state">{answer === null ? words.denied : answerWords(answer)}</span>
    case "stopped":
      return <span class="call-state">{words.stopped}</span>
    case "unfinished":
      return <span class="call-state">{words.notFinished}</span>
    case "waiting":
      return <span class="call-state">{words.waits}</span>
    case "writing":
      return (
        <span class="call-state">
          <Spinner label="" /> {words.writing(bytes(written ?? 0))}
        </span>
      )
    case "running":
      return (
        <span class="call-state">
          <Spinner label="" /> {words.running}
        </span>
      )
  }
}

export const ToolCallRow = ({ block, isOpen: isOpenAtFirst, isOver, isStopped }: CallProps) => {
  const isOpen = useSignal(isOpenAtFirst)
  const { answer, approval, call, progress, questions, result, writes } = block
  const outcome = outcomeOf(block, isOver, isStopped)
  const isAsking = approval !== null && answer === null && result === null && !isOver
  const shown = result === null ? [] : pictures(result.content)
  const files = result === null ? [] : mediaIn(result.content)
  return (
    // Not a region: a long chat would have hundreds of landmarks.
    <section class={`call ${outcome}`} role="group" aria-label={words.label(call.name)}>
      {isAsking ? <ApprovalCard approval={approval} /> : (
        <button
          type="button"
          class="call-row"
          aria-expanded={isOpen.value}
          onClick={() => isOpen.value = !isOpen.value}
        >
          {call.server === null ? <Icon name="tool" /> : <Letter name={call.server} />}
          <span class="call-title">{titleOf(call.name, call.server, toolsByName.value.get(call.name))}</span>
          <code class="call-subject">{subjectOf(call.args)}</code>
          <State block={block} outcome={outcome} />
        </button>
      )}
      {result === null && progress !== null && !isOver
        ? (
          <div class="call-progress">
            <ProgressBar name={call.name} {...progress} />
          </div>
        )
        : null}
      {writes.length === 0
        ? answer === null || outcome === "denied" ? null : <p class="call-note">{answerWords(answer)}</p>
        : writes.map((part) => (
          <WriteNote key={part.id} part={part} said={answer === null ? null : answerWords(answer)} />
        ))}
      {questions.map((asked) => (
        <TurnQuestion key={asked.question.id} asked={asked} isOver={isOver || result !== null} />
      ))}
      {shown.length === 0
        ? null
        : (
          <div class="pictures">
            {shown.map((src) => <img key={src} src={src} alt={words.pictureFrom(call.name)} />)}
          </div>
        )}
      {files.length === 0 ? null : <CallMedia call={call.id} tool={call.name} files={files} />}
      {isOpen.value && !isAsking ? <Details block={block} /> : null}
    </section>
  )
}
