/** What came of a message: text, reasoning, calls and what else happened, in order. */
import { Component, type ComponentChildren } from "preact"
import type { FinishReason } from "../api/Types.ts"
import { Icon } from "../ui/Icon.tsx"
import { Notice } from "../ui/Notice.tsx"
import { count, duration, short } from "../ui/Numbers.ts"
import { Markdown } from "./text/Markdown.tsx"
import { ToolCallCard } from "./ToolCallCard.tsx"
import type { Block, TurnModel } from "./TurnModel.ts"
import { TurnQuestion } from "./TurnQuestion.tsx"

/** Why a turn ended, where that is worth a word. */
export const FINISH: Partial<Record<FinishReason, string>> = {
  length: "Cut: the model reached its limit.",
  steps: "Stopped: the agent's number of steps is used up.",
  stopped: "Stopped.",
  interrupted: "Interrupted: the server ended while this turn ran.",
  "content-filter": "Cut by the provider's content filter."
}

const compacted = ({ part: { results, turns } }: Block & { kind: "compaction" }) =>
  [
    ...(results > 0 ? [count(results, "old tool result")] : []),
    ...(turns > 0 ? [count(turns, "old turn")] : [])
  ].join(" and ")

const Compaction = ({ block }: { readonly block: Block & { kind: "compaction" } }) => (
  <p class="event">
    <Icon name="book" />
    <span>
      To fit the model's context, {compacted(block) || "earlier parts"} are left out of what it reads:{" "}
      {short(block.part.tokensBefore)} → {short(block.part.tokensAfter)} of {short(block.part.limit)}{" "}
      tokens. Nothing is deleted.
    </span>
  </p>
)

const Retry = ({ block }: { readonly block: Block & { kind: "retry" } }) => (
  <div class="event">
    <Icon name="retry" />
    <div>
      <p>
        {block.part.message}. Tried again after {duration(block.part.delayMillis)} (attempt {block.part.attempt} of{" "}
        {block.part.limit}).
      </p>
      {block.dropped.length === 0 ? null : (
        <details class="fold">
          <summary>What it had said before that, which does not count</summary>
          <div class="fold-body">{block.dropped.map(({ key, text }) => <p class="reasoned" key={key}>{text}</p>)}</div>
        </details>
      )}
    </div>
  </div>
)

interface BlockProps {
  readonly block: Block
  /** The last one of a turn that runs, which may grow. */
  readonly isOpen: boolean
  readonly isOver: boolean
}

const shownBlock = ({ block, isOpen, isOver }: BlockProps): ComponentChildren => {
  switch (block.kind) {
    case "text":
      return (
        <div class="text">
          <Markdown text={block.text} isOpen={isOpen} />
        </div>
      )
    case "reasoning":
      return (
        <details class="fold reasoning">
          <summary>{isOpen ? "Reasoning …" : "Reasoning"}</summary>
          <div class="fold-body reasoned">{block.text}</div>
        </details>
      )
    case "call":
      return <ToolCallCard block={block} isOver={isOver} />
    case "question":
      return (
        <section class={block.answer === null && !isOver ? "tool asking" : "tool"} role="group" aria-label="A question">
          <TurnQuestion asked={block} isOver={isOver} />
        </section>
      )
    case "warning":
      return (
        <div class="warning">
          <Notice tone="warn">{block.message}</Notice>
        </div>
      )
    case "error":
      return (
        <div class="error">
          <Notice tone="bad" isUrgent hint={block.hint}>{block.message}</Notice>
        </div>
      )
    case "retry":
      return <Retry block={block} />
    case "compaction":
      return <Compaction block={block} />
  }
}

/** A block that did not change is not drawn again. One that cannot be drawn takes nothing else with it. */
class ShownBlock extends Component<BlockProps, { failed: Block | null }> {
  override state = { failed: null }
  override shouldComponentUpdate(next: BlockProps, state: { failed: Block | null }) {
    const { block, isOpen, isOver } = this.props
    return next.block !== block || next.isOpen !== isOpen || next.isOver !== isOver ||
      state.failed !== this.state.failed
  }
  override componentDidCatch() {
    this.setState({ failed: this.props.block })
  }
  override render(props: BlockProps, { failed }: { failed: Block | null }) {
    if (failed !== props.block) return <>{shownBlock(props)}</>
    return <Notice tone="warn" hint="The export of the chat has it.">This part cannot be shown.</Notice>
  }
}

export const Answer = ({ model }: { readonly model: TurnModel }) => (
  <div class="parts">
    {model.blocks.map((block, index) => (
      <ShownBlock
        key={`${block.kind}${block.key}`}
        block={block}
        isOpen={model.finish === null && index === model.blocks.length - 1}
        isOver={model.finish !== null}
      />
    ))}
  </div>
)
