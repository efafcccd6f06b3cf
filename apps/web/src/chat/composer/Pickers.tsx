/** Who answers: the agent and the model of the chat. */
import { useSignal } from "@preact/signals"
import type { Models, SuggestedModel } from "../../api/Types.ts"
import { agents, models } from "../../state/Catalog.ts"
import { Fact } from "../../state/Panel.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { dollars, short } from "../../ui/Numbers.ts"

interface PickerProps {
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

export const AgentPicker = ({ onChange, value }: PickerProps) => {
  const all = agents.value
  const known = value !== null && !all.some(({ name }) => name === value) ? [value] : []
  if (all.length + known.length === 0) return null
  return (
    <label class="picker">
      <Icon name="agent" />
      <span class="visually-hidden">Agent</span>
      <select value={value ?? all[0]?.name ?? ""} onChange={(event) => onChange(event.currentTarget.value)}>
        {known.map((name) => <option key={name} value={name}>{name} (not there any more)</option>)}
        {all.map(({ description, name }) => (
          <option key={name} value={name} {...(description === null ? {} : { title: description })}>{name}</option>
        ))}
      </select>
    </label>
  )
}

/** What a model is called where there is little room. */
const shortName = (id: string) => id.slice(id.indexOf("/") + 1)

const currentName = (value: string | null, agent: string | null, of: Models | null): string => {
  if (value !== null) return shortName(value)
  const own = agents.value.find(({ name }) => name === agent)?.model ?? (agent === null ? agents.value[0]?.model : null)
  if (own !== null && own !== undefined) return shortName(own)
  if (of === null) return "Model"
  return of.default === null ? "Command mode" : shortName(of.default)
}

const price = (amount: number | null) => amount === null ? "?" : dollars(amount)

const facts = ({ contextTokens, inputPrice, outputPrice }: SuggestedModel): string =>
  [
    ...(contextTokens === null ? [] : [`${short(contextTokens)} tokens`]),
    ...(inputPrice === null && outputPrice === null
      ? []
      : [`${price(inputPrice)} in, ${price(outputPrice)} out per million`])
  ].join(" · ")

const Suggestions = ({ of, onPick, value, word }: {
  readonly of: ReadonlyArray<SuggestedModel>
  readonly word: string
  readonly value: string | null
  readonly onPick: (id: string) => void
}) => {
  const sought = word.trim().toLowerCase()
  const fitting = of.filter(({ id }) => id.toLowerCase().includes(sought))
  // Free text that fits none still leaves the list to look at.
  const shown = fitting.length === 0 || sought === value?.toLowerCase() ? of : fitting
  if (shown.length === 0) return null
  return (
    <ul class="models" aria-label="Models to choose from">
      {shown.map((model) => (
        <li key={model.id}>
          <button type="button" aria-pressed={model.id === value} onClick={() => onPick(model.id)}>
            <span class="model-id">{model.id}</span>
            <span class="muted small">{facts(model)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const ModelDialog = ({ models: of, onChange, onClose, value }: PickerProps & {
  readonly models: Models
  readonly onClose: () => void
}) => {
  const word = useSignal(value ?? "")
  const pick = (id: string | null) => {
    onChange(id)
    onClose()
  }
  return (
    <Dialog title="Model" onClose={onClose}>
      {of.command.active && value === null ? <p>No model is configured, so chats are in command mode.</p> : null}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          pick(word.value.trim() === "" ? null : word.value.trim())
        }}
      >
        <LabelledField
          label="Model of this chat"
          about="PROVIDER/ID. Empty is the agent's own, or else the default one."
        >
          {(props) => (
            <input
              {...props}
              class="input mono"
              data-focus=""
              spellcheck={false}
              placeholder={of.default ?? "openai/gpt-5"}
              value={word.value}
              onInput={(event) => word.value = event.currentTarget.value}
            />
          )}
        </LabelledField>
        <Suggestions
          of={of.models.flatMap(({ suggested }) => suggested)}
          word={word.value}
          value={value}
          onPick={pick}
        />
        <details class="fold" open={of.command.active}>
          <summary>Providers and how to configure them</summary>
          <div class="fold-body">
            <p class="help">{of.command.help}</p>
            <dl class="providers">
              {of.models.map(({ example, missing, provider, ready }) => (
                <Fact key={provider} name={provider}>
                  {ready ? "ready" : missing ?? "not ready"} <code>{example}</code>
                </Fact>
              ))}
            </dl>
          </div>
        </details>
        <footer>
          {value === null ? null : <Button onClick={() => pick(null)}>Use the default</Button>}
          <Button kind="primary" type="submit">Use</Button>
        </footer>
      </form>
    </Dialog>
  )
}

export const ModelPicker = ({ agent, onChange, value }: PickerProps & { readonly agent: string | null }) => {
  const isOpen = useSignal(false)
  const of = models.value
  return (
    <>
      <Button kind="plain" isSmall class="picker" aria-haspopup="dialog" onClick={() => isOpen.value = true}>
        <span class="visually-hidden">Model:{" "}</span>
        <span class="picker-name">{currentName(value, agent, of)}</span>
        <Icon name="down" />
      </Button>
      {isOpen.value && of !== null
        ? <ModelDialog models={of} value={value} onChange={onChange} onClose={() => isOpen.value = false} />
        : null}
    </>
  )
}
