/** The providers of models in the settings: how each stands, added, changed, tried and removed. */
import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Provider, ProviderKind, ProviderList, ProviderTrial } from "../api/Types.ts"
import { RemoveDialog } from "../forms/RemoveDialog.tsx"
import { provider as words } from "../messages/ProviderMessages.ts"
import { ui } from "../messages/UiMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { loadAgents, models } from "../state/Catalog.ts"
import { getJson, tellError } from "../state/Loading.ts"
import { tell } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Row } from "../ui/lists/Row.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { ProviderForm } from "./ProviderForm.tsx"
import { changeProvider, listProviders, removeProvider, testProvider } from "./ProvidersClient.ts"
import { ProviderTest } from "./ProviderTest.tsx"
import "./providers.css"

/** The open part: the form of a provider, of a new one (null), or the question whether to remove one. */
type Open = { readonly is: "form"; readonly of: Provider | null } | { readonly is: "removal"; readonly of: Provider }

export const ProviderSection = () => {
  const list = useSignal<ProviderList | null>(null)
  const open = useSignal<Open | null>(null)
  const known = models.value
  // The models follow every change of the providers, also one from elsewhere.
  useEffect(() =>
    void getJson(listProviders(false), (answer) => {
      list.value = answer
    }), [known])
  if (list.value === null) return null
  const close = () => open.value = null
  const { kinds, providers } = list.value
  const { value } = open
  return (
    <section class="setting-group" aria-label={words.heading}>
      <div class="row">
        <h2 class="section-heading grow">{words.heading}</h2>
        <Button isSmall icon="plus" onClick={() => open.value = { is: "form", of: null }}>{words.add}</Button>
      </div>
      <ul class="items" aria-label={words.list}>
        {providers.map((one) => (
          <ProviderRow
            key={one.name}
            provider={one}
            title={kinds.find(({ kind }) => kind === one.kind)?.title ?? one.kind}
            open={open}
          />
        ))}
      </ul>
      {value?.is === "form" ? <ProviderDialog list={list.value} provider={value.of} onClose={close} /> : null}
      {value?.is === "removal" ? <Removal provider={value.of} onClose={close} /> : null}
    </section>
  )
}

const keyWords = ({ key, source }: Provider): string => {
  if (key.from === "stored") return words.stored
  if (key.from === "variable") return words.fromVariable(key.variable ?? "")
  return source === "environment" ? words.fromEnvironment : words.noKey
}

interface ProviderRowProps {
  readonly provider: Provider
  readonly title: string
  readonly open: Signal<Open | null>
}

const ProviderRow = ({ open, provider, title }: ProviderRowProps) => {
  const trial = useSignal<ProviderTrial | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const { key, missing, name, ready, source, url } = provider
  const edit = () => open.value = { is: "form", of: provider }
  const test = () =>
    run(async () => {
      trial.value = null
      trial.value = await testProvider(name, null)
    })
  const forget = () => void changeProvider(name, { key: null }).then(loadAgents, tellError)
  return (
    <Row
      label={ready ? words.isReady(name) : words.isNotReady(name)}
      icon={<Letter name={name} isLarge />}
      title={name}
      meta={[title, ...(url === null ? [] : [url]), ...(ready ? [keyWords(provider)] : [])].join(" · ")}
      action={ready
        ? (
          <Button isSmall aria-label={words.testOf(name)} disabled={isBusy.value} onClick={() => void test()}>
            {isBusy.value ? <Spinner label={words.testing} /> : null}
            {words.test}
          </Button>
        )
        : <Button isSmall aria-label={words.setUpOf(name)} onClick={edit}>{words.setUp}</Button>}
      menu={{
        label: words.more(name),
        items: [
          { text: words.edit, icon: "edit", act: edit },
          ...(key.from === "stored" ? [{ text: words.forgetKey, act: forget }] : []),
          ...(source === "environment" ? [] : [{
            text: words.remove,
            icon: "trash" as const,
            isDangerous: true,
            act: () => open.value = { is: "removal", of: provider }
          }])
        ]
      }}
    >
      {ready || missing === null ? null : <p class="item-about">{missing}</p>}
      <ProviderTest trial={trial.value} />
      <Refused why={refused.value} />
    </Row>
  )
}

interface ProviderDialogProps {
  readonly list: ProviderList
  /** Null for a new one. */
  readonly provider: Provider | null
  readonly onClose: () => void
}

/** A name that is free: that of the kind for the makers, else `local` and on. */
const freeName = (kind: ProviderKind, { providers }: ProviderList): string => {
  const taken = new Set(
    providers.filter(({ ready, source }) => ready || source !== "environment").map(({ name }) => name)
  )
  const names = [kind, "local", ...Array.from({ length: 40 }, (_, index) => `local${index + 2}`)]
  return names.find((name) => !taken.has(name) && !name.startsWith("openai-")) ?? ""
}

const ProviderDialog = ({ list, onClose, provider }: ProviderDialogProps) => {
  const kind = useSignal<ProviderKind>(provider?.kind ?? "openai-compatible")
  const facts = list.kinds.find((one) => one.kind === kind.value)
  return (
    <Dialog title={provider === null ? words.addTitle : words.editTitle(provider.name)} onClose={onClose}>
      <LabelledField label={words.kind}>
        {(bind) => (
          <select
            {...bind}
            class="input"
            value={kind.value}
            onChange={({ currentTarget: { value } }) =>
              kind.value = list.kinds.find((one) => one.kind === value)?.kind ?? kind.value}
          >
            {list.kinds.map((one) => <option key={one.kind} value={one.kind}>{one.title}</option>)}
          </select>
        )}
      </LabelledField>
      {facts === undefined ? null : (
        <ProviderForm
          key={kind.value}
          facts={facts}
          provider={provider}
          name={provider?.name ?? freeName(kind.value, list)}
          url={provider?.url ?? ""}
          isPlaced
          submit={words.save}
          actions={<Button onClick={onClose}>{ui.cancel}</Button>}
          onSaved={({ name }) => {
            loadAgents()
            tell({ text: words.saved(name) })
            onClose()
          }}
        />
      )}
    </Dialog>
  )
}

const Removal = ({ onClose, provider: { name } }: { readonly provider: Provider; readonly onClose: () => void }) => (
  <RemoveDialog
    title={words.removeTitle(name)}
    action={words.remove}
    onClose={onClose}
    request={() => removeProvider(name)}
    onRemoved={() => {
      loadAgents()
      tell({ text: words.removed(name) })
      onClose()
    }}
  >
    <p>{words.removeAbout}</p>
  </RemoveDialog>
)
