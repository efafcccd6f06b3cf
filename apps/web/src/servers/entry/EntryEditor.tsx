/** An entry while it is edited: the form and the JSON side by side. The JSON is what is saved; the form changes it. */
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { EntryKey } from "../../api/Types.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { Notice } from "../../ui/Notice.tsx"
import { EntryFields, fieldId, topKey, type WrongEntry } from "./EntryFields.tsx"
import * as EntryJson from "./EntryJson.ts"
import { JsonField, type JsonTrouble } from "./JsonField.tsx"

export interface EntryFault extends WrongEntry {
  readonly line: number | null
  readonly column: number | null
}

interface EntryEditorProps {
  readonly name: string
  readonly keys: ReadonlyArray<EntryKey>
  readonly text: string
  readonly fault: EntryFault | null
  readonly isFixed: boolean
  readonly onText: (text: string) => void
}

const spanOf = (text: string, { column, key, line }: EntryFault): EntryJson.Span | null =>
  line !== null ? EntryJson.spanAt(text, line, column ?? 1) : key === null ? null : EntryJson.spanOf(text, key)

export const EntryEditor = ({ fault, isFixed, keys, name, onText, text }: EntryEditorProps) => {
  const json = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLDivElement>(null)
  // One event may change several keys, each after the other.
  const latest = useRef(text)
  latest.current = text
  const { troubles, value } = useMemo(() => EntryJson.read(text), [text])
  // A fault belongs to the text that was sent; what is typed after that does not move it.
  const span = useMemo(() => fault === null ? null : spanOf(text, fault), [fault])
  // A trouble after the first is mostly its echo.
  const own = troubles.slice(0, 1).map(({ length, message, offset }): JsonTrouble => ({
    message,
    from: offset,
    to: offset + length
  }))
  const told = fault === null || span === null || troubles.length > 0 ? [] : [{ ...span, message: fault.message }]
  useEffect(() => {
    const key = fault?.key ?? null
    if (key === null) return
    const field = form.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(fieldId(topKey(key)))}"]`)
    const inside = field?.matches("input, textarea, select") === false ? field.querySelector("input") : field
    if (inside === null || inside === undefined) json.current?.focus()
    else inside.focus()
  }, [fault])
  return (
    <div class="entry-editor">
      <fieldset class="plain-fields" disabled={isFixed} aria-label={words.form}>
        <div ref={form}>
          {value === null
            ? <Notice tone="warn">{troubles.length > 0 ? words.notJson : words.noObject}</Notice>
            : (
              <EntryFields
                keys={keys}
                value={value}
                wrong={fault}
                onChange={(path, next) => {
                  latest.current = EntryJson.change(latest.current, path, next)
                  onText(latest.current)
                }}
              />
            )}
        </div>
      </fieldset>
      <JsonField
        label={words.jsonOf(name)}
        about={words.jsonAbout}
        field={json}
        text={text}
        troubles={[...own, ...told]}
        marked={span}
        isFixed={isFixed}
        onText={onText}
      />
    </div>
  )
}
