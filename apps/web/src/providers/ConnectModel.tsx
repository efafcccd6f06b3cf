/** The first page, while no provider of models can be used: one is chosen, tried and saved, and the chat can begin. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { KindFacts, Provider, ProviderKind, ProviderList } from "../api/Types.ts"
import { provider as words } from "../messages/ProviderMessages.ts"
import { loadAgents, tools } from "../state/Catalog.ts"
import { getJson } from "../state/Loading.ts"
import { address } from "../state/Route.ts"
import { prefer } from "../state/StartModel.ts"
import { Ghost } from "../ui/Ghost.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { ProviderForm } from "./ProviderForm.tsx"
import { listProviders, setDefaultModel } from "./ProvidersClient.ts"
import "./providers.css"

const MAKERS = ["anthropic", "openai", "google"] as const
const LOCAL = "openai-compatible"

const foundName = (name: string): string => Object.entries(words.foundNames).find(([id]) => id === name)?.[1] ?? name

const about = (kind: ProviderKind, found: ProviderList["found"]): string => {
  const [first] = found
  if (kind !== LOCAL) return MAKERS.flatMap((maker) => maker === kind ? [words.makers[maker]] : [])[0] ?? ""
  return first === undefined ? words.localAbout : words.found(foundName(first.name), first.models)
}

const title = ({ kind, title: of }: KindFacts) => kind === LOCAL ? words.local : of.replace(/ Gemini$/, "")

export const ConnectModel = (_: PanelProps) => {
  const list = useSignal<ProviderList | null>(null)
  const chosen = useSignal<ProviderKind | null>(null)
  useEffect(() => {
    const take = (answer: ProviderList) => {
      list.value = answer
    }
    // The look for programs on this machine takes half a second: the rest need not wait for it.
    void getJson(listProviders(false), (answer) => {
      if (list.peek() === null) take(answer)
    }).then(() => getJson(listProviders(true), take))
  }, [])
  if (list.value === null) return <Spinner label="" />
  const { found, kinds, providers } = list.value
  const choices = [...MAKERS, LOCAL].flatMap((kind) => kinds.filter((one) => one.kind === kind))
  const kind = chosen.value ?? (found.length > 0 ? LOCAL : "anthropic")
  const facts = kinds.find((one) => one.kind === kind)
  const start = (_provider: Provider, model: string | null) => {
    if (model === null) return loadAgents()
    prefer(model)
    // Where the settings cannot be written, this browser still knows it.
    void setDefaultModel(model).catch(() => {}).finally(loadAgents)
  }
  return (
    <section class="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">
        <Ghost width={32} />
        {words.connectTitle}
      </h2>
      <p class="connect-about">{words.connectAbout}</p>
      <fieldset class="connect-choices">
        <legend class="visually-hidden">{words.choices}</legend>
        {choices.map((one) => (
          <label key={one.kind} class="connect-choice">
            <input
              type="radio"
              name="provider"
              class="visually-hidden"
              checked={one.kind === kind}
              onChange={() => chosen.value = one.kind}
            />
            <Letter name={title(one)} isLarge />
            <span>
              <span class="connect-name">{title(one)}</span>
              <span class="muted small">{about(one.kind, found)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {facts === undefined ? null : (
        // A person who types has chosen this one, also when a program of this machine is found meanwhile.
        <div class="connect-form" onInput={() => chosen.value = kind}>
          <ProviderForm
            key={kind}
            facts={facts}
            provider={null}
            name={kind === LOCAL ? found[0]?.name ?? "local" : kind}
            url={kind === LOCAL ? found[0]?.url ?? "" : ""}
            isPlaced={kind === LOCAL}
            submit={words.saveAndStart}
            example={providers.find(({ name }) => name === kind)?.example ?? null}
            onSaved={start}
          />
        </div>
      )}
      <p class="small connect-foot">
        {words.withoutModel} {tools.value.length === 0
          ? <a href={address("servers")}>{words.lookAtServers}</a>
          : <a href={address("tools")}>{words.tryTools(tools.value.length)}</a>}, {words.or}{" "}
        <a href={address("servers", "+import")}>{words.bringServers}</a>.
      </p>
    </section>
  )
}
