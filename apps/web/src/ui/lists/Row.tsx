/** One thing in a list: icon, title with facts, words below; one main action, and the rest of them behind ⋯. */
import { type ComponentChildren, h } from "preact"
import { Menu, type MenuItem } from "./Menu.tsx"

interface RowProps {
  readonly label: string
  /** The level of its heading; 2 is for a list without a heading of its own. */
  readonly level?: 2 | 3
  readonly icon?: ComponentChildren
  readonly title: ComponentChildren
  readonly meta?: ComponentChildren
  readonly action?: ComponentChildren
  readonly actionsId?: string
  readonly menu?: { readonly label: string; readonly items: ReadonlyArray<MenuItem> }
  /** Below the title, the full width of the row. */
  readonly children?: ComponentChildren
}

export const Row = ({ action, actionsId, children, icon, label, level = 3, menu, meta, title }: RowProps) => (
  <li class="item" aria-label={label}>
    {icon}
    <div class="item-head">
      {h(`h${level}`, { class: "item-title" }, title)}
      {meta === undefined ? null : <span class="item-meta">{meta}</span>}
    </div>
    <div class="item-actions" {...(actionsId === undefined ? {} : { id: actionsId })}>
      {action}
      {menu === undefined || menu.items.length === 0 ? null : <Menu label={menu.label} items={menu.items} />}
    </div>
    <div class="item-body">{children}</div>
  </li>
)
