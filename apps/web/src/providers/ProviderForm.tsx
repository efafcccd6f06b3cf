/** A provider as a person describes it: name, address and key. It is tried before it is saved. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { KindFacts, Provider, ProviderTrial } from "../api/Types.ts"
import { provider as words } from "../messages/ProviderMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { addProvider, changeProvider, type ProviderDraft, testProvider } from "./ProvidersClient.ts"
import { ProviderTest } from "./ProviderTest.tsx"

interface ProviderFormProps {
  readonly facts: KindFacts
  /** The provider that is changed; null for a new one. */
  readonly provider: Provider | null
  /** The name and the place of a new one, until the person says otherwise. */
  readonly name: string
  readonly url: string
  /** Whether its name and address are asked for. */
  readonly isPlaced: boolean
  readonly submit: string
  /** The model that new chats begin with is chosen too; the first choice is this one, if it is listed. */
  readonly example?: string | null
  readonly onSaved: (provider: Provider, model: string | null) => void
  readonly actions?: ComponentChildren
}

const keyAbout = ({ facts: { keyPage, needsKey }, provider }: ProviderFormProps): ComponentChildren => {
  if (provider?.key.from === "stored") return words.keyStored
  if (provider?.key.from === "variable") return words.keyVariable(provider.key.variable ?? "")
  if (!needsKey || keyPage === null) return words.keyOptional
  return (
    <>
      {words.keyPage} <a href={keyPage} target="_blank" rel="noopener noreferrer">{keyPage}</a>
    </>
  )
}

export const ProviderForm = (props: ProviderFormProps) => {
  const { actions, example, facts, isPlaced, onSaved, provider, submit } = props
  const name = useSignal(props.name)
  const url = useSignal(props.url)
  const key = useSignal("")
  const trial = useSignal<ProviderTrial | null>(null)
  const model = useSignal<string | null>(null)
  const tested = useSignal<string | null>(null)
  const { isBusy, refused, run } = useAttempt()

  const draft = (): ProviderDraft => ({
    kind: facts.kind,
    url: url.value.trim() === "" ? null : url.value.trim(),
    ...(key.value.trim() === "" ? {} : { key: key.value.trim() })
  })
  const called = () => name.value.trim()
  const state = () => JSON.stringify([called(), draft()])

  const test = async (): Promise<boolean> => {
    trial.value = null
    const asked = state()
    const isAnswered = await run(async () => {
      trial.value = await testProvider(called(), draft())
    })
    const found = trial.peek()
    if (!isAnswered || found === null) return false
    const ids = found.models.map(({ id }) => id)
    if (model.value === null || !ids.includes(model.value)) {
      model.value = ids.find((id) => id === example) ?? ids[0] ?? null
    }
    tested.value = asked
    return found.ok
  }
  const save = async (isUntested = false) => {
    if (!isUntested && (tested.value !== state() || trial.value?.ok !== true) && !await test()) return
    await run(async () => {
      const saved = provider === null
        ? await addProvider(called(), draft())
        : await changeProvider(provider.name, draft())
      onSaved(saved, model.value)
    })
  }
  const ids = trial.value?.models.map(({ id }) => id) ?? []
  const isGood = trial.value === null || trial.value.error === null
  const typed = (set: () => void) => {
    set()
    trial.value = null
  }
  return (
    <form
      class="stack provider-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy.value) void save()
      }}
    >
      {isPlaced
        ? (
          <>
            {provider !== null ? null : (
              <LabelledField label={words.name} about={words.nameAbout}>
                {(bind) => (
                  <input
                    {...bind}
                    class="input mono"
                    required
                    maxLength={40}
                    autocomplete="off"
                    spellcheck={false}
                    value={name.value}
                    onInput={({ currentTarget: { value } }) => typed(() => name.value = value)}
                  />
                )}
              </LabelledField>
            )}
            <LabelledField
              label={words.address}
              about={facts.url === null ? words.addressAbout : words.addressOfKind(facts.url)}
            >
              {(bind) => (
                <input
                  {...bind}
                  class="input mono"
                  type="url"
                  required={facts.url === null}
                  autocomplete="off"
                  placeholder={facts.url ?? "http://127.0.0.1:11434/v1"}
                  value={url.value}
                  onInput={({ currentTarget: { value } }) => typed(() => url.value = value)}
                />
              )}
            </LabelledField>
          </>
        )
        : null}
      <LabelledField
        label={facts.url === null ? words.anyKey : words.key(facts.title)}
        about={keyAbout(props)}
      >
        {(bind) => (
          <input
            {...bind}
            class="input mono"
            type="password"
            data-focus=""
            autocomplete="off"
            value={key.value}
            onInput={({ currentTarget: { value } }) => typed(() => key.value = value)}
          />
        )}
      </LabelledField>
      <ProviderTest trial={trial.value} />
      {example === undefined || ids.length === 0 ?
        null :
        (
          <LabelledField label={words.modelOfChats} about={words.modelAbout}>
            {(bind) => (
              <select
                {...bind}
                class="input"
                value={model.value ?? ""}
                onChange={({ currentTarget: { value } }) => model.value = value}
              >
                {ids.map((id) => <option key={id} value={id}>{id}</option>)}
              </select>
            )}
          </LabelledField>
        )}
      <Refused why={refused.value} />
      <footer class="row end">
        {actions}
        {isBusy.value ? <Spinner label={words.testing} /> : null}
        {isGood ? null : <Button disabled={isBusy.value} onClick={() => void save(true)}>{words.saveUntested}</Button>}
        <Button disabled={isBusy.value} onClick={() => void test()}>{words.test}</Button>
        <Button kind="primary" type="submit" disabled={isBusy.value}>{submit}</Button>
      </footer>
    </form>
  )
}
