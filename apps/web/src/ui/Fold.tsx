/** A fold whose inside is made when it is first opened: a page may have hundreds of them, and some are long. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"

interface FoldProps {
  readonly summary: ComponentChildren
  readonly inside: () => ComponentChildren
}

export const Fold = ({ inside, summary }: FoldProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? inside() : null}
    </details>
  )
}
