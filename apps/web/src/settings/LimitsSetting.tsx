/** How much people may use of models: a row for everyone, admins, a group or a person. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Json } from "../api/Types.ts"
import { limitWords as words } from "../messages/settings/SettingNameMessages.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { suggestions, useKnownPeople } from "../state/people/KnownPeople.ts"
import { Button } from "../ui/Button.tsx"
import { type LimitRow, limitsOf, rowsOf } from "./LimitDraft.ts"

interface LimitsProps {
  readonly value: Json
  readonly isBusy: boolean
  readonly onSave: (value: Json) => void
}

const EMPTY: LimitRow = { who: "", money: "", tokens: "", turns: "" }

const COLUMNS = [
  ["money", words.money, "20 USD a month"],
  ["tokens", words.tokens, "2M a day"],
  ["turns", words.turns, "3"]
] as const

/** The word of the file for all people. */
const EVERYONE = "everyone"

const WHO = "limit-who"

export const LimitsSetting = ({ isBusy, onSave, value }: LimitsProps) => {
  const people = useKnownPeople()
  const before = JSON.stringify(value)
  const rows = useSignal(rowsOf(value))
  useEffect(() => {
    rows.value = rowsOf(JSON.parse(before))
  }, [before])
  const set = (index: number, change: Partial<LimitRow>) =>
    rows.value = rows.value.map((row, at) => at === index ? { ...row, ...change } : row)
  const made = limitsOf(rows.value)
  return (
    <form
      class="setting-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(made)
      }}
    >
      <datalist id={WHO}>
        {[EVERYONE, ...suggestions(people)].map((who) => <option key={who} value={who} />)}
      </datalist>
      {rows.value.length === 0 ? null : (
        <ul class="limits">
          {rows.value.map((row, index) => (
            <li key={index} class="limit-row">
              <label class="field">
                <span class="about">{words.who}</span>
                <input
                  class="input"
                  list={WHO}
                  autocomplete="off"
                  placeholder={EVERYONE}
                  value={row.who}
                  onInput={({ currentTarget }) => set(index, { who: currentTarget.value })}
                />
              </label>
              {COLUMNS.map(([key, label, example]) => (
                <label key={key} class="field">
                  <span class="about">{label}</span>
                  <input
                    class="input"
                    aria-label={words.nth(label, row.who)}
                    autocomplete="off"
                    placeholder={example}
                    value={row[key]}
                    onInput={({ currentTarget }) => set(index, { [key]: currentTarget.value })}
                  />
                </label>
              ))}
              <Button
                kind="plain"
                isSmall
                icon="close"
                label={words.removeOf(row.who)}
                onClick={() => rows.value = rows.value.toSpliced(index, 1)}
              />
            </li>
          ))}
        </ul>
      )}
      {rows.value.length === 0 ? null : <p class="muted">{words.about}</p>}
      <div class="row">
        <Button isSmall icon="plus" onClick={() => rows.value = [...rows.value, EMPTY]}>{words.add}</Button>
        {JSON.stringify(made) === before
          ? null
          : <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
      </div>
    </form>
  )
}
