/** Which calls a yes for more than one of them holds for: one of the rules that are offered, or conditions of one's own. */
import { useSignal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import type { ApprovalPart, JsonObject, Where } from "../../api/Types.ts"
import { approval as words } from "../../messages/ApprovalMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { fromText, toText, whereWords } from "./WhereWords.ts"

/** The choice; conditions that cannot be read have none. */
export type Scope = { readonly where: Where | null } | null

interface ApprovalScopeProps {
  readonly approval: ApprovalPart
  readonly isBusy: boolean
  readonly onScope: (scope: Scope) => void
}

/** One condition while it is typed. */
interface Typed {
  readonly name: string
  readonly text: string
}

const typedOf = (where: Where): ReadonlyArray<Typed> =>
  Object.entries(where).map(([name, wanted]) => ({ name, text: toText(wanted) }))

const scopeOf = (typed: ReadonlyArray<Typed>): Scope => {
  const read = typed.map(({ name, text }) => [name, fromText(text)] as const)
  const known = read.flatMap(([name, wanted]) => wanted === undefined ? [] : [[name, wanted] as const])
  if (known.length < read.length) return null
  return { where: known.length === 0 ? null : Object.fromEntries(known) }
}

interface ConditionsProps {
  readonly args: JsonObject
  readonly typed: ReadonlyArray<Typed>
  readonly onTyped: (typed: ReadonlyArray<Typed>) => void
  readonly onDone: () => void
}

const Conditions = ({ args, onDone, onTyped, typed }: ConditionsProps) => {
  const box = useRef<HTMLFieldSetElement>(null)
  const others = Object.keys(args).filter((key) => !typed.some(({ name }) => name === key))
  useEffect(() => box.current?.querySelector<HTMLElement>("input, select")?.focus(), [])
  return (
    <fieldset
      ref={box}
      class="plain-fields scope-conditions"
      aria-label={words.conditions}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return
        event.stopPropagation()
        event.preventDefault()
        onDone()
      }}
    >
      <p class="muted small">{words.conditionsAbout}</p>
      {typed.map(({ name, text }) => (
        <div class="scope-condition" key={name}>
          <LabelledField
            label={words.condition(name)}
            wrong={fromText(text) === undefined ? words.notCondition : null}
          >
            {(bind) => (
              <input
                {...bind}
                class="input mono"
                spellcheck={false}
                autocapitalize="off"
                value={text}
                onInput={({ currentTarget: { value } }) =>
                  onTyped(typed.map((one) => one.name === name ? { name, text: value } : one))}
              />
            )}
          </LabelledField>
          <Button
            kind="plain"
            icon="close"
            label={words.remove(name)}
            onClick={() => onTyped(typed.filter((one) => one.name !== name))}
          />
        </div>
      ))}
      <div class="row">
        {others.length === 0 ? null : (
          <select
            class="input short"
            aria-label={words.add}
            value=""
            onChange={({ currentTarget }) => {
              const name = currentTarget.value
              currentTarget.value = ""
              onTyped([...typed, { name, text: toText(args[name]) }])
            }}
          >
            <option value="" disabled>{words.add} …</option>
            {others.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        )}
        <Button isSmall onClick={onDone}>{words.done}</Button>
      </div>
    </fieldset>
  )
}

/** The key of conditions that a person wrote, among the places of those that are offered. */
const OWN = "own"

export const ApprovalScope = ({ approval, isBusy, onScope }: ApprovalScopeProps) => {
  const { args, name, suggestions = [] } = approval
  const id = useId()
  const chosen = useSignal("0")
  const typed = useSignal<ReadonlyArray<Typed>>([])
  const isChanging = useSignal(false)
  const own = scopeOf(typed.value)
  const scope = chosen.value === OWN ? own : { where: suggestions[Number(chosen.value)]?.where ?? null }
  useEffect(() => onScope(scope), [chosen.value, typed.value])
  const change = () => {
    if (chosen.value !== OWN) typed.value = typedOf(suggestions[Number(chosen.value)]?.where ?? {})
    isChanging.value = true
  }
  const ownWords = own === null || own.where === null
    ? words.every(name)
    : words.everyWhere(name, whereWords(own.where))
  const wordsOf = ({ text, where }: typeof suggestions[number]) => where === null ? words.every(name) : text
  const chosenWords = chosen.value === OWN ? ownWords : suggestions.slice(Number(chosen.value)).map(wordsOf)[0]
  return (
    <div class="scope">
      <div class="row">
        <label class="muted" for={id} title={words.longerAbout}>{words.longer}</label>
        <select
          id={id}
          class="input grow"
          disabled={isBusy}
          value={chosen.value}
          onChange={({ currentTarget: { value } }) => {
            chosen.value = value
            isChanging.value = false
          }}
        >
          {suggestions.map((each, at) => <option key={each.text} value={at}>{wordsOf(each)}</option>)}
          {chosen.value === OWN ? <option value={OWN}>{own === null ? words.own : ownWords}</option> : null}
        </select>
        {isChanging.value ? null : <Button kind="plain" isSmall onClick={change}>{words.change}</Button>}
      </div>
      <p class="scope-whole" aria-hidden="true">{chosenWords}</p>
      {isChanging.value
        ? (
          <Conditions
            args={args}
            typed={typed.value}
            onTyped={(next) => {
              typed.value = next
              chosen.value = OWN
            }}
            onDone={() => {
              if (scope === null) chosen.value = "0"
              isChanging.value = false
            }}
          />
        )
        : null}
    </div>
  )
}
