/** The entry of a server, edited: opened at the key that is wrong, tried before it is saved, live at once. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { NameUsesList, useCarrying } from "../../agents/NameUsesList.tsx"
import { inOneLine, Problem, type Refusal, words as wordsOf } from "../../api/Client.ts"
import type { EntryTrial, ServerEntry, ServerStatus } from "../../api/Types.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { go } from "../../state/Route.ts"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { asTyped } from "../../ui/code/ShownCommand.ts"
import { TextField } from "../../ui/forms/TextField.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { applied } from "./Applied.ts"
import { getEntry, putEntry, tryEntry } from "./EntriesClient.ts"
import { EntryEditor, type EntryFault } from "./EntryEditor.tsx"
import * as EntryJson from "./EntryJson.ts"
import { withoutPlace, wrongKey } from "./Obstacle.ts"
import { TrialView } from "./TrialView.tsx"
import "./entry.css"

const faultOf = (status: ServerStatus): EntryFault | null => {
  const key = wrongKey(status)
  if (key === null || status.error === null) return null
  const { hint, message } = status.error
  return { key, message: inOneLine({ message: withoutPlace(message), hint }), line: null, column: null }
}

export const EditServer = ({ status }: { readonly status: ServerStatus }) => {
  const { name } = status
  const entry = useSignal<ServerEntry | null>(null)
  const refused = useSignal<Refusal | null>(null)
  const load = () =>
    getEntry(name).then((found) => {
      entry.value = found
    }, (error) => {
      refused.value = wordsOf(error)
    })
  useEffect(() => void load(), [name])
  if (entry.value === null) {
    return refused.value === null ? <Spinner label={words.loading} /> : <Refused why={refused.value} />
  }
  return <EntryForm key={entry.value.seen} entry={entry.value} fault={faultOf(status)} onReload={() => void load()} />
}

interface EntryFormProps {
  readonly entry: ServerEntry
  readonly fault: EntryFault | null
  /** Shows the entry as it is now, in place of what was changed here. */
  readonly onReload: () => void
}

const EntryForm = ({ entry: shown, onReload, ...begin }: EntryFormProps) => {
  const { editable, file, keys, line, name, seen, text: written, why } = shown
  const text = useSignal(EntryJson.outdented(written ?? ""))
  const called = useSignal(name)
  const fault = useSignal(begin.fault)
  const command = useSignal<string | null>(null)
  const isStale = useSignal(false)
  const trial = useSignal<EntryTrial | null>(null)
  const attempt = useAttempt()
  const carrying = useCarrying("server", name, called.value)
  if (written === null) {
    return (
      <>
        <Notice tone="warn" hint={why}>{words.fixed}</Notice>
        <p class="muted">{words.place(file, line)}</p>
      </>
    )
  }
  /** A problem with a key or a place of the text stands there, everything else below. */
  const run = (request: () => Promise<void>) => {
    trial.value = null
    fault.value = null
    command.value = null
    isStale.value = false
    return attempt.run(() =>
      request().catch((error) => {
        if (error instanceof Problem && (error.key !== null || error.line !== null)) {
          const { hint, message } = error
          const told = inOneLine({ message: withoutPlace(message), hint })
          fault.value = { key: error.key, line: error.line, column: error.column, message: told }
          return
        }
        if (error instanceof Problem && error.state === "changed") {
          isStale.value = true
          return
        }
        if (error instanceof Problem) command.value = error.command
        throw error
      })
    )
  }
  const save = () =>
    run(async () => {
      const newName = called.value.trim()
      const isRenamed = newName !== name && newName !== ""
      const change = { text: text.value, ...(isRenamed ? { newName } : {}), ...(seen === null ? {} : { seen }) }
      await applied(isRenamed ? newName : name, putEntry(name, change))
      await carrying?.carry()
      tell({ text: words.saved(newName) })
      go("servers", [newName])
    })
  const tryIt = () =>
    run(async () => {
      trial.value = await tryEntry(name, { text: text.value })
    })
  const { isBusy, refused } = attempt
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy.value) void save()
      }}
    >
      <p class="muted">{words.place(file, line)}</p>
      {editable ? null : <Notice tone="warn" hint={why}>{words.fixed}</Notice>}
      {editable
        ? (
          <div class="entry-name">
            <TextField label={words.name} about={words.nameAbout} value={called} required autocomplete="off" />
          </div>
        )
        : null}
      {carrying === null ? null : <NameUsesList {...carrying} />}
      <EntryEditor
        name={name}
        keys={keys}
        text={text.value}
        fault={fault.value}
        isFixed={!editable}
        onText={(next) => text.value = next}
      />
      {isStale.value
        ? (
          <Notice
            tone="warn"
            isUrgent
            hint={words.staleHint}
            action={<Button isSmall onClick={onReload}>{words.reload}</Button>}
          >
            {words.stale(file)}
          </Notice>
        )
        : null}
      <Refused why={refused.value} />
      {command.value === null ? null : (
        <>
          <p>{words.command}</p>
          <CodeBlock code={asTyped(command.value)} isWrapped label={words.commandLabel} />
        </>
      )}
      {trial.value === null ? null : <TrialView name={name} trial={trial.value} />}
      {editable
        ? (
          <footer class="row end entry-foot">
            {isBusy.value ? <Spinner label={words.trying} /> : null}
            <Button disabled={isBusy.value} onClick={() => void tryIt()}>{words.try}</Button>
            <Button kind="primary" type="submit" disabled={isBusy.value}>{words.save}</Button>
          </footer>
        )
        : null}
    </form>
  )
}
