/** A call that is only thought of: what would become of it, and which rule decides. */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import type { Explained, RuleDocument } from "../api/Types.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { agents, tools, toolsByName } from "../state/Catalog.ts"
import { chats } from "../state/ListedChats.ts"
import { ArgumentsDraft } from "../tools/ArgumentsDraft.ts"
import { ArgumentsEditor } from "../tools/ArgumentsEditor.tsx"
import { ClassBadge } from "../tools/ToolBadges.tsx"
import { Button } from "../ui/Button.tsx"
import { Fold } from "../ui/Fold.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { Choice } from "./Choice.tsx"
import { explainCall } from "./PermissionsClient.ts"
import { OutcomeBadge, RuleList } from "./RuleList.tsx"

const otherwise = ({ because, rule }: { readonly rule: RuleDocument; readonly because: string }) => ({
  ...rule,
  problem: words.notOf(because)
})

const Verdict = ({ of }: { readonly of: Explained }) => {
  const { applies, others, outcome, rule, source, why } = of
  return (
    <div class="verdict stack" role="region" aria-label={words.result}>
      <p class="row" role="status">
        <OutcomeBadge outcome={outcome} /> <strong>{words.became[outcome]}</strong> <ClassBadge toolClass={of.class} />
        {" "}
        <span class="muted">{words.mode(of.mode)}</span>
      </p>
      <p>{words.because(why)}</p>
      {rule === null
        ? source === "default" ? null : <p class="muted">{words.decidedBy(source)}</p>
        : <RuleList label={words.decided} rules={[rule]} />}
      {applies.length < 2
        ? null
        : <Fold summary={words.applies} inside={() => <RuleList label={words.applies} rules={applies} />} />}
      {others.length === 0
        ? null
        : (
          <Fold
            summary={words.others}
            inside={() => <RuleList label={words.others} rules={others.map(otherwise)} />}
          />
        )}
    </div>
  )
}

export const ExplainCall = () => {
  const tool = useSignal("")
  const agent = useSignal("")
  const chat = useSignal("")
  const found = useSignal<Explained | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const schema = toolsByName.value.get(tool.value)?.inputSchema
  // A tool that no list has takes JSON.
  const args = useMemo(() => {
    const draft = new ArgumentsDraft(schema ?? {})
    if (schema === undefined) draft.toText()
    return draft
  }, [schema])
  const forget = () => {
    found.value = null
  }
  const explain = () => {
    const given = args.mode.value === "json" ? args.checked() : args.lenient()
    if (given === undefined || !isObject(given)) return
    void run(async () => {
      found.value = null
      found.value = await explainCall({
        tool: tool.value.trim(),
        args: given,
        ...(agent.value === "" ? {} : { agent: agent.value }),
        ...(chat.value === "" ? {} : { chat: chat.value })
      })
    })
  }
  return (
    <section class="setting-group" aria-label={words.try}>
      <h2 class="section-heading">{words.try}</h2>
      <p class="muted">{words.tryAbout}</p>
      <form
        class="stack try"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) explain()
        }}
      >
        <div class="try-head">
          <LabelledField label={words.tool}>
            {(bind) => (
              <>
                <input
                  {...bind}
                  class="input mono"
                  required
                  list="tools-to-try"
                  spellcheck={false}
                  autocapitalize="off"
                  autocomplete="off"
                  value={tool.value}
                  onInput={({ currentTarget: { value } }) => {
                    tool.value = value
                    found.value = null
                  }}
                />
                <datalist id="tools-to-try">
                  {tools.value.map(({ name }) => <option key={name} value={name} />)}
                </datalist>
              </>
            )}
          </LabelledField>
          <Choice
            label={words.agent}
            of={agent}
            options={[["", words.noAgent], ...agents.value.map(({ name }) => [name, name] as const)]}
            onChange={forget}
          />
          <Choice
            label={words.chat}
            of={chat}
            options={[["", words.noChat], ...(chats.value ?? []).map(({ id, title }) => [id, title] as const)]}
            onChange={forget}
          />
        </div>
        <ArgumentsEditor args={args} />
        <div class="row">
          <Button type="submit" disabled={isBusy.value}>{words.explain}</Button>
          {isBusy.value ? <Spinner label={words.explaining} /> : null}
        </div>
      </form>
      <Refused why={refused.value} />
      {found.value === null ? null : <Verdict of={found.value} />}
    </section>
  )
}
