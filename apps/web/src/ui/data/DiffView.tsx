/** A unified diff: what goes and what comes by colour, by sign, and in words for a screen reader. */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"
import { Copy } from "../code/Copy.tsx"
import { DiffLineView } from "./DiffLineView.tsx"
import { diffLines } from "./UnifiedDiff.ts"

/** More lines are shown on demand. */
const MANY = 500

export const DiffView = ({ text, title }: { readonly text: string; readonly title: string }) => {
  const isWhole = useSignal(false)
  const lines = useMemo(() => diffLines(text), [text])
  const shown = isWhole.value ? lines : lines.slice(0, MANY)
  return (
    <div class="code diff-view">
      <div class="bar">
        <span class="bar-title">{title}</span>
        <Copy text={() => text} label={ui.copyCode} />
      </div>
      <div class="diff-lines" role="group" aria-label={title} tabIndex={0}>
        {shown.map(({ kind, text }, at) =>
          kind === "place" || kind === "about"
            ? <div key={at} class={`diff-${kind}`}>{text}</div>
            : <DiffLineView key={at} kind={kind} text={text} />
        )}
      </div>
      {shown.length === lines.length
        ? null
        : <Button isSmall onClick={() => isWhole.value = true}>{ui.showMore}</Button>}
    </div>
  )
}
