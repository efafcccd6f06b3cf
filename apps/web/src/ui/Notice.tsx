/** Something that went wrong or may, with what to try. `isUrgent` has a screen reader say it at once. */
import type { ComponentChildren } from "preact"

interface NoticeProps {
  readonly tone?: "warn" | "bad"
  readonly hint?: string | null | undefined
  readonly isUrgent?: boolean
  readonly children: ComponentChildren
}

export const Notice = ({ children, hint, isUrgent, tone }: NoticeProps) => (
  <div class={tone === undefined ? "notice" : `notice ${tone}`} {...(isUrgent === true ? { role: "alert" } : {})}>
    <div>{children}</div>
    {hint === null || hint === undefined || hint === "" ? null : <p class="hint">{hint}</p>}
  </div>
)
