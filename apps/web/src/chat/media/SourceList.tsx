/** The pages behind an answer. A click opens one in a tab of its own, which learns nothing of this page. */
import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { media as words } from "../../messages/chat/MediaMessages.ts"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../../ui/Button.tsx"
import type { Source } from "./Sources.ts"

const FIRST = 6

interface SourceListProps {
  readonly sources: ReadonlyArray<Source>
  /** The text has their numbers. */
  readonly isNumbered: boolean
}

export const SourceList = ({ isNumbered, sources }: SourceListProps) => {
  const isWhole = useSignal(false)
  const id = useId()
  const shown = isWhole.value ? sources : sources.slice(0, FIRST)
  return (
    <section class="sources" aria-labelledby={id}>
      <h3 id={id}>{words.sources}</h3>
      <ol>
        {shown.map(({ address, host, title }, index) => (
          <li key={address}>
            <a href={address} title={address} target="_blank" rel="noopener noreferrer">
              {isNumbered ? <span class="muted">{index + 1}</span> : null}
              <span class="source-title" dir="auto">{title}</span>
              <span class="muted">{host}</span>
              <span class="visually-hidden">{ui.newTab}</span>
            </a>
          </li>
        ))}
      </ol>
      {shown.length === sources.length
        ? null
        : (
          <Button kind="plain" isSmall onClick={() => isWhole.value = true}>
            {words.more(sources.length - shown.length)}
          </Button>
        )}
    </section>
  )
}
