/** Goes through the versions of something: how many there are, which one is shown, and one back or forth. */
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"

interface VersionSwitchProps {
  readonly label: string
  /** From 0. */
  readonly at: number
  readonly of: number
  readonly onChange: (at: number) => void
}

/** Shows nothing where there is one version. */
export const VersionSwitch = ({ at, label, of, onChange }: VersionSwitchProps) =>
  of < 2 ? null : (
    <span class="versions" role="group" aria-label={label}>
      <Button
        kind="plain"
        isSmall
        icon="left"
        label={ui.earlierVersion}
        disabled={at === 0}
        onClick={() => onChange(at - 1)}
      />
      <span>{ui.versionOf(at + 1, of)}</span>
      <Button
        kind="plain"
        isSmall
        icon="right"
        label={ui.laterVersion}
        disabled={at === of - 1}
        onClick={() => onChange(at + 1)}
      />
    </span>
  )
