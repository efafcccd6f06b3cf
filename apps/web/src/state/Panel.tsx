/** The frame of a panel: its heading, actions beside it, and content that scrolls. */
import type { ComponentChildren } from "preact"
import { shell as words } from "../messages/ShellMessages.ts"
import { LinkButton } from "../ui/Button.tsx"
import { MenuButton } from "./Drawer.tsx"
import { address } from "./Route.ts"

interface PanelFrameProps {
  readonly title: string
  readonly actions?: ComponentChildren
  /** A page of the settings, from which a link leads back to them. */
  readonly isOfSettings?: boolean
  readonly children: ComponentChildren
}

export const Panel = ({ actions, children, isOfSettings = false, title }: PanelFrameProps) => (
  <>
    <header class="top-bar panel-bar">
      <MenuButton />
      <h1>{title}</h1>
      {actions}
      {isOfSettings ?
        (
          <LinkButton href={address("settings")} icon="left" isSmall>
            <span class="back-word">{words.settings}</span>
          </LinkButton>
        ) :
        null}
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
