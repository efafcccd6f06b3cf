/** The file of permissions as text, and a form that adds a rule to it: what is wrong in it stands at its place, and its examples are run before it is saved. */
import { useSignal } from "@preact/signals"
import { useMemo, useRef, useState } from "preact/hooks"
import { inOneLine, Problem } from "../api/Client.ts"
import type { FailedExample, JsonObject, Permissions } from "../api/Types.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import * as EntryJson from "../servers/entry/EntryJson.ts"
import { JsonField, type JsonTrouble } from "../servers/entry/JsonField.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { tell } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { FailedExamples } from "./FailedExamples.tsx"
import { savePermissions } from "./PermissionsClient.ts"
import { RuleForm } from "./RuleForm.tsx"

interface RulesEditorProps {
  /** Null where there is no file. */
  readonly text: string | null
  /** Stands for the file as it is known now, so that a save replaces no other. */
  readonly seen: string | null
  /** The place that is marked at first; null for none. */
  readonly line: number | null
  readonly onSaved: (permissions: Permissions) => void
  readonly onClose: () => void
}

/** The place stands before it already. */
const withoutPlace = (message: string): string => message.replace(/^.*?:\d+:\d+: /, "")

/** Where the server's words belong, if they belong to a place of the text. */
const troubleOf = (text: string, error: Problem): JsonTrouble | null => {
  const { column, hint, key, line, message } = error
  const span = line !== null
    ? EntryJson.spanAt(text, line, column ?? 1)
    : key === null
    ? null
    : EntryJson.spanOf(text, key)
  return span === null ? null : { ...span, message: inOneLine({ hint, message: withoutPlace(message) }) }
}

export const RulesEditor = ({ line, onClose, onSaved, seen, text: before }: RulesEditorProps) => {
  const text = useSignal(before ?? words.begin)
  const fault = useSignal<JsonTrouble | null>(null)
  const failed = useSignal<ReadonlyArray<FailedExample>>([])
  const added = useSignal<EntryJson.Span | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const { isBusy, refused, run } = useAttempt()
  const { troubles } = useMemo(() => EntryJson.read(text.value), [text.value])
  // A trouble after the first is mostly its echo.
  const own = troubles.slice(0, 1).map(({ length, message, offset }) => ({
    message,
    from: offset,
    to: offset + length
  }))
  const begin = useMemo(() => line === null ? null : EntryJson.spanAt(text.peek(), line, 1), [line])
  const [loaded, setLoaded] = useState(before)
  const takeAnew = () => {
    text.value = before ?? words.begin
    fault.value = null
    failed.value = []
    setLoaded(before)
  }
  const add = (rule: JsonObject) => {
    const rules = EntryJson.read(text.value).value?.["rules"]
    const index = Array.isArray(rules) ? rules.length : 0
    text.value = EntryJson.change(text.value, ["rules", index], rule)
    added.value = EntryJson.spanOf(text.value, `rules[${index}]`)
  }
  const save = (isForced: boolean) =>
    run(async () => {
      fault.value = null
      failed.value = []
      const saved = await savePermissions(text.value, seen, isForced).catch((error) => {
        if (!(error instanceof Problem)) throw error
        failed.value = error.failed
        if (error.failed.length > 0) return null
        fault.value = troubleOf(text.value, error)
        if (fault.value === null) throw error
        return null
      })
      if (saved === null) return
      tell({ text: words.saved })
      onSaved(saved)
    })
  return (
    <div class="stack">
      <RuleForm isPossible={troubles.length === 0} onAdd={add} />
      {loaded === before ? null : (
        <Notice
          tone="warn"
          isUrgent
          action={<Button isSmall onClick={takeAnew}>{words.reload}</Button>}
        >
          {words.changedMeanwhile}
        </Notice>
      )}
      <form
        class="stack"
        aria-label={words.file}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void save(false)
        }}
      >
        <JsonField
          label={words.fileText}
          about={words.fileAbout}
          field={field}
          text={text.value}
          troubles={own.length > 0 || fault.value === null ? own : [fault.value]}
          marked={fault.value ?? added.value ?? begin}
          isFixed={false}
          onText={(next) => {
            text.value = next
            added.value = null
            fault.value = null
            failed.value = []
          }}
        />
        <Refused why={refused.value} />
        <FailedExamples examples={failed.value} />
        <footer class="row end">
          {isBusy.value ? <Spinner label={words.saving} /> : null}
          <Button onClick={onClose}>{words.cancel}</Button>
          {failed.value.length === 0
            ? null
            : <Button disabled={isBusy.value} onClick={() => void save(true)}>{words.saveAnyway}</Button>}
          <Button kind="primary" type="submit" disabled={isBusy.value}>{words.save}</Button>
        </footer>
      </form>
    </div>
  )
}
