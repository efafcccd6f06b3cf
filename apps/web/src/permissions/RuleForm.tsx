/** A short form for a rule: outcome, tools, class, server and agent. What it makes goes into the text of the file. */
import { useSignal } from "@preact/signals"
import type { JsonObject, Outcome, ToolClass } from "../api/Types.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { agents, tools } from "../state/Catalog.ts"
import { serverList } from "../state/Live.ts"
import { Button } from "../ui/Button.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { ruleOf } from "./NewRule.ts"

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [string, string]>
  readonly onChoose: (value: string) => void
}

const Choice = ({ label, onChoose, options, value }: ChoiceProps) => (
  <LabelledField label={label}>
    {(bind) => (
      <select
        {...bind}
        class="input"
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
      </select>
    )}
  </LabelledField>
)

const OUTCOMES: ReadonlyArray<readonly [Outcome, string]> = [
  ["ask", words.outcomes.ask],
  ["allow", words.outcomes.allow],
  ["deny", words.outcomes.deny]
]
const CLASSES: ReadonlyArray<ToolClass> = ["reads", "undeclared", "writes", "destroys"]

const orAny = (
  names: ReadonlyArray<string>
) => [["", words.any] as const, ...names.map((name) => [name, name] as const)]

interface RuleFormProps {
  /** False while the text below is no JSON. */
  readonly isPossible: boolean
  readonly onAdd: (rule: JsonObject) => void
}

export const RuleForm = ({ isPossible, onAdd }: RuleFormProps) => {
  const outcome = useSignal("ask")
  const patterns = useSignal("")
  const toolClass = useSignal("")
  const server = useSignal("")
  const agent = useSignal("")
  const wrong = useSignal<string | null>(null)
  const add = () => {
    const rule = ruleOf({
      outcome: outcome.value,
      tools: patterns.value,
      class: toolClass.value,
      server: server.value,
      agent: agent.value
    })
    wrong.value = rule === null ? words.toolsWrong : isPossible ? null : words.textWrong
    if (rule === null || !isPossible) return
    onAdd(rule)
    patterns.value = ""
  }
  return (
    <form
      class="setting-group stack"
      aria-label={words.newRule}
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <h2 class="section-heading">{words.newRule}</h2>
      <p class="muted">{words.newRuleAbout}</p>
      <LabelledField label={words.tools} about={words.toolsAbout} wrong={wrong.value}>
        {(bind) => (
          <>
            <input
              {...bind}
              class="input mono"
              list="tools-of-rule"
              spellcheck={false}
              autocapitalize="off"
              autocomplete="off"
              value={patterns.value}
              onInput={({ currentTarget: { value } }) => {
                patterns.value = value
                wrong.value = null
              }}
            />
            <datalist id="tools-of-rule">
              {tools.value.map(({ name }) => <option key={name} value={name} />)}
            </datalist>
          </>
        )}
      </LabelledField>
      <div class="rule-choices">
        <Choice
          label={words.outcome}
          value={outcome.value}
          options={OUTCOMES}
          onChoose={(value) => outcome.value = value}
        />
        <Choice
          label={words.class}
          value={toolClass.value}
          options={orAny(CLASSES)}
          onChoose={(value) => toolClass.value = value}
        />
        <Choice
          label={words.server}
          value={server.value}
          options={orAny(serverList.value.map(({ name }) => name))}
          onChoose={(value) => server.value = value}
        />
        <Choice
          label={words.agent}
          value={agent.value}
          options={orAny(agents.value.map(({ name }) => name))}
          onChoose={(value) => agent.value = value}
        />
      </div>
      <div class="row">
        <Button type="submit">{words.add}</Button>
      </div>
    </form>
  )
}
