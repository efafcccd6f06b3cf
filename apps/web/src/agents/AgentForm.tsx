/** An agent while it is written: its fields, and beside them what its patterns come to. */
import { useSignal } from "@preact/signals"
import { inOneLine, Problem, words as wordsOf } from "../api/Client.ts"
import type { Agent } from "../api/Types.ts"
import { AudienceField } from "../forms/AudienceField.tsx"
import { agent as words } from "../messages/AgentMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { loadAgents, models } from "../state/Catalog.ts"
import { Panel } from "../state/Panel.tsx"
import { hasPeople } from "../state/people/Me.ts"
import { address, go } from "../state/Route.ts"
import { tell } from "../state/Toasts.ts"
import { Button, LinkButton } from "../ui/Button.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Segments } from "../ui/forms/Segments.tsx"
import { type Pickable, PickerButton } from "../ui/lists/Picker.tsx"
import { Notice } from "../ui/Notice.tsx"
import { type AgentDraft, oddNumber, toAgent } from "./AgentDraft.ts"
import { changeAgent, createAgent } from "./AgentsClient.ts"
import { NameUsesList, useCarrying } from "./NameUsesList.tsx"
import { PatternPreview } from "./PatternPreview.tsx"

interface AgentFormProps {
  /** The agent that is changed; null for a new one. */
  readonly agent: Agent | null
  readonly before: AgentDraft
}

type Words = "name" | "description" | "prompt" | "ask" | "steps" | "temperature" | "tools"

export const AgentForm = ({ agent, before }: AgentFormProps) => {
  const draft = useSignal(before)
  const wrong = useSignal<{ readonly key: string; readonly words: string } | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const isFixed = agent?.editable === false
  const carrying = useCarrying("agent", agent?.name ?? "", draft.value.name)
  const change = (to: Partial<AgentDraft>) => {
    draft.value = { ...draft.value, ...to }
    wrong.value = null
  }
  const save = () => {
    const odd = oddNumber(draft.value)
    wrong.value = odd === null ? null : { key: odd, words: words.noNumber }
    if (odd !== null) return Promise.resolve(false)
    return run(async () => {
      const wanted = toAgent(draft.value)
      const saved = await (agent === null ? createAgent(wanted) : changeAgent(agent.name, wanted)).catch((error) => {
        if (!(error instanceof Problem) || error.key === null) throw error
        wrong.value = { key: error.key, words: inOneLine(wordsOf(error)) }
        return null
      })
      if (saved === null) return
      await carrying?.carry()
      loadAgents()
      tell({ text: words.saved(saved.name) })
      go("agents")
    })
  }
  const wrongAt = (key: Words | "model" | "for") =>
    wrong.value !== null && wrong.value.key.replace(/[[.].*/s, "") === key ? wrong.value.words : null
  const input = (key: Exclude<Words, "tools">, label: string, about?: string) => (
    <LabelledField label={label} about={about} wrong={wrongAt(key)}>
      {(bind) => (
        <input
          {...bind}
          class="input"
          autocomplete="off"
          required={key === "name"}
          {...(key === "steps" || key === "temperature" ? { inputmode: "decimal" } : {})}
          value={draft.value[key]}
          onInput={({ currentTarget: { value } }) => change({ [key]: value })}
        />
      )}
    </LabelledField>
  )
  const area = (key: "prompt" | "tools" | "ask", label: string, about: string, rows: number) => (
    <LabelledField label={label} about={about} wrong={wrongAt(key)}>
      {(bind) => (
        <textarea
          {...bind}
          class={key === "prompt" ? "input" : "input mono"}
          rows={rows}
          spellcheck={key === "prompt"}
          value={draft.value[key] ?? ""}
          onInput={({ currentTarget: { value } }) => change({ [key]: value })}
        />
      )}
    </LabelledField>
  )
  const { code, tools } = draft.value
  return (
    <Panel
      title={agent === null ? words.newTitle : words.editTitle(agent.name)}
      actions={<LinkButton href={address("agents")} icon="left" isSmall>{words.all}</LinkButton>}
    >
      {agent !== null && agent.why !== null ? <Notice tone="warn">{agent.why}</Notice> : null}
      <div class="agent-editor">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (!isBusy.value) void save()
          }}
        >
          <fieldset class="stack plain-fields" disabled={isFixed}>
            {input("name", words.name)}
            {carrying === null ? null : <NameUsesList {...carrying} />}
            {input("description", words.description, words.descriptionAbout)}
            {area("prompt", words.prompt, words.promptAbout, 9)}
            <ModelField value={draft.value.model} wrong={wrongAt("model")} onChange={(model) => change({ model })} />
            <div class="field">
              <span class="label">{words.tools}</span>
              <Segments
                label={words.tools}
                options={[["all", words.allTools], ["some", words.someTools]] as const}
                value={tools === null ? "all" : "some"}
                onChange={(to) => change({ tools: to === "all" ? null : before.tools ?? "*" })}
              />
            </div>
            {tools === null ? null : area("tools", words.patterns, words.patternsAbout, 4)}
            {area("ask", words.ask, words.askAbout, 2)}
            <div class="field">
              <span class="label">{words.code}</span>
              <Segments
                label={words.code}
                options={[["settings", words.codeSettings], ["on", words.codeOn], ["off", words.codeOff]] as const}
                value={code === null ? "settings" : code ? "on" : "off"}
                onChange={(to) => change({ code: to === "settings" ? null : to === "on" })}
              />
              <span class="about">{words.codeAbout}</span>
            </div>
            {hasPeople.value || draft.value.for.length > 0
              ? (
                <AudienceField
                  value={draft.value.for}
                  wrong={wrongAt("for")}
                  isFixed={isFixed}
                  onChange={(audience) => change({ for: audience })}
                />
              )
              : null}
            <div class="two">
              {input("steps", words.steps, words.stepsAbout)}
              {input("temperature", words.temperature, words.temperatureAbout)}
            </div>
          </fieldset>
          {wrong.value !== null && !KEYS.has(wrong.value.key.replace(/[[.].*/s, ""))
            ? <Notice tone="bad" isUrgent>{wrong.value.words}</Notice>
            : null}
          <Refused why={refused.value} />
          {isFixed ? null : (
            <footer class="row end">
              <LinkButton href={address("agents")}>{words.cancel}</LinkButton>
              <Button kind="primary" type="submit" disabled={isBusy.value}>
                {agent === null ? words.create : words.save}
              </Button>
            </footer>
          )}
        </form>
        <PatternPreview draft={draft.value} isFixed={isFixed} onChange={change} />
      </div>
    </Panel>
  )
}

/** The keys with a field that can show its problem. */
const KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "prompt",
  "tools",
  "ask",
  "for",
  "model",
  "steps",
  "temperature"
])

interface ModelFieldProps {
  readonly value: string | null
  readonly wrong: string | null
  readonly onChange: (model: string | null) => void
}

const ModelField = ({ onChange, value, wrong }: ModelFieldProps) => {
  const listed = (models.value?.models ?? []).flatMap(({ provider, suggested }) =>
    suggested.map(({ id }): Pickable => ({ key: id, text: id, group: provider, isChosen: id === value }))
  )
  const none: Pickable = { key: "", text: words.anyModel, group: "", isChosen: value === null }
  return (
    <div class="field">
      <span class="label">{words.model}</span>
      <PickerButton
        label={words.model}
        placeholder={words.findModel}
        value={value ?? words.anyModel}
        options={[none, ...listed]}
        others={(word) =>
          word.includes("/") && !listed.some(({ key }) => key === word)
            ? [{ key: word, text: words.useModel(word), group: words.another }]
            : []}
        onChoose={({ key }) => onChange(key === "" ? null : key)}
      />
      {wrong === null ? null : <span class="wrong" role="alert">{wrong}</span>}
    </div>
  )
}
