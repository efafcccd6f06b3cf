/** The route `#/settings`: the theme, every setting of the server, what is always allowed, and the models. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Settings } from "../api/Types.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { ProviderSection } from "../providers/ProviderSection.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Panel } from "../state/Panel.tsx"
import { Segments } from "../ui/forms/Segments.tsx"
import type { IconName } from "../ui/Icon.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { setTheme, type Theme, theme } from "../ui/Theme.ts"
import { AboutServer } from "./AboutServer.tsx"
import { Grants } from "./Grants.tsx"
import { ModelsTable } from "./ModelsTable.tsx"
import { NotificationChoice } from "./NotificationChoice.tsx"
import { grouped } from "./SettingEditing.ts"
import { SettingRow } from "./SettingRow.tsx"
import { getSettings } from "./SettingsClient.ts"
import "../ui/panels.css"
import "./settings.css"

const THEMES: ReadonlyArray<readonly [Theme, string, IconName]> = [
  ["system", texts.asTheSystem, "system"],
  ["light", texts.light, "sun"],
  ["dark", texts.dark, "moon"]
]

export const SettingsPanel = (_: PanelProps) => {
  const settings = useSignal<Settings | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      settings.value = await getSettings()
    }), [])
  const found = settings.value
  const needRestart = (found?.settings ?? []).filter(({ restart }) => restart).map(({ key }) => key)
  return (
    <Panel title={texts.settings}>
      <section class="setting-group" aria-label={texts.thisBrowser}>
        <h2 class="section-heading">{texts.thisBrowser}</h2>
        <Segments label={texts.theme} options={THEMES} value={theme.value} onChange={setTheme} />
        <NotificationChoice />
      </section>
      {needRestart.length === 0
        ? null
        : <Notice tone="warn">{texts.needRestart(needRestart.join(", "))}</Notice>}
      <ProviderSection />
      <Refused why={refused.value} />
      {found === null && refused.value === null ? <Spinner label={texts.readingTheSettings} /> : null}
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
