/** The view of an empty list, with the first thing to do. */
import type { ComponentChildren } from "preact"

export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)
