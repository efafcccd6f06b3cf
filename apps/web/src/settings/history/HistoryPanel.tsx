/** The route `#/settings/history`: the versions of a fleet's configuration by file, and going back to one, for admins. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { moment } from "../../messages/Numbers.ts"
import { history as words } from "../../messages/settings/HistoryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Panel } from "../../state/Panel.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import type { PanelProps } from "../../ui/Lazy.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import "../../ui/panels.css"
import { Spinner } from "../../ui/Spinner.tsx"
import "../settings.css"
import { type ConfigVersion, getVersions } from "./HistoryClient.ts"
import { RestoreDialog } from "./RestoreDialog.tsx"

/** Older ones are shown on demand. */
const SHOWN = 5

export const HistoryPanel = (_: PanelProps) => {
  const versions = useSignal<ReadonlyArray<ConfigVersion> | null>(null)
  const chosen = useSignal<ConfigVersion | null>(null)
  const { refused, run } = useAttempt()
  const read = () =>
    run(async () => {
      versions.value = (await getVersions()).versions
    })
  useEffect(() => void read(), [])
  const close = () => {
    chosen.value = null
  }
  const { value } = versions
  return (
    <Panel title={words.title} isOfSettings>
      <p>{words.about}</p>
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value?.length === 0 ? <p class="muted">{words.none}</p> : null}
      {[...Map.groupBy(value ?? [], ({ name }) => name)].map(([name, kept]) => (
        <VersionList
          key={name}
          name={name}
          kept={kept}
          onChosen={(one) => chosen.value = one}
        />
      ))}
      {chosen.value === null ? null : (
        <RestoreDialog
          of={chosen.value}
          onClose={close}
          onRestored={() => {
            close()
            void read()
          }}
        />
      )}
    </Panel>
  )
}

interface VersionListProps {
  readonly name: string
  /** The newest first. */
  readonly kept: ReadonlyArray<ConfigVersion>
  readonly onChosen: (version: ConfigVersion) => void
}

const VersionList = ({ kept, name, onChosen }: VersionListProps) => {
  const isWhole = useSignal(false)
  const shown = isWhole.value ? kept : kept.slice(0, SHOWN)
  return (
    <section class="setting-group" aria-label={name}>
      <h2 class="section-heading">
        <code>{name}</code>
      </h2>
      <ul class="items">
        {shown.map((one) => (
          <Row
            key={one.version}
            label={words.version(one.version)}
            icon={<Icon name={one.removed ? "trash" : "file"} />}
            title={words.version(one.version)}
            meta={(one.removed ? words.removedBy : words.by)(moment(one.at), one.by)}
            action={one === kept[0]
              ? <Badge>{words.newest}</Badge>
              : (
                <Button isSmall aria-label={words.compareOf(name, one.version)} onClick={() => onChosen(one)}>
                  {words.compare}
                </Button>
              )}
          />
        ))}
      </ul>
      {shown.length === kept.length
        ? null
        : (
          <p class="setting-link">
            <Button isSmall onClick={() => isWhole.value = true}>
              {words.more(kept.length - shown.length)}
            </Button>
          </p>
        )}
    </section>
  )
}
