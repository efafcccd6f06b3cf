/** A program that the model wrote: its lines, its calls and what came of it. Folded it is one line and what needs a person. */
import { useSignal } from "@preact/signals"
import type { ToolResultPart } from "../../api/Types.ts"
import { program as words } from "../../messages/chat/ProgramMessages.ts"
import { call as callWords } from "../../messages/ChatMessages.ts"
import { duration } from "../../messages/Numbers.ts"
import { chatActions } from "../../state/ChatActions.ts"
import { Button } from "../../ui/Button.tsx"
import { LongCode } from "../../ui/code/LongCode.tsx"
import { prettyJson } from "../../ui/code/PrettyJson.ts"
import { Icon } from "../../ui/Icon.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { CallRun } from "../calls/CallFold.tsx"
import { firstLine, type Outcome } from "../calls/CallWords.ts"
import { ToolCallRow } from "../calls/ToolCallRow.tsx"
import type { CallBlock, ProgramUnit } from "../open/TurnModel.ts"
import { ProgramApprovals } from "./ProgramApprovals.tsx"
import { ProgramCode } from "./ProgramCode.tsx"
import {
  askedTogether,
  codeOf,
  lineStates,
  listedCalls,
  programOutcome,
  reportOf,
  subjectOfCode
} from "./ProgramState.ts"
import "./program.css"

interface ProgramCardProps {
  readonly unit: ProgramUnit
  readonly isOver: boolean
  readonly isStopped: boolean
}

const State = ({ failed, outcome, unit }: Pick<ProgramCardProps, "unit"> & {
  readonly outcome: Outcome
  readonly failed: number
}) => {
  const { block: { result }, calls } = unit
  const isRunning = outcome === "running" || outcome === "writing"
  const parts = [
    ...(outcome === "done" || isRunning ? [] : [words.states[outcome]]),
    ...(calls.length === 0 ? [] : [words.calls(calls.length)]),
    ...(failed === 0 || outcome === "failed" ? [] : [words.failedCalls(failed)]),
    ...(result === null ? [] : [duration(result.millis)])
  ]
  return (
    <span class="call-state">
      {isRunning ? <Spinner label={words.states[outcome]} /> : null}
      {outcome === "done" ? <span class="visually-hidden">{callWords.done}</span> : null}
      {isRunning ? " " : null}
      {parts.join(" · ")}
    </span>
  )
}

/** The end of the program. Its calls stand above. */
const ProgramEnd = ({ isStopped, part }: { readonly part: ToolResultPart; readonly isStopped: boolean }) => {
  const { console, notes, said, value } = reportOf(part)
  return (
    <>
      {part.isError && !isStopped ? <p class="program-error">{said}</p> : null}
      {console === null
        ? null
        : (
          <>
            <h3>{words.console}</h3>
            <LongCode code={console} label={words.console} isWrapped />
          </>
        )}
      {value === null
        ? part.isError ? null : <p class="muted small">{words.noValue}</p>
        : (
          <>
            <h3>{words.value}</h3>
            <LongCode code={prettyJson(value) ?? value} label={words.value} language="json" isWrapped />
          </>
        )}
      {notes === "" ? null : <p class="muted small">{notes}</p>}
    </>
  )
}

export const ProgramCard = ({ isOver, isStopped, unit }: ProgramCardProps) => {
  const { block, calls } = unit
  // A program that runs is shown, and stays as the person has it when it ends.
  const isOpen = useSignal(block.result === null && !isOver)
  const code = codeOf(unit)
  const outcome = programOutcome(unit, isOver, isStopped)
  const { failed, more, shown } = listedCalls(unit, isOver, isStopped)
  const lines = lineStates(unit, isOver)
  const isEach = useSignal(false)
  const together = isEach.value ? [] : askedTogether(unit, isOver)
  const apart = (some: ReadonlyArray<CallBlock>) => some.filter((one) => !together.includes(one))
  const others = apart(calls)
  const question = together.length === 0
    ? null
    : (
      <ProgramApprovals
        approvals={together.map(({ approval }) => approval).filter((approval) => approval !== null)}
        onEach={() => isEach.value = true}
      />
    )
  const onStop = chatActions.value?.onStop ?? null
  const isBusy = outcome === "running" || outcome === "writing" || outcome === "waiting"
  return (
    <section class="call program" data-outcome={outcome} role="group" aria-label={words.label}>
      <div class="program-head">
        <button
          type="button"
          class="call-row"
          aria-expanded={isOpen.value}
          onClick={() => isOpen.value = !isOpen.value}
        >
          <Icon name="code" />
          <span class="call-title">{words.title}</span>
          <code class="call-subject">{subjectOfCode(code)}</code>
          <State unit={unit} outcome={outcome} failed={failed} />
        </button>
        {isBusy && onStop !== null ? <Button isSmall onClick={onStop}>{words.stop}</Button> : null}
      </div>
      {outcome === "failed" && !isOpen.value
        ? <p class="call-note">{firstLine(block.result?.text ?? "")}</p>
        : null}
      {isOpen.value
        ? (
          <div class="program-body">
            <ProgramCode code={code} lines={lines} />
            {block.result === null && (block.progress?.message ?? null) !== null
              ? <p class="program-line">{block.progress?.message}</p>
              : null}
            {question}
            {others.length === 0
              ? null
              : <CallRun blocks={others} isOver={isOver} isStopped={isStopped} isOpen={false} between={() => null} />}
            {block.result === null ? null : <ProgramEnd part={block.result} isStopped={outcome === "stopped"} />}
          </div>
        )
        : (
          <div class="program-calls">
            {question}
            {apart(shown).map((one) => (
              <ToolCallRow key={one.key} block={one} isOver={isOver} isStopped={isStopped} isOpen={false} />
            ))}
            {more === 0 ? null : <p class="call-note">{words.more(more)}</p>}
          </div>
        )}
    </section>
  )
}
