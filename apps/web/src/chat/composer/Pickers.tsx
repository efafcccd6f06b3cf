/** Who answers, with what: the agent and the model of the chat, and the servers there are. */
import type { Models, ServerStatus, SuggestedModel } from "../../api/Types.ts"
import { pickers as words } from "../../messages/ChatMessages.ts"
import { dollars, short } from "../../messages/Numbers.ts"
import { agents, models } from "../../state/Catalog.ts"
import { address, go } from "../../state/Route.ts"
import { GROUPS, serverGroups } from "../../state/ServerGroups.ts"
import { type Pickable, PickerButton } from "../../ui/lists/Picker.tsx"

interface PickerProps {
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

export const AgentPicker = ({ onChange, value }: PickerProps) => {
  const all = agents.value
  const current = value ?? all[0]?.name ?? ""
  const gone = value !== null && !all.some(({ name }) => name === value)
    ? [{ key: value, text: value, about: words.gone, group: "", isChosen: true }]
    : []
  if (all.length + gone.length === 0) return null
  return (
    <PickerButton
      label={words.agent}
      placeholder={words.findAgent}
      value={current}
      options={[
        ...gone,
        ...all.map(({ description, name }): Pickable => ({
          key: name,
          text: name,
          group: "",
          isChosen: name === current,
          ...(description === null ? {} : { about: description })
        }))
      ]}
      onChoose={({ key }) => onChange(key)}
    />
  )
}

/** What a model is called where there is little room. */
export const shortName = (id: string) => id.slice(id.indexOf("/") + 1)

/** The model of an agent that names one, else the default; null is command mode. */
const standard = (agent: string | null, of: Models | null): string | null =>
  (agents.value.find(({ name }) => name === agent) ?? agents.value[0])?.model ?? of?.default ?? null

const price = (amount: number | null) => amount === null ? "?" : dollars(amount)

const facts = ({ contextTokens, inputPrice, outputPrice }: SuggestedModel): string =>
  [
    ...(contextTokens === null ? [] : [words.tokens(short(contextTokens))]),
    ...(inputPrice === null && outputPrice === null ? [] : [words.prices(price(inputPrice), price(outputPrice))])
  ].join(" · ")

const optionsOf = (of: Models, value: string | null, usual: string | null): ReadonlyArray<Pickable> => {
  const known = of.models.flatMap(({ provider, ready, suggested }) =>
    suggested.map((model): Pickable => ({
      key: model.id,
      text: shortName(model.id),
      group: ready ? provider : words.notSetUp(provider),
      meta: facts(model),
      words: model.id,
      isChosen: model.id === value
    }))
  )
  const own = value === null || known.some(({ key }) => key === value)
    ? []
    : [{ key: value, text: value, group: words.another, isChosen: true }]
  const name = usual === null ? words.commandMode : shortName(usual)
  return [{ key: "", text: words.default(name), group: "", isChosen: value === null }, ...own, ...known]
}

const ID = /^[^\s/]+\/\S+$/

export const ModelPicker = ({ agent, onChange, value }: PickerProps & { readonly agent: string | null }) => {
  const of = models.value
  const usual = standard(agent, of)
  const shown = value ?? usual
  if (of === null) return null
  const options = optionsOf(of, value, usual)
  return (
    <PickerButton
      label={words.model}
      placeholder={words.findModel}
      value={shown === null ? words.commandMode : shortName(shown)}
      {...(shown === null ? {} : { title: shown })}
      options={options}
      others={(word) =>
        ID.test(word) && !options.some(({ key }) => key === word)
          ? [{ key: word, text: words.useIt(word), group: words.another }]
          : []}
      onChoose={({ key }) => onChange(key === "" ? null : key)}
      foot={of.command.active && value === null ? <p class="picker-foot">{words.noModel}</p> : null}
    />
  )
}

const serverOption = ({ name, state, tools }: ServerStatus, group: string): Pickable => ({
  key: name,
  text: name,
  group,
  ...(state === "ready" ? { meta: words.toolCount(tools) } : { meta: state.replaceAll("-", " ") })
})

/** The servers as they are; each leads to where it is looked after. */
export const ServersPicker = () => {
  const groups = serverGroups.value
  const options = GROUPS.flatMap((group) =>
    (groups.get(group) ?? []).map((server) => serverOption(server, words.serverGroups[group]))
  )
  if (options.length === 0) return null
  const ready = (groups.get("ready") ?? []).filter(({ state }) => state === "ready").length
  return (
    <span class="picker-servers">
      <PickerButton
        label={words.servers}
        placeholder={words.findServer}
        value={words.serverCount(ready)}
        options={options}
        onChoose={({ key }) => go("servers", [key])}
        foot={
          <p class="picker-foot">
            <a href={address("servers")}>{words.allServers}</a>
          </p>
        }
      />
    </span>
  )
}
