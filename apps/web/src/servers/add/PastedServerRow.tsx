/** One server of what was pasted: its name, what will be written, warnings, and a trial. */
import { useSignal } from "@preact/signals"
import type { EntryTrial, JsonObject, PastedServer } from "../../api/Types.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { asTyped } from "../../ui/code/ShownCommand.ts"
import { Fold } from "../../ui/Fold.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { tryEntry } from "../entry/EntriesClient.ts"
import { TrialView } from "../entry/TrialView.tsx"
import { withSplit } from "./SplitArgument.ts"

export interface Wanted {
  readonly of: PastedServer
  readonly name: string
  readonly entry: JsonObject
  readonly isWanted: boolean
  /** Why the server did not take it. */
  readonly wrong: string | null
  /** The command line that adds it on the machine itself, where that is what is left. */
  readonly command: string | null
}

export const isTaken = ({ name, of }: Pick<Wanted, "name" | "of">): boolean => of.taken && name.trim() === of.name

interface PastedServerRowProps {
  readonly wanted: Wanted
  readonly isOneOfMany: boolean
  readonly onChange: (change: Partial<Wanted>) => void
}

export const PastedServerRow = ({ isOneOfMany, onChange, wanted }: PastedServerRowProps) => {
  const { entry, isWanted, name, of, wrong } = wanted
  const trial = useSignal<EntryTrial | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const tryIt = () =>
    run(async () => {
      trial.value = null
      trial.value = await tryEntry(name.trim() === "" ? of.name : name.trim(), { entry })
    })
  const isChanged = entry !== of.entry
  return (
    <li class="stack pasted" aria-label={of.name}>
      {isOneOfMany
        ? (
          <label class="row">
            <input
              type="checkbox"
              checked={isWanted}
              disabled={of.refused !== null}
              onChange={({ currentTarget }) => onChange({ isWanted: currentTarget.checked })}
            />
            {words.add.wants(of.name)}
          </label>
        )
        : null}
      {of.refused === null ? null : <Notice tone="bad" hint={of.refused.hint}>{of.refused.message}</Notice>}
      {of.refused !== null || !isWanted ? null : (
        <>
          <div class="pasted-name">
            <LabelledField
              label={words.add.nameOf(of.name)}
              wrong={wrong ?? (name.trim() === "" ? words.add.noName : isTaken(wanted) ? words.add.isTaken : null)}
            >
              {(bind) => (
                <input
                  {...bind}
                  class="input"
                  autocomplete="off"
                  value={name}
                  onInput={({ currentTarget: { value } }) => onChange({ name: value, wrong: null, command: null })}
                />
              )}
            </LabelledField>
          </div>
          {(isChanged ? [] : of.warnings).map(({ hint, key, message }) => {
            const split = key === null ? null : withSplit(entry, key)
            return (
              <Notice
                key={`${key} ${message}`}
                tone="warn"
                hint={hint}
                {...(split === null ? {} : {
                  action: <Button isSmall onClick={() => onChange({ entry: split })}>{words.add.split}</Button>
                })}
              >
                {message}
              </Notice>
            )
          })}
          {wanted.command === null ? null : (
            <>
              <p>{words.command}</p>
              <CodeBlock code={asTyped(wanted.command)} isWrapped label={words.commandLabel} />
            </>
          )}
          <Fold
            summary={words.add.asJson}
            inside={() => (
              <CodeBlock
                code={isChanged ? JSON.stringify(entry, null, 2) : of.text}
                language="json"
                label={words.jsonOf(of.name)}
              />
            )}
          />
          <Refused why={refused.value} />
          {trial.value === null ? null : <TrialView name={of.name} trial={trial.value} />}
          <div class="row">
            <Button
              isSmall
              aria-label={words.tryOf(of.name)}
              disabled={isBusy.value}
              onClick={() => void tryIt()}
            >
              {isBusy.value ? <Spinner label={words.trying} /> : null}
              {words.try}
            </Button>
          </div>
        </>
      )}
    </li>
  )
}
