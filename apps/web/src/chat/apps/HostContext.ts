/** The page as an app is told of it: theme, colours, type, language, and how much room it has. */
import { locale } from "../../language/Language.ts"

const MODES = ["inline", "fullscreen", "pip"] as const

export type DisplayMode = (typeof MODES)[number]

export const isMode = (mode: unknown): mode is DisplayMode => MODES.some((one) => one === mode)

/** In the flow of a chat an app is no higher than this, and scrolls. */
export const MOST_HEIGHT = 640

/** The colours of the page by the names of MCP Apps. */
const COLOURS = {
  "--color-background-primary": "--paper",
  "--color-background-secondary": "--paper-2",
  "--color-background-tertiary": "--paper-3",
  "--color-background-inverse": "--ink",
  "--color-background-info": "--accent-quiet",
  "--color-background-danger": "--bad-quiet",
  "--color-background-warning": "--warn-quiet",
  "--color-background-disabled": "--paper-2",
  "--color-text-primary": "--ink",
  "--color-text-secondary": "--ink-2",
  "--color-text-tertiary": "--ink-2",
  "--color-text-inverse": "--paper",
  "--color-text-ghost": "--ink-3",
  "--color-text-info": "--accent",
  "--color-text-danger": "--bad",
  "--color-text-success": "--good",
  "--color-text-warning": "--warn",
  "--color-text-disabled": "--ink-3",
  "--color-border-primary": "--line",
  "--color-border-secondary": "--line",
  "--color-border-tertiary": "--line",
  "--color-border-inverse": "--ink",
  "--color-border-info": "--accent",
  "--color-border-danger": "--bad",
  "--color-border-success": "--good",
  "--color-border-warning": "--warn",
  "--color-ring-primary": "--accent",
  "--color-ring-danger": "--bad"
} as const

/** Those that are no colours. */
const OTHERS = {
  "--font-sans": "--font",
  "--font-mono": "--mono",
  "--font-text-xs-size": "--s-small",
  "--font-text-sm-size": "--s-ui",
  "--font-text-md-size": "--s-body",
  "--font-text-lg-size": "--s-head",
  "--font-heading-sm-size": "--s-body",
  "--font-heading-md-size": "--s-head",
  "--font-heading-lg-size": "--s-title",
  "--border-radius-sm": "--r1",
  "--border-radius-md": "--r2",
  "--border-radius-lg": "--r3",
  "--border-radius-full": "--round"
} as const

const FIXED = {
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--border-width-regular": "1px"
} as const

const isDark = matchMedia("(prefers-color-scheme: dark)")

export const themeOf = (): "light" | "dark" => {
  const chosen = document.documentElement.dataset["theme"]
  return chosen === "light" || chosen === "dark" ? chosen : isDark.matches ? "dark" : "light"
}

/** Runs when the theme changes, by the system or by the person. */
export const onTheme = (run: () => void): () => void => {
  const watch = new MutationObserver(run)
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
  isDark.addEventListener("change", run)
  return () => {
    watch.disconnect()
    isDark.removeEventListener("change", run)
  }
}

/** The page's colours are written for both themes; an app gets those of the one that holds. */
const variables = (): Readonly<Record<string, string>> => {
  const probe = document.body.appendChild(document.createElement("i"))
  probe.hidden = true
  const style = getComputedStyle(probe)
  const colours = Object.entries(COLOURS).map(([name, own]) => {
    probe.style.color = `var(${own})`
    return [name, style.color] as const
  })
  const others = Object.entries(OTHERS).map(([name, own]) => [name, style.getPropertyValue(own).trim()] as const)
  probe.remove()
  return { ...Object.fromEntries([...colours, ...others]), ...FIXED }
}

/** The part that changes with the theme. */
export const styles = () => ({ theme: themeOf(), styles: { variables: variables() } })

/** The part that changes with the room. */
export const room = (mode: DisplayMode, element: Element) => {
  const { height, width } = element.getBoundingClientRect()
  return {
    displayMode: mode,
    containerDimensions: mode === "inline"
      ? { width: Math.round(width), maxHeight: MOST_HEIGHT }
      : { width: Math.round(width), height: Math.round(height) }
  }
}

/** The part that stays. */
export const fixed = () => ({
  availableDisplayModes: MODES,
  locale,
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  userAgent: "boocode",
  platform: "web",
  deviceCapabilities: { touch: matchMedia("(pointer: coarse)").matches, hover: matchMedia("(hover: hover)").matches },
  safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 }
})
