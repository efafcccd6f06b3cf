/** Calls that follow each other. Several fold into one line; those that failed, wrote, run or wait stay listed. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { call as words } from "../../messages/ChatMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import type { Block, CallBlock } from "../open/TurnModel.ts"
import { pictures } from "./CallOutput.tsx"
import { outcomeOf } from "./CallWords.ts"
import { type CallProps, ToolCallRow } from "./ToolCallRow.tsx"

/** Few servers bring apps. */
const AppView = lazy(() => import("../apps/AppView.tsx").then(({ AppView: one }) => one), null)

interface CallRunProps extends Omit<CallProps, "block"> {
  /** Calls, and the reasoning between them. */
  readonly blocks: ReadonlyArray<Block>
  /** Draws what is no call. */
  readonly between: (block: Block) => ComponentChildren
}

/** So many calls still stand one by one. */
const FEW = 3

export const CallRun = ({ between, blocks, ...props }: CallRunProps) => {
  const isUnfolded = useSignal(false)
  /** How often all were opened or closed: a line that was opened by itself follows too. */
  const all = useSignal({ isOpen: props.isOpen, times: 0 })
  const calls = blocks.filter((block): block is CallBlock => block.kind === "call")
  const outcomes = calls.map((block) => outcomeOf(block, props.isOver, props.isStopped))
  const isListed = ({ result, writes }: CallBlock, at: number) =>
    outcomes[at] !== "done" || writes.length > 0 || result !== null && pictures(result.content).length > 0
  const isFolding = calls.length > FEW
  const shown = !isFolding || isUnfolded.value ? blocks : calls.filter(isListed)
  const failed = outcomes.filter((outcome) => outcome === "failed").length
  return (
    <div class="calls">
      {isFolding
        ? (
          <div class="calls-head">
            <button
              type="button"
              class="calls-fold"
              aria-expanded={isUnfolded.value}
              onClick={() => isUnfolded.value = !isUnfolded.value}
            >
              <span class="fold-sign" />
              {words.used(calls.length)}
              {failed === 0 ? null : <span class="calls-failed">· {words.failed(failed)}</span>}
            </button>
            {isUnfolded.value
              ? (
                <Button
                  kind="plain"
                  isSmall
                  onClick={() => all.value = { isOpen: !all.value.isOpen, times: all.value.times + 1 }}
                >
                  {all.value.isOpen ? words.collapseAll : words.expandAll}
                </Button>
              )
              : null}
          </div>
        )
        : null}
      {shown.map((block) =>
        block.kind === "call"
          ? <ToolCallRow {...props} key={`${block.key} ${all.value.times}`} block={block} isOpen={all.value.isOpen} />
          : between(block)
      )}
      {calls.map((block, at) =>
        block.call.app === undefined
          ? null
          : <AppView key={block.key} block={block} outcome={outcomes[at] ?? "running"} />
      )}
    </div>
  )
}
