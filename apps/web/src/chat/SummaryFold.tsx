/** The note that models read in place of older turns: behind a line, editable, with the way to the turns themselves. */
import { useSignal } from "@preact/signals"
import { useContext } from "preact/hooks"
import type { SummaryPart } from "../api/Types.ts"
import { turn as words } from "../messages/ChatMessages.ts"
import { tellError } from "../state/Loading.ts"
import { Button } from "../ui/Button.tsx"
import { focus } from "../ui/Focus.ts"
import { Fold } from "../ui/Fold.tsx"
import { Opened } from "./open/OpenChat.ts"
import { Markdown } from "./text/Markdown.tsx"

/** As the server has it. */
const LONGEST = 20_000

/** The first of these turns that is in the page: one may stand within another, or be an earlier version. */
const showTurns = ({ from, to }: SummaryPart) => {
  for (let turn = from; turn <= to; turn++) {
    const article = document.getElementById(`turn-${turn}`)
    if (article !== null) return article.scrollIntoView()
  }
}

const Note = ({ part }: { readonly part: SummaryPart }) => {
  const chat = useContext(Opened)
  const draft = useSignal<string | null>(null)
  if (draft.value === null) {
    return (
      <div class="fold-body summary">
        <p class="note">{words.summary.about}</p>
        <Markdown text={part.text} isOpen={false} />
        <div class="row">
          <Button isSmall onClick={() => showTurns(part)}>{words.summary.original}</Button>
          <Button isSmall icon="edit" onClick={() => draft.value = part.text}>{words.summary.edit}</Button>
        </div>
      </div>
    )
  }
  const text = draft.value.trim()
  return (
    <form
      class="fold-body summary edit"
      onSubmit={(event) => {
        event.preventDefault()
        void chat?.editSummary(part.id, text).then(() => draft.value = null, tellError)
      }}
    >
      <textarea
        class="input"
        aria-label={words.summary.text}
        ref={focus}
        rows={10}
        maxLength={LONGEST}
        value={draft.value}
        onInput={(event) => draft.value = event.currentTarget.value}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return
          event.preventDefault()
          draft.value = null
        }}
      />
      <div class="row end">
        <Button isSmall onClick={() => draft.value = null}>{words.cancel}</Button>
        <Button isSmall kind="primary" type="submit" disabled={text === ""}>{words.summary.save}</Button>
      </div>
    </form>
  )
}

export const SummaryFold = ({ part }: { readonly part: SummaryPart }) => (
  <Fold
    summary={
      <>
        {words.summary.title(part.from, part.to)}
        {part.edited === true ? <span class="muted">· {words.summary.edited}</span> : null}
      </>
    }
    inside={() => <Note part={part} />}
  />
)
