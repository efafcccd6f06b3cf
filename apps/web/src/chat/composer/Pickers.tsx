/** Chooses who answers: the agent and the model of the chat. */
import type { Models, SuggestedModel } from "../../api/Types.ts"
import { pickers as words } from "../../messages/ChatMessages.ts"
import { dollars, short } from "../../messages/Numbers.ts"
import { agents, models } from "../../state/Catalog.ts"
import { type Pickable, PickerButton } from "../../ui/lists/Picker.tsx"

interface PickerProps {
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

const agentName = (value: string | null) => value ?? agents.value[0]?.name ?? ""

/** How an agent is chosen, behind a button or in the palette. */
export const agentChoice = ({ onChange, value }: PickerProps) => {
  const all = agents.value
  const gone = value !== null && !all.some(({ name }) => name === value)
    ? [{ key: value, text: value, about: words.gone, group: "", isChosen: true }]
    : []
  const known = all.map(({ description, name }): Pickable => ({
    key: name,
    text: name,
    group: "",
    isChosen: name === agentName(value),
    ...(description === null ? {} : { about: description })
  }))
  return {
    label: words.agent,
    placeholder: words.findAgent,
    options: [...gone, ...known],
    onChoose: ({ key }: Pickable) => onChange(key)
  }
}

export const AgentPicker = (props: PickerProps) => {
  const choice = agentChoice(props)
  return choice.options.length === 0 ? null : <PickerButton {...choice} value={agentName(props.value)} />
}

/** The name of a model where there is little room. */
const shortName = (id: string) => id.slice(id.indexOf("/") + 1)

/** The model of an agent that names one, else the default; null is command mode. */
const standard = (agent: string | null, of: Models | null): string | null =>
  (agents.value.find(({ name }) => name === agent) ?? agents.value[0])?.model ?? of?.default ?? null

const price = (amount: number | null) => amount === null ? "?" : dollars(amount)

const facts = ({ contextTokens, inputPrice, outputPrice, seesImages }: SuggestedModel): string =>
  [
    ...(contextTokens === null ? [] : [words.tokens(short(contextTokens))]),
    ...(inputPrice === null && outputPrice === null ? [] : [words.prices(price(inputPrice), price(outputPrice))]),
    ...(seesImages === true ? [words.pictures] : [])
  ].join(" · ")

/** So many stand first, as the last used. */
const LAST_USED = 3

const byGroup = (options: ReadonlyArray<Pickable>): ReadonlyArray<Pickable> => [
  ...options.filter(({ group }) => group === words.lastUsed),
  ...options.filter(({ group }) => group !== words.lastUsed)
]

/** Every model to choose from; the first option, whose key is empty, leaves it to others and is called `none`. */
export const modelOptions = (of: Models, value: string | null, none: string): ReadonlyArray<Pickable> => {
  const last = of.models.filter(({ ready }) => ready).flatMap(({ suggested }) => suggested)
    .filter(({ used }) => used !== null)
    .toSorted((one, other) => (one.used ?? "") < (other.used ?? "") ? 1 : -1).slice(0, LAST_USED)
  const known = of.models.flatMap(({ provider, ready, suggested }) =>
    suggested.map((model): Pickable => ({
      key: model.id,
      text: shortName(model.id),
      group: last.includes(model) ? words.lastUsed : ready ? provider : words.notSetUp(provider),
      meta: facts(model),
      words: model.id,
      isChosen: model.id === value
    }))
  )
  const own = value === null || known.some(({ key }) => key === value)
    ? []
    : [{ key: value, text: value, group: words.another, isChosen: true }]
  return [{ key: "", text: none, group: "", isChosen: value === null }, ...own, ...byGroup(known)]
}

const ID = /^[^\s/]+\/\S+$/

/** The typed text, where it can be the id of a model that no provider lists. */
export const unlistedModel = (options: ReadonlyArray<Pickable>) => (word: string): ReadonlyArray<Pickable> =>
  ID.test(word) && !options.some(({ key }) => key === word)
    ? [{ key: word, text: words.useIt(word), group: words.another }]
    : []

interface ModelPickerProps extends PickerProps {
  readonly agent: string | null
}

/** How a model is chosen, behind a button or in the palette; null until the models are known. */
export const modelChoice = ({ agent, onChange, value }: ModelPickerProps) => {
  const of = models.value
  if (of === null) return null
  const usual = standard(agent, of)
  const options = modelOptions(of, value, words.default(usual === null ? words.commandMode : shortName(usual)))
  return {
    label: words.model,
    placeholder: words.findModel,
    options,
    others: unlistedModel(options),
    onChoose: ({ key }: Pickable) => onChange(key === "" ? null : key),
    foot: of.command.active && value === null ? <p class="picker-foot">{words.noModel}</p> : null
  }
}

export const ModelPicker = (props: ModelPickerProps) => {
  const choice = modelChoice(props)
  const shown = props.value ?? standard(props.agent, models.value)
  return choice === null ? null : (
    <PickerButton
      {...choice}
      value={shown === null ? words.commandMode : shortName(shown)}
      {...(shown === null ? {} : { title: shown })}
    />
  )
}
