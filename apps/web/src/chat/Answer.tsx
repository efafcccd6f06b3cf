/** The answer to a message: text, reasoning, calls and other events, in order. */
import { Component, type ComponentChildren } from "preact"
import { useContext } from "preact/hooks"
import { turn as words } from "../messages/ChatMessages.ts"
import { duration, short } from "../messages/Numbers.ts"
import { address } from "../state/Route.ts"
import { Icon } from "../ui/Icon.tsx"
import { lazy } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import { CallRun } from "./calls/CallFold.tsx"
import { hasMarks, sourcesOf, withMarks } from "./media/Sources.ts"
import { type Block, shownBlocks, type TurnModel, type Unit, unitsOf } from "./open/TurnModel.ts"
import { SummaryFold } from "./SummaryFold.tsx"
import { Markdown } from "./text/Markdown.tsx"
import { NumberedSources } from "./text/SourceMark.tsx"
import { TurnQuestion } from "./TurnQuestion.tsx"
import { JoinedMessage } from "./UserMessageView.tsx"

/** Few chats have programs. */
const ProgramCard = lazy(() => import("./programs/ProgramCard.tsx").then(({ ProgramCard: one }) => one), null)

/** Few results name pages. */
const SourceList = lazy(() => import("./media/SourceList.tsx").then(({ SourceList: one }) => one), null)

const Compaction = ({ block: { part } }: { readonly block: Block & { kind: "compaction" } }) => {
  const { limit, results, tokensAfter, tokensBefore, turns } = part
  const what = [
    ...(results > 0 ? [words.oldResults(results)] : []),
    ...(turns > 0 ? [words.oldTurns(turns)] : [])
  ].join(words.and)
  return (
    <p class="event">
      <Icon name="book" />
      <span>{words.compacted(what || words.earlierParts, short(tokensBefore), short(tokensAfter), short(limit))}</span>
    </p>
  )
}

const Retry = ({ block: { dropped, part } }: { readonly block: Block & { kind: "retry" } }) => (
  <div class="event">
    <Icon name="retry" />
    <div>
      <p>{words.retried(part.message, duration(part.delayMillis), part.attempt, part.limit)}</p>
      {dropped.length === 0 ? null : (
        <details class="fold">
          <summary>{words.dropped}</summary>
          <div class="fold-body">{dropped.map(({ key, text }) => <p class="reasoned" key={key}>{text}</p>)}</div>
        </details>
      )}
    </div>
  </div>
)

/** Which servers are away is said once, and the way to them; why they are is said there. */
const Away = ({ servers }: { readonly servers: ReadonlyArray<string> }) => (
  <p class="away" title={servers.join(", ")}>
    {servers.length === 1 ? words.oneAway(servers[0] ?? "") : words.someAway(servers.length)}{" "}
    <a href={address("servers")}>{words.servers}</a>
  </p>
)

interface UnitProps {
  readonly unit: Unit
  /** The last one of a turn that runs, which may grow. */
  readonly isOpen: boolean
  readonly isOver: boolean
  readonly isStopped: boolean
  /** No model reads the results: they are for the person. */
  readonly isCommand: boolean
}

const Reasoning = ({ isOpen, text }: { readonly text: string; readonly isOpen: boolean }) => (
  <details class="fold reasoning">
    <summary>{isOpen ? words.reasons : words.reasoning}</summary>
    <div class="fold-body reasoned">{text}</div>
  </details>
)

const Text = ({ block: { cited = [], text }, isOpen }: {
  readonly block: Block & { kind: "text" | "reasoning" }
  readonly isOpen: boolean
}) => {
  const sources = useContext(NumberedSources)
  return <Markdown text={cited.length === 0 ? text : withMarks(text, cited, sources)} isOpen={isOpen} />
}

const between = (block: Block): ComponentChildren =>
  block.kind === "reasoning" ? <Reasoning key={`reasoning${block.key}`} text={block.text} isOpen={false} /> : null

const shownUnit = ({ isCommand, isOpen, isOver, isStopped, unit }: UnitProps): ComponentChildren => {
  switch (unit.kind) {
    case "text":
      return (
        <div class="text">
          <Text block={unit} isOpen={isOpen} />
        </div>
      )
    case "reasoning":
      return <Reasoning text={unit.text} isOpen={isOpen} />
    case "calls":
      return <CallRun blocks={unit.blocks} isOver={isOver} isStopped={isStopped} isOpen={isCommand} between={between} />
    case "program":
      return <ProgramCard unit={unit} isOver={isOver} isStopped={isStopped} />
    case "question":
      return (
        <section class="call" role="group" aria-label={words.question}>
          <TurnQuestion asked={unit} isOver={isOver} />
        </section>
      )
    case "away":
      return <Away servers={unit.servers} />
    case "message":
      return <JoinedMessage part={unit.part} />
    case "summary":
      return <SummaryFold part={unit.part} />
    case "warning":
      return (
        <div class="warning">
          <Notice tone="warn">{unit.message}</Notice>
        </div>
      )
    case "error":
      return (
        <div class="error">
          <Notice tone="bad" isUrgent hint={unit.hint}>{unit.message}</Notice>
        </div>
      )
    case "retry":
      return <Retry block={unit} />
    case "compaction":
      return <Compaction block={unit} />
  }
}

const areSame = (some: ReadonlyArray<Block>, others: ReadonlyArray<Block>): boolean =>
  some.length === others.length && some.every((block, at) => block === others[at])

const isSame = (one: Unit, other: Unit): boolean => {
  if (one.kind === "calls" && other.kind === "calls") return areSame(one.blocks, other.blocks)
  if (one.kind === "program" && other.kind === "program") {
    return one.block === other.block && areSame(one.calls, other.calls)
  }
  if (one.kind === "away" && other.kind === "away") return one.servers.length === other.servers.length
  return one === other
}

/** A unit that did not change is not drawn again. One that cannot be drawn takes nothing else with it. */
class ShownUnit extends Component<UnitProps, { failed: Unit | null }> {
  override state = { failed: null }
  override shouldComponentUpdate(next: UnitProps, state: { failed: Unit | null }) {
    const { isOpen, isOver, isStopped, unit } = this.props
    return !isSame(next.unit, unit) || next.isOpen !== isOpen || next.isOver !== isOver ||
      next.isStopped !== isStopped || state.failed !== this.state.failed
  }
  override componentDidCatch() {
    this.setState({ failed: this.props.unit })
  }
  override render(props: UnitProps, { failed }: { failed: Unit | null }) {
    if (failed === null || !isSame(failed, props.unit)) return <>{shownUnit(props)}</>
    return <Notice tone="warn" hint={words.exportHasIt}>{words.notShown}</Notice>
  }
}

interface AnswerProps {
  readonly model: TurnModel
  readonly isCommand: boolean
}

export const Answer = ({ isCommand, model }: AnswerProps) => {
  const units = unitsOf(shownBlocks(model))
  const sources = sourcesOf(model.blocks)
  return (
    <NumberedSources value={sources}>
      <div class="parts">
        {units.map((unit, index) => (
          <ShownUnit
            key={`${unit.kind}${unit.key}`}
            unit={unit}
            isOpen={model.finish === null && index === units.length - 1}
            isOver={model.finish !== null}
            isStopped={model.finish?.reason === "stopped"}
            isCommand={isCommand}
          />
        ))}
        {sources.length === 0 ? null : <SourceList sources={sources} isNumbered={hasMarks(model.blocks)} />}
      </div>
    </NumberedSources>
  )
}
