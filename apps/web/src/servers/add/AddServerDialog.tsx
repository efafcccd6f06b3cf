/** New servers of whatever is pasted: JSON, a command of another application, a command line, an address. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { inOneLine, Problem, words as wordsOf } from "../../api/Client.ts"
import type { Pasted } from "../../api/Types.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { getJson } from "../../state/Loading.ts"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { applied } from "../entry/Applied.ts"
import { readPasted } from "../entry/EntriesClient.ts"
import { addServer } from "../ServersClient.ts"
import { isTaken, PastedServerRow, type Wanted } from "./PastedServerRow.tsx"
import "../entry/entry.css"

/** So long nothing may be typed before it is read. */
const PAUSE_MILLIS = 150

const wantedOf = ({ servers }: Pasted): ReadonlyArray<Wanted> =>
  servers.map((of) => ({
    of,
    name: of.name,
    entry: of.entry,
    isWanted: of.refused === null,
    wrong: null,
    command: null
  }))

const canBeAdded = (one: Wanted): boolean =>
  one.isWanted && one.of.refused === null && one.name.trim() !== "" && !isTaken(one)

/** Adds a server; gives it back with the reason where it was not added, and null where nothing is left to do. */
const added = (one: Wanted): Promise<Wanted | null> => {
  if (!canBeAdded(one)) return Promise.resolve(one.isWanted ? one : null)
  const name = one.name.trim()
  return applied(name, addServer(name, one.entry)).then(() => null, (error) => ({
    ...one,
    wrong: inOneLine(wordsOf(error)),
    command: error instanceof Problem ? error.command : null
  }))
}

interface AddServerDialogProps {
  readonly onClose: () => void
  readonly onFind: () => void
  readonly onImport: () => void
}

export const AddServerDialog = ({ onClose, onFind, onImport }: AddServerDialogProps) => {
  const text = useSignal("")
  const pasted = useSignal<Pasted | null>(null)
  const wanted = useSignal<ReadonlyArray<Wanted>>([])
  const isBusy = useSignal(false)
  useEffect(() => {
    let isOver = false
    if (text.value.trim() === "") {
      pasted.value = null
      wanted.value = []
      return undefined
    }
    const timer = setTimeout(() =>
      void getJson(readPasted(text.value), (found) => {
        if (isOver) return
        pasted.value = found
        wanted.value = wantedOf(found)
      }), PAUSE_MILLIS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text.value])

  const change = (index: number, to: Partial<Wanted>) => {
    wanted.value = wanted.value.map((one, at) => at === index ? { ...one, ...to } : one)
  }
  const add = async () => {
    isBusy.value = true
    const asked = wanted.value
    const results: Array<Wanted | null> = []
    // One after the other, so that they stand in the file as they were pasted.
    for (const one of asked) results.push(await added(one))
    isBusy.value = false
    const names = asked.filter((one, index) => canBeAdded(one) && results[index] === null).map(({ name }) =>
      name.trim()
    )
    if (names.length > 0) tell({ text: words.add.added(names.join(", ")) })
    wanted.value = results.filter((one) => one !== null)
    if (wanted.value.length > 0) return
    onClose()
  }
  const ready = wanted.value.filter(canBeAdded).length
  return (
    <Dialog title={words.add.title} isWide onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value && ready > 0) void add()
        }}
      >
        <LabelledField label={words.add.field} about={words.add.about}>
          {(bind) => (
            <textarea
              {...bind}
              class="input mono"
              data-focus=""
              rows={6}
              spellcheck={false}
              dir="ltr"
              placeholder={words.add.placeholder}
              value={text.value}
              onInput={({ currentTarget }) => text.value = currentTarget.value}
            />
          )}
        </LabelledField>
        {pasted.value?.problems.map(({ column, hint, line, message }) => (
          <Notice key={`${line} ${column} ${message}`} tone="bad" isUrgent hint={hint}>
            {line === null ? null : <strong>{words.at(line, column ?? 1)}:{" "}</strong>}
            {message}
          </Notice>
        ))}
        {wanted.value.length === 0 ? null : (
          <ul class="stack pasted-list" aria-label={words.add.understood}>
            {wanted.value.map((one, index) => (
              <PastedServerRow
                key={one.of.name}
                wanted={one}
                isOneOfMany={wanted.value.length > 1}
                onChange={(to) => change(index, to)}
              />
            ))}
          </ul>
        )}
        <p class="row">
          <Button isSmall icon="search" onClick={onFind}>{words.add.find}</Button>
          <Button isSmall onClick={onImport}>{words.add.import}</Button>
        </p>
        <footer>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value || ready === 0}>{words.add.add(ready)}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
