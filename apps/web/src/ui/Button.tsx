/** A button, or a link that looks like one. With only an icon it needs a `label`; in a dialog `autofocus` gives it the focus. */
import type { ComponentChildren, JSX, Ref } from "preact"
import { ui } from "../messages/UiMessages.ts"
import { Icon, type IconName } from "./Icon.tsx"

interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "icon" | "label" | "size" | "ref"> {
  readonly kind?: "primary" | "danger" | "plain"
  readonly isSmall?: boolean
  readonly icon?: IconName
  /** The accessible name, also shown on hover; the children are the name where it is left out. */
  readonly label?: string
  readonly children?: ComponentChildren
  readonly ref?: Ref<HTMLButtonElement>
}

const classes = (kind: string | undefined, isSmall: boolean | undefined, isIcon: boolean, more: unknown) =>
  ["button", kind, isSmall === true ? "small" : "", isIcon ? "icon" : "", typeof more === "string" ? more : ""]
    .filter((name) => name !== undefined && name !== "").join(" ")

export const Button = ({ autofocus, children, class: more, icon, isSmall, kind, label, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...(label === undefined ? {} : { "aria-label": label, title: label })}
    {...(autofocus === true ? { "data-focus": "" } : {})}
    {...rest}
    class={classes(kind, isSmall, children === undefined, more)}
  >
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </button>
)

interface LinkButtonProps {
  readonly href: string
  readonly isSmall?: boolean
  readonly icon?: IconName
  readonly children: ComponentChildren
}

export const LinkButton = ({ children, href, icon, isSmall }: LinkButtonProps) => (
  <a class={classes(undefined, isSmall, false, "")} href={href}>
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </a>
)

interface OpenButtonProps {
  readonly href: string
  readonly onOpen?: () => void
  readonly ref?: Ref<HTMLAnchorElement>
  readonly children: ComponentChildren
}

/** Opens an address of somebody else in a tab of its own, which learns nothing of this page. */
export const OpenButton = ({ children, href, onOpen, ref }: OpenButtonProps) => (
  <a
    {...(ref === undefined ? {} : { ref })}
    class={classes("primary", false, false, "")}
    href={href}
    target="_blank"
    rel="noopener noreferrer"
    onClick={onOpen}
    // The middle button opens it too.
    onAuxClick={(event) => event.button === 1 && onOpen?.()}
  >
    <Icon name="open" />
    {children}
    <span class="visually-hidden">{ui.newTab}</span>
  </a>
)
