/** The route `#/settings`: the theme, every setting of the server, what is always allowed, and the models. */
import { getAbout } from "../api/Api.ts"
import type { ServerAbout, Settings } from "../api/Types.ts"
import { day, dollars, short } from "../messages/Numbers.ts"
import { people } from "../messages/people/PeopleMessages.ts"
import { health } from "../messages/settings/HealthMessages.ts"
import { history } from "../messages/settings/HistoryMessages.ts"
import { modelTable as words, settings as texts } from "../messages/SettingsMessages.ts"
import { getMe, type Me } from "../people/PeopleClient.ts"
import { ProviderSection } from "../providers/ProviderSection.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { models } from "../state/Catalog.ts"
import { getJson } from "../state/Loading.ts"
import { Fact, Panel } from "../state/Panel.tsx"
import { isAdmin } from "../state/people/Me.ts"
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
import { grouped, wordsOf } from "./SettingEditing.ts"
import { SettingRow } from "./SettingRow.tsx"
import "./settings.css"
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
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
  const needRestart = (found?.settings ?? []).filter(({ restart }) => restart).map((one) => wordsOf(one).name)
  return (
    <Panel title={texts.settings}>
      <SectionLinks />
      {needRestart.length === 0
        ? null
        : <Notice tone="warn">{texts.needRestart(needRestart.join(", "))}</Notice>}
      <Refused why={refused.value} />
      {me.value === null && refused.value === null ? <Spinner label={texts.readingTheSettings} /> : null}
      {found === null ? null : found.problems.map((problem) => <Notice key={problem} tone="bad">{problem}</Notice>)}
      {me.value?.admin === true ? <ProviderSection /> : null}
      {me.value?.users === true
        ? (
          <Section heading={people.title}>
            <PeopleLinks isAdmin={me.value.admin} />
          </Section>
        )
        : null}
      {found === null ?
        null :
        grouped(found.settings).map(([heading, inside]) => (
          <Section key={heading} heading={heading}>
            {heading === texts.toolsAndApprovals ? <AllowedTools /> : null}
            {inside.map((setting) => (
              <SettingRow
                key={setting.key}
                setting={setting}
                onChanged={(changed) => settings.value = changed}
              />
            ))}
            {heading === texts.modelsAndChats ? <ModelsTable /> : null}
          </Section>
        ))}
      {me.value?.admin === false
        ? (
          <>
            <Section heading={texts.toolsAndApprovals}>
              <AllowedTools />
            </Section>
            <Section heading={texts.modelsAndChats}>
              <ModelsTable />
            </Section>
          </>
        )
        : null}
      <Section heading={texts.clients}>
        <LinkLine about={texts.clientsAbout} to="clients" text={texts.seeClients} />
      </Section>
      <Section heading={texts.thisBrowser}>
        <Segments label={texts.theme} options={THEMES} value={theme.value} onChange={setTheme} />
        <LanguageChoice />
        <NotificationChoice />
      </Section>
      <AboutServer file={found?.file ?? null} />
    </Panel>
  )
}

interface SectionProps {
  readonly heading: string
  readonly children: ComponentChildren
}

const Section = ({ children, heading }: SectionProps) => (
  <section class="setting-group" aria-label={heading}>
    <h2 class="section-heading">{heading}</h2>
    {children}
  </section>
)

/** The sections by name: the page is long. */
const SectionLinks = () => {
  const nav = useRef<HTMLElement>(null)
  const names = useSignal<ReadonlyArray<string>>([])
  const sections = () => [...nav.current?.parentElement?.querySelectorAll(".setting-group") ?? []]
  useEffect(() => {
    const read = () => names.value = sections().map((section) => section.getAttribute("aria-label") ?? "")
    const parent = nav.current?.parentElement ?? null
    if (parent === null) return undefined
    // Sections come when what they show is read.
    const observer = new MutationObserver(read)
    observer.observe(parent, { childList: true })
    read()
    return () => observer.disconnect()
  }, [])
  return (
    <nav class="setting-nav" aria-label={texts.sections} ref={nav}>
      {names.value.map((name, index) => (
        <button
          key={name}
          type="button"
          onClick={() => sections()[index]?.scrollIntoView({ block: "start" })}
        >
          {name}
        </button>
      ))}
    </nav>
  )
}

interface LinkLineProps {
  readonly about: string
  readonly to: string
  readonly text: string
}

const LinkLine = ({ about, text, to }: LinkLineProps) => (
  <p class="setting-link">
    <a href={address("settings", to)}>{text}</a> <span class="muted">{about}</span>
  </p>
)

/** The rules of permissions, and what a person always allows. */
const AllowedTools = () => (
  <>
    <LinkLine about={texts.permissionsAbout} to="permissions" text={texts.seePermissions} />
    <Grants level={3} />
  </>
)

/** A person's own account, and everybody for the admins. */
const PeopleLinks = ({ isAdmin }: { readonly isAdmin: boolean }) => (
  <>
    <LinkLine about={people.accountLink} to="account" text={people.account} />
    {isAdmin ? <LinkLine about={people.peopleLink} to="people" text={people.title} /> : null}
    <LinkLine about={people.usageLink} to="usage" text={people.usageTitle} />
    <LinkLine about={isAdmin ? people.auditLink : people.ownAuditLink} to="audit" text={people.audit} />
  </>
)

const STORAGE: Readonly<Record<ServerAbout["storage"]["kind"], string>> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  memory: texts.inMemory
}

const AboutServer = ({ file }: { readonly file: string | null }) => {
  const about = useSignal<ServerAbout | null>(null)
  useEffect(() =>
    void getJson(getAbout(), (found) => {
      about.value = found
    }), [])
  if (about.value === null) return null
  const { data, fleet, node, state, storage, version } = about.value
  return (
    <Section heading={texts.thisServer}>
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
        {file === null ? null : (
          <Fact name={texts.keptIn}>
            <code>{file}</code>
          </Fact>
        )}
      </dl>
      {isAdmin.value ? <LinkLine about={health.about} to="health" text={health.link} /> : null}
      {isAdmin.value && fleet ? <LinkLine about={history.linkAbout} to="history" text={history.link} /> : null}
    </Section>
  )
}

const ModelsTable = () => {
  const known = models.value
  if (known === null) return null
  const suggested = known.models.flatMap(({ suggested: some }) => some)
  return (
    <section class="setting" aria-label={words.heading}>
      <h3>{words.heading}</h3>
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
