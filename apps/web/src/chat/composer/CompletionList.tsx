/** What completion offers, above the field. The field keeps the focus; the marked offer is told by its id. */
import { useEffect, useRef } from "preact/hooks"
import type { Choice, Trigger } from "./Completion.ts"
import type { Completing } from "./useCompletion.ts"

export const optionId = (index: number) => `offer-${index}`

interface ListProps {
  readonly completing: Completing
  readonly onChoose: (choice: Choice, trigger: Trigger) => void
}

export const CompletionList = ({ completing, onChoose }: ListProps) => {
  const list = useRef<HTMLUListElement>(null)
  const { marked, offers, trigger } = completing
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  }, [marked])
  if (trigger === null || offers.length === 0) return null
  return (
    <ul class="offers" id="offers" role="listbox" aria-label="Suggestions" tabIndex={0} ref={list}>
      {offers.map((offer, index) => (
        <li
          key={offer.key}
          id={optionId(index)}
          role="option"
          aria-selected={index === marked}
          onPointerMove={() => index === marked || completing.mark(index)}
          // Before the field would lose the focus.
          onMouseDown={(event) => {
            event.preventDefault()
            completing.close()
            onChoose(offer.choice, trigger)
          }}
        >
          <span class="offer-text">{offer.text}</span>
          <span class="offer-about">{offer.about}</span>
          {offers[index - 1]?.group === offer.group ? null : <span class="offer-group">{offer.group}</span>}
        </li>
      ))}
    </ul>
  )
}
