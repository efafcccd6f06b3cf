/** What stands where nothing is yet, and what to do about it. */
import type { ComponentChildren } from "preact"

export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)
