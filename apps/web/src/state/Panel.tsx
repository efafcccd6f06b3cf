/** The frame of a panel: its heading, actions beside it, and content that scrolls. */
import type { ComponentChildren } from "preact"
import { MenuButton } from "./Drawer.tsx"

interface PanelFrameProps {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export const Panel = ({ actions, children, title }: PanelFrameProps) => (
  <>
    <header class="top-bar panel-bar">
      <MenuButton />
      <h1>{title}</h1>
      {actions}
    </header>
    <div class="panel" id="content" tabIndex={-1}>
      <div class="panel-inside">{children}</div>
    </div>
  </>
)

/** One line of a `dl`: a name and what it stands for. */
export const Fact = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
