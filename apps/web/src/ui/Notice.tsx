/**
 * Something that went wrong or may: a sentence, what to try, and below it the way to do that. `isUrgent` has a screen
 * reader say it at once.
 */
import type { ComponentChildren } from "preact"
import { asSentence } from "./code/ShownCommand.ts"
import { Icon } from "./Icon.tsx"

interface NoticeProps {
  readonly tone?: "warn" | "bad"
  readonly hint?: string | null | undefined
  readonly isUrgent?: boolean
  /** Buttons that mend it. */
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

export const Notice = ({ action, children, hint, isUrgent, tone }: NoticeProps) => (
  <div class={tone === undefined ? "notice" : `notice ${tone}`} {...(isUrgent === true ? { role: "alert" } : {})}>
    <Icon name="warning" />
    <div>{children}</div>
    {hint === null || hint === undefined || hint === "" ? null : <p class="hint">{asSentence(hint)}</p>}
    {action === undefined ? null : <p class="row">{action}</p>}
  </div>
)
