/** A short form for a rule: outcome, tools, class, server and agent. Its rule goes into the text of the file. */
import { useSignal } from "@preact/signals"
import type { JsonObject, Outcome, ToolClass } from "../api/Types.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { agents, tools } from "../state/Catalog.ts"
import { serverList } from "../state/Live.ts"
import { Button } from "../ui/Button.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Choice } from "./Choice.tsx"
import { ruleOf } from "./NewRule.ts"

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
        <Choice label={words.outcome} of={outcome} options={OUTCOMES} />
        <Choice label={words.class} of={toolClass} options={orAny(CLASSES)} />
        <Choice label={words.server} of={server} options={orAny(serverList.value.map(({ name }) => name))} />
        <Choice label={words.agent} of={agent} options={orAny(agents.value.map(({ name }) => name))} />
      </div>
      <div class="row">
        <Button type="submit">{words.add}</Button>
      </div>
    </form>
  )
}
