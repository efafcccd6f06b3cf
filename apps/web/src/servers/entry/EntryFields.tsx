/** An entry as a form: a field for each key that its kind of server has. Those that say nothing are folded away. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { EntryKey, Json, JsonObject } from "../../api/Types.ts"
import { AudienceField } from "../../forms/AudienceField.tsx"
import { isObject } from "../../forms/SchemaReading.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { hasPeople } from "../../state/people/Me.ts"
import { Button } from "../../ui/Button.tsx"
import { Fold } from "../../ui/Fold.tsx"
import { type Bound, LabelledField } from "../../ui/forms/LabelledField.tsx"

export interface WrongEntry {
  /** Such as `args[1]`; null where it is no key. */
  readonly key: string | null
  readonly message: string
}

interface EntryFieldsProps {
  readonly keys: ReadonlyArray<EntryKey>
  readonly value: JsonObject
  readonly wrong: WrongEntry | null
  /** Undefined takes the key away. */
  readonly onChange: (path: ReadonlyArray<string | number>, value: Json | undefined) => void
}

/** The fields of every server of a transport, whether they are set or not. */
const MAIN: ReadonlySet<string> = new Set(["command", "args", "env", "url", "headers", "ask"])

/** The key of the entry that a place such as `headers.Authorization` is in. */
export const topKey = (key: string): string => key.replace(/[[.].*/s, "")

export const EntryFields = ({ keys, onChange, value, wrong }: EntryFieldsProps) => {
  const transport = Object.hasOwn(value, "url") ? "http" : "stdio"
  const fitting = keys.filter((key) => key.transport === null || key.transport === transport)
  const wrongKey = wrong === null || wrong.key === null ? null : topKey(wrong.key)
  const isShown = ({ key }: EntryKey) =>
    MAIN.has(key) || key === "for" && hasPeople.value || Object.hasOwn(value, key) || key === wrongKey
  const [shown, others] = [fitting.filter(isShown), fitting.filter((key) => !isShown(key))]
  const field = (key: EntryKey) => (
    <EntryField
      key={key.key}
      of={key}
      value={value[key.key]}
      wrong={key.key === wrongKey ? wrong?.message ?? null : null}
      onChange={onChange}
    />
  )
  return (
    <div class="stack entry-fields">
      {shown.map(field)}
      {others.length === 0 ? null : (
        <Fold
          summary={words.more(others.length)}
          inside={() => <div class="stack">{others.map(field)}</div>}
        />
      )}
    </div>
  )
}

interface EntryFieldProps {
  readonly of: EntryKey
  readonly value: Json | undefined
  readonly wrong: string | null
  readonly onChange: EntryFieldsProps["onChange"]
}

export const fieldId = (key: string) => `entry-${key}`

const EntryField = ({ of, onChange, value, wrong }: EntryFieldProps) => {
  const set = (next: Json | undefined) => onChange([of.key], next)
  if (of.key === "for" && (value === undefined || typeof value === "string" || isList(value))) {
    const words = value === undefined ? [] : typeof value === "string" ? [value] : value
    return (
      <div data-entry={fieldId(of.key)}>
        <AudienceField
          value={words}
          wrong={wrong}
          onChange={(next) => set(next.length === 0 ? undefined : next)}
        />
      </div>
    )
  }
  if (of.type === "map" && (value === undefined || isTexts(value))) {
    return <MapField of={of} value={value ?? {}} wrong={wrong} onChange={onChange} />
  }
  return (
    <LabelledField label={of.key} about={of.about} wrong={wrong}>
      {(bind) => control(of, value, { ...bind, "data-entry": fieldId(of.key) }, set)}
    </LabelledField>
  )
}

const isTexts = (value: Json): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every((each) => typeof each === "string")

const isList = (value: Json | undefined): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && !each.includes("\n"))

interface Binding extends Bound {
  readonly "data-entry": string
}

const control = (
  { choices, type }: EntryKey,
  value: Json | undefined,
  bind: Binding,
  set: (next: Json | undefined) => void
) => {
  if (type === "flag" && (value === undefined || typeof value === "boolean")) {
    return (
      <select
        {...bind}
        class="input"
        value={value === undefined ? "" : String(value)}
        onChange={({ currentTarget }) => set(currentTarget.value === "" ? undefined : currentTarget.value === "true")}
      >
        <option value="">{words.unset}</option>
        <option value="true">{words.yes}</option>
        <option value="false">{words.no}</option>
      </select>
    )
  }
  if (type === "choice" && (value === undefined || typeof value === "string")) {
    const known = choices ?? []
    const odd = value === undefined || known.includes(value) ? [] : [value]
    return (
      <select
        {...bind}
        class="input"
        value={value ?? ""}
        onChange={({ currentTarget }) => set(currentTarget.value === "" ? undefined : currentTarget.value)}
      >
        <option value="">{words.unset}</option>
        {[...odd, ...known].map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
    )
  }
  // A text in the place of a list becomes one as soon as it is changed.
  const lines = type === "texts" ? value === undefined ? [] : typeof value === "string" ? [value] : value : undefined
  if (isList(lines)) {
    return <LinesInput bind={bind} value={lines} onLines={(next) => set(next.length === 0 ? undefined : next)} />
  }
  const isNumber = type === "count" || type === "duration"
  if (value === undefined || typeof value === "string" || typeof value === "number") {
    return (
      <input
        {...bind}
        class="input mono"
        autocomplete="off"
        spellcheck={false}
        value={value ?? ""}
        onInput={({ currentTarget: { value: typed } }) =>
          set(typed === "" ? undefined : isNumber && /^\d+$/.test(typed) ? Number(typed) : typed)}
      />
    )
  }
  return <span id={bind.id} class="muted">{words.inJson}</span>
}

interface LinesInputProps {
  readonly bind: Binding
  readonly value: ReadonlyArray<string>
  readonly onLines: (lines: ReadonlyArray<string>) => void
}

/** Lines as they are typed: an empty last one is none yet. */
const LinesInput = ({ bind, onLines, value }: LinesInputProps) => {
  const typed = useSignal(value.join("\n"))
  const lines = (text: string) => text.split("\n").map((line) => line.replace(/\r$/, "")).filter((line) => line !== "")
  const said = value.join("\n")
  useEffect(() => {
    if (lines(typed.value).join("\n") !== said) typed.value = said
  }, [said])
  return (
    <textarea
      {...bind}
      class="input mono"
      rows={Math.min(8, Math.max(2, value.length + 1))}
      spellcheck={false}
      placeholder={words.lines}
      value={typed.value}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value
        onLines(lines(currentTarget.value))
      }}
    />
  )
}

interface MapFieldProps extends Omit<EntryFieldProps, "value"> {
  readonly value: Readonly<Record<string, string>>
}

const kept = (rows: ReadonlyArray<Row>) => Object.fromEntries(rows.filter(([key]) => key.trim() !== ""))

/** Rows as they are typed; one without a name is none yet. */
const MapField = ({ of: { about, key }, onChange, value, wrong }: MapFieldProps) => {
  const rows = useSignal<ReadonlyArray<Row>>(Object.entries(value))
  const said = JSON.stringify(value)
  useEffect(() => {
    if (JSON.stringify(kept(rows.value)) !== said) rows.value = Object.entries(value)
  }, [said])
  const change = (next: ReadonlyArray<Row>) => {
    rows.value = next
    const now = kept(next)
    // One at a time, so that comments beside the others stay.
    for (const name of Object.keys(value)) if (!Object.hasOwn(now, name)) onChange([key, name], undefined)
    for (const [name, text] of Object.entries(now)) if (value[name] !== text) onChange([key, name], text)
  }
  return (
    <div data-entry={fieldId(key)}>
      <KeyValueRows
        legend={key}
        about={about}
        noun={key === "headers" ? words.map.header : words.map.noun}
        rows={rows.value}
        onChange={change}
      />
      {wrong === null ? null : <span class="wrong" role="alert">{wrong}</span>}
    </div>
  )
}

type Row = readonly [key: string, value: string]

interface KeyValueRowsProps {
  readonly legend: string
  readonly about?: string
  /** The noun for one name: "Header". */
  readonly noun: string
  readonly rows: ReadonlyArray<Row>
  readonly onChange: (rows: ReadonlyArray<Row>) => void
}

const EMPTY: Row = ["", ""]

const KeyValueRows = ({ about, legend, noun, onChange, rows }: KeyValueRowsProps) => {
  const all = [...rows, EMPTY]
  const set = (index: number, row: Row) =>
    onChange(all.with(index, row).filter(([key, value]) => key !== "" || value !== ""))
  return (
    <fieldset class="rows">
      <legend>{legend}</legend>
      {about === undefined ? null : <p class="muted">{about}</p>}
      {all.map(([key, value], index) => (
        <div class="rows-row" key={index}>
          <input
            class="input mono"
            aria-label={texts.nthName(noun, index + 1)}
            placeholder={texts.nameHint}
            value={key}
            onInput={(event) => set(index, [event.currentTarget.value, value])}
          />
          <input
            class="input mono"
            aria-label={texts.nthValue(noun, index + 1)}
            placeholder={texts.valueHint}
            value={value}
            onInput={(event) => set(index, [key, event.currentTarget.value])}
          />
          <Button
            kind="plain"
            isSmall
            icon="close"
            label={texts.removeNth(noun, index + 1)}
            disabled={index === rows.length}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
    </fieldset>
  )
}
