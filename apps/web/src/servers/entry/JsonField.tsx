/** JSON with comments as text, with what is wrong in it by line and column, and the way there. */
import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"
import { entry as words } from "../../messages/EntryMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { placeOf, type Span } from "./EntryJson.ts"

export interface JsonTrouble extends Span {
  readonly message: string
}

interface JsonFieldProps {
  readonly label: string
  /** The explanation before typing. */
  readonly about: string
  readonly text: string
  readonly troubles: ReadonlyArray<JsonTrouble>
  /** The span that is marked when it is first shown, and whenever it is another one. */
  readonly marked: Span | null
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly isFixed: boolean
  readonly onText: (text: string) => void
}

const mark = (field: HTMLTextAreaElement, { from, to }: Span) => {
  field.setSelectionRange(from, to)
  const { line } = placeOf(field.value, from)
  const height = Number.parseFloat(getComputedStyle(field).lineHeight)
  field.scrollTop = Math.max(0, (line - 4) * (Number.isNaN(height) ? 20 : height))
}

export const JsonField = ({ about, field, isFixed, label, marked, onText, text, troubles }: JsonFieldProps) => {
  useEffect(() => {
    if (marked !== null && field.current !== null) mark(field.current, marked)
  }, [marked])
  const go = (span: Span) => {
    field.current?.focus()
    if (field.current !== null) mark(field.current, span)
  }
  return (
    <div class="field entry-json">
      <span class="label" aria-hidden="true">{words.json}</span>
      <span class="about">{about}</span>
      <textarea
        ref={field}
        class="input mono"
        aria-label={label}
        {...(troubles.length === 0 ? {} : { "aria-invalid": true })}
        rows={Math.min(30, Math.max(10, text.split("\n").length + 1))}
        spellcheck={false}
        autocapitalize="off"
        readOnly={isFixed}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {troubles.map((trouble) => {
        const { column, line } = placeOf(text, trouble.from)
        return (
          <Notice
            key={`${trouble.from} ${trouble.message}`}
            tone="bad"
            isUrgent
            action={<Button isSmall onClick={() => go(trouble)}>{words.goThere}</Button>}
          >
            <strong>{words.at(line, column)}</strong> {trouble.message}
          </Notice>
        )
      })}
    </div>
  )
}
