/** A word or number about the thing it stands beside. */
import type { ComponentChildren } from "preact"

export type Tone = "good" | "bad" | "warn" | "accent"

export const Badge = ({ children, tone }: { readonly tone?: Tone; readonly children: ComponentChildren }) => (
  <span class={tone === undefined ? "badge" : `badge ${tone}`}>{children}</span>
)
