/** The route `#/settings`: the theme, every setting of the server, what is always allowed, and the models. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { words } from "../api/Client.ts"
import type { Settings } from "../api/Types.ts"
import { Panel } from "../state/Panel.tsx"
import { Button } from "../ui/Button.tsx"
import type { IconName } from "../ui/Icon.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { setTheme, type Theme, theme } from "../ui/Theme.ts"
import { AboutServer } from "./AboutServer.tsx"
import { Grants } from "./Grants.tsx"
import { ModelsTable } from "./ModelsTable.tsx"
import { grouped } from "./SettingEditing.ts"
import { SettingRow } from "./SettingRow.tsx"
import { getSettings } from "./SettingsClient.ts"
import "../ui/panels.css"
import "./settings.css"

const THEMES: ReadonlyArray<readonly [Theme, string, IconName]> = [
  ["system", "As the system", "system"],
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"]
]

export const SettingsPanel = (_: PanelProps) => {
  const settings = useSignal<Settings | null>(null)
  const refused = useSignal<ReturnType<typeof words> | null>(null)
  useEffect(() => {
    getSettings().then((found) => {
      settings.value = found
    }, (error) => {
      refused.value = words(error)
    })
  }, [])
  const found = settings.value
  const needRestart = (found?.settings ?? []).filter(({ restart }) => restart).map(({ key }) => key)
  return (
    <Panel title="Settings">
      <section class="setting-group" aria-label="This browser">
        <h2 class="section-heading">This browser</h2>
        <div class="segments" role="group" aria-label="Theme">
          {THEMES.map(([id, text, icon]) => (
            <Button
              key={id}
              isSmall
              icon={icon}
              aria-pressed={theme.value === id}
              onClick={() => setTheme(id)}
            >
              {text}
            </Button>
          ))}
        </div>
      </section>
      {needRestart.length === 0
        ? null
        : (
          <Notice tone="warn">
            {needRestart.join(", ")}: what is written holds after the server was started anew.
          </Notice>
        )}
      {refused.value === null
        ? null
        : <Notice tone="bad" isUrgent hint={refused.value.hint}>{refused.value.message}</Notice>}
      {found === null && refused.value === null ? <Spinner label="reading the settings" /> : null}
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
          These settings are kept in <code>{found.file}</code>.
        </p>
      )}
    </Panel>
  )
}
