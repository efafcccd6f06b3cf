/** The change that a call would make in a text, with the lines around it. */
import { useSignal } from "@preact/signals"
import { Fragment } from "preact"
import { useMemo } from "preact/hooks"
import { approval as words } from "../../messages/ApprovalMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { DiffLineView } from "../../ui/data/DiffLineView.tsx"
import { type DiffLine, hunksOf, lineDiff } from "./LineDiff.ts"

interface TextDiffProps {
  readonly before: string
  readonly after: string
  /** The name for a screen reader. */
  readonly label: string
}

/** More lines are shown on demand. */
const MANY = 400

export const TextDiff = ({ after, before, label }: TextDiffProps) => {
  const isWhole = useSignal(false)
  const lines = useMemo(() => lineDiff(before, after), [after, before])
  const hunks = useMemo(() => hunksOf(lines), [lines])
  const number = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length
  let room = isWhole.value ? Infinity : MANY
  return (
    <div class="diff">
      <p class="muted small">{words.changes(number("added"), number("removed"))}</p>
      <div class="diff-lines" role="group" aria-label={label} tabIndex={0}>
        {hunks.map((hunk, index) => {
          if (room <= 0) return null
          if ("omitted" in hunk) return <p key={index} class="diff-gap">{words.same(hunk.omitted)}</p>
          const shown = hunk.lines.slice(0, room)
          room -= shown.length
          return <Fragment key={index}>{shown.map((line, at) => <DiffLineView key={at} {...line} />)}</Fragment>
        })}
      </div>
      {room > 0 ? null : <Button isSmall onClick={() => isWhole.value = true}>{words.showAll}</Button>}
    </div>
  )
}
