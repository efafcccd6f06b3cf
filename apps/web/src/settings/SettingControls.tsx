/** The controls of single values: a switch, a choice, a number with its unit, a text, lines, and a secret. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Json, Setting } from "../api/Types.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { Button } from "../ui/Button.tsx"
import { current, examplesOf, linesIn, linesOf, type Options } from "./SettingEditing.ts"
import type { SettingWords } from "./SettingWords.ts"

export interface EditorProps {
  readonly setting: Setting
  readonly words: SettingWords
  readonly isBusy: boolean
  readonly labelledBy: string
  readonly onSave: (value: Json) => void
}

export const Switch = ({ isBusy, labelledBy, onSave, setting }: EditorProps) => {
  const isOn = current(setting) === true
  return (
    <button
      type="button"
      class="toggle"
      role="switch"
      aria-checked={isOn}
      aria-labelledby={labelledBy}
      disabled={isBusy}
      onClick={() => onSave(!isOn)}
    />
  )
}

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

interface ChoiceProps extends Pick<EditorProps, "isBusy" | "labelledBy"> {
  readonly options: Options
  readonly value: Json | undefined
  readonly onChoose: (value: string) => void
}

export const Choice = ({ isBusy, labelledBy, onChoose, options, value }: ChoiceProps) => (
  <select
    class="input setting-choice"
    aria-labelledby={labelledBy}
    disabled={isBusy}
    value={textOf(value)}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
  </select>
)

interface TypedProps extends EditorProps {
  /** The text before anybody typed. */
  readonly before: string
  readonly isNumber?: boolean
  readonly valueOf: (text: string) => Json
}

/** A text that is saved by a button, which is there once it says something else. */
const Typed = ({ before, isBusy, isNumber = false, labelledBy, onSave, setting, valueOf, words }: TypedProps) => {
  const typed = useSignal(before)
  useEffect(() => {
    typed.value = before
  }, [before])
  return (
    <form
      class="row setting-typed"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(valueOf(typed.value.trim()))
      }}
    >
      <input
        class={isNumber ? "input setting-number" : "input setting-text"}
        {...(isNumber ? { inputMode: "numeric" as const } : {})}
        aria-labelledby={labelledBy}
        autocomplete="off"
        spellcheck={false}
        placeholder={examplesOf(setting)[0] ?? ""}
        value={typed.value}
        onInput={({ currentTarget }) => typed.value = currentTarget.value}
      />
      {words.unit === undefined ? null : <span class="muted">{words.unit}</span>}
      {typed.value.trim() === before
        ? null
        : <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
    </form>
  )
}

const amount = (text: string): Json => /^\d+$/.test(text) ? Number(text) : text

export const NumberInput = (props: EditorProps & { readonly isOptional: boolean }) => {
  const value = current(props.setting)
  return (
    <Typed
      {...props}
      isNumber
      before={textOf(value)}
      valueOf={(text) => text === "" && props.isOptional ? null : amount(text)}
    />
  )
}

export const TextInput = (props: EditorProps & { readonly isOptional: boolean }) => {
  const value = current(props.setting)
  return (
    <Typed
      {...props}
      before={typeof value === "string" ? value : ""}
      valueOf={(text) => text === "" && props.isOptional ? null : text}
    />
  )
}

/** When models search for tools, and from how many tokens on. */
export const SearchInput = (props: EditorProps & { readonly options: Options }) => {
  const value = current(props.setting)
  const { mode = "auto", threshold = 0 } = isObject(value) ? value : {}
  return (
    <div class="stack">
      <Choice {...props} value={mode} onChoose={(chosen) => props.onSave({ mode: chosen, threshold })} />
      {mode === "auto"
        ? (
          <Typed
            {...props}
            isNumber
            before={textOf(threshold)}
            valueOf={(text) => ({ mode, threshold: amount(text) })}
          />
        )
        : null}
    </div>
  )
}

/** A secret is never shown. People can set a new one, which others then need. */
export const Secret = ({ isBusy, labelledBy, onSave, setting }: EditorProps) => {
  const typed = useSignal("")
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(typed.value)
        typed.value = ""
      }}
    >
      <span>{setting.value === true ? texts.isSet : texts.isNotSet}</span>
      <input
        class="input setting-secret"
        type="password"
        autocomplete="new-password"
        aria-labelledby={labelledBy}
        placeholder={texts.aNewOne}
        value={typed.value}
        onInput={(event) => typed.value = event.currentTarget.value}
      />
      <Button type="submit" isSmall disabled={isBusy || typed.value === ""}>{texts.save}</Button>
    </form>
  )
}

export const Lines = (
  { inside, isBusy, labelledBy, onSave, setting }: EditorProps & { readonly inside: string | null }
) => {
  const before = linesOf(setting, inside).join("\n")
  const typed = useSignal(before)
  useEffect(() => {
    typed.value = before
  }, [before])
  const lines = linesIn(typed.value)
  return (
    <form
      class="setting-lines"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(inside === null ? lines : { [inside]: lines })
      }}
    >
      <textarea
        class="input mono"
        rows={Math.max(1, lines.length)}
        spellcheck={false}
        aria-labelledby={labelledBy}
        placeholder={texts.oneALine(examplesOf(setting).join(" "))}
        value={typed.value}
        onInput={(event) => typed.value = event.currentTarget.value}
      />
      {lines.join("\n") === before
        ? null
        : <Button type="submit" isSmall kind="primary" disabled={isBusy}>{texts.save}</Button>}
    </form>
  )
}
