/** The route `#/settings`: the theme, every setting of the server, what is always allowed, and the models. */
import { getAbout } from "../api/Api.ts"
import type { ServerAbout, Settings } from "../api/Types.ts"
import { day, dollars, short } from "../messages/Numbers.ts"
import { people } from "../messages/people/PeopleMessages.ts"
import { modelTable as words, settings as texts } from "../messages/SettingsMessages.ts"
import { getMe, type Me } from "../people/PeopleClient.ts"
import { ProviderSection } from "../providers/ProviderSection.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { models } from "../state/Catalog.ts"
import { getJson } from "../state/Loading.ts"
import { Fact, Panel } from "../state/Panel.tsx"
import { address } from "../state/Route.ts"
import { Segments } from "../ui/forms/Segments.tsx"
import type { IconName } from "../ui/Icon.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import "../ui/panels.css"
import { Spinner } from "../ui/Spinner.tsx"
import { setTheme, type Theme, theme } from "../ui/Theme.ts"
import { Grants } from "./Grants.tsx"
import { LanguageChoice } from "./LanguageChoice.tsx"
import { NotificationChoice } from "./NotificationChoice.tsx"
import { grouped } from "./SettingEditing.ts"
import { SettingRow } from "./SettingRow.tsx"
import "./settings.css"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { getSettings } from "./SettingsClient.ts"

const THEMES: ReadonlyArray<readonly [Theme, string, IconName]> = [
  ["system", texts.asTheSystem, "system"],
  ["light", texts.light, "sun"],
  ["dark", texts.dark, "moon"]
]

export const SettingsPanel = (_: PanelProps) => {
  const settings = useSignal<Settings | null>(null)
  const me = useSignal<Me | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      me.value = await getMe()
      if (me.value.admin) settings.value = await getSettings()
    }), [])
  const found = settings.value
  const needRestart = (found?.settings ?? []).filter(({ restart }) => restart).map(({ key }) => key)
  return (
    <Panel title={texts.settings}>
      <section class="setting-group" aria-label={texts.thisBrowser}>
        <h2 class="section-heading">{texts.thisBrowser}</h2>
        <Segments label={texts.theme} options={THEMES} value={theme.value} onChange={setTheme} />
        <LanguageChoice />
        <NotificationChoice />
      </section>
      {needRestart.length === 0
        ? null
        : <Notice tone="warn">{texts.needRestart(needRestart.join(", "))}</Notice>}
      {me.value?.users === true ? <PeopleLinks isAdmin={me.value.admin} /> : null}
      {me.value?.admin === true ? <ProviderSection /> : null}
      <Refused why={refused.value} />
      {me.value === null && refused.value === null ? <Spinner label={texts.readingTheSettings} /> : null}
      {found === null ? null : found.problems.map((problem) => <Notice key={problem} tone="bad">{problem}</Notice>)}
      {found === null ?
        null :
        grouped(found.settings).map(([heading, inside]) => (
          <section key={heading} class="setting-group" aria-label={heading}>
            <h2 class="section-heading">{heading}</h2>
            {inside.map((setting) => (
              <SettingRow
                key={setting.key}
                setting={setting}
                onChanged={(changed) => settings.value = changed}
              />
            ))}
          </section>
        ))}
      <section class="setting-group" aria-label={texts.permissions}>
        <h2 class="section-heading">{texts.permissions}</h2>
        <p class="muted">
          {texts.permissionsAbout} <a href={address("settings", "permissions")}>{texts.seePermissions}</a>
        </p>
      </section>
      <section class="setting-group" aria-label={texts.clients}>
        <h2 class="section-heading">{texts.clients}</h2>
        <p class="muted">
          {texts.clientsAbout} <a href={address("settings", "clients")}>{texts.seeClients}</a>
        </p>
      </section>
      <Grants />
      <ModelsTable />
      <AboutServer />
      {found === null ? null : (
        <p class="muted">
          {texts.keptIn} <code>{found.file}</code>.
        </p>
      )}
    </Panel>
  )
}

/** A person's own account, and who there is for the admins. */
const PeopleLinks = ({ isAdmin }: { readonly isAdmin: boolean }) => (
  <section class="setting-group" aria-label={people.title}>
    <h2 class="section-heading">{people.title}</h2>
    <p class="muted">
      {people.accountAbout} <a href={address("settings", "account")}>{people.seeAccount}</a>
    </p>
    <p class="muted">
      {people.auditAbout} <a href={address("settings", "audit")}>{people.seeAudit}</a>
    </p>
    {isAdmin
      ? (
        <p class="muted">
          {people.about} <a href={address("settings", "people")}>{people.seePeople}</a>
        </p>
      )
      : null}
  </section>
)

const STORAGE: Readonly<Record<ServerAbout["storage"]["kind"], string>> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  memory: texts.inMemory
}

const AboutServer = () => {
  const about = useSignal<ServerAbout | null>(null)
  useEffect(() =>
    void getJson(getAbout(), (found) => {
      about.value = found
    }), [])
  if (about.value === null) return null
  const { data, node, state, storage, version } = about.value
  return (
    <section class="setting-group" aria-label={texts.thisServer}>
      <h2 class="section-heading">{texts.thisServer}</h2>
      <dl class="about-list">
        <Fact name={texts.version}>{texts.versions(version, node)}</Fact>
        <Fact name={texts.chats}>
          {STORAGE[storage.kind]} {storage.kind === "memory" ? null : <code>{storage.name}</code>}
        </Fact>
        <Fact name={texts.dataFolder}>
          <code>{data}</code>
        </Fact>
        <Fact name={texts.stateFolder}>
          <code>{state}</code>
        </Fact>
      </dl>
    </section>
  )
}

const ModelsTable = () => {
  const known = models.value
  if (known === null) return null
  const suggested = known.models.flatMap(({ suggested: some }) => some)
  return (
    <section class="setting-group" aria-label={words.heading}>
      <h2 class="section-heading">{words.heading}</h2>
      <p class="muted">{known.default === null ? words.noDefault : words.default(known.default)}</p>
      {suggested.length === 0 ?
        null :
        (
          <div class="table-box" tabIndex={0} role="region" aria-label={words.table}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{words.model}</th>
                  <th scope="col" class="amount">{words.reads}</th>
                  <th scope="col">{words.pictures}</th>
                  <th scope="col" class="amount">{words.input}</th>
                  <th scope="col" class="amount">{words.output}</th>
                  <th scope="col">{words.used}</th>
                </tr>
              </thead>
              <tbody>
                {suggested.map(({ contextTokens, id, inputPrice, outputPrice, seesImages, used }) => (
                  <tr key={id}>
                    <th scope="row">
                      <code>{id}</code>
                    </th>
                    <td class="amount">{contextTokens === null ? words.unknown : short(contextTokens)}</td>
                    <td>{seesImages === null ? words.unknown : seesImages ? words.seesThem : words.seesNone}</td>
                    <td class="amount">{inputPrice === null ? words.unknown : dollars(inputPrice)}</td>
                    <td class="amount">{outputPrice === null ? words.unknown : dollars(outputPrice)}</td>
                    <td>{used === null ? "" : day(used)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </section>
  )
}
