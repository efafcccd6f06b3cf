/** Dark, light, or what the system prefers. `public/theme.js` applies the choice before the first paint. */
import { signal } from "@preact/signals"

export type Theme = "system" | "light" | "dark"

const KEY = "boocode.theme"

const isTheme = (word: string | null): word is Theme => word === "light" || word === "dark" || word === "system"

const kept = (): Theme => {
  try {
    const word = localStorage.getItem(KEY)
    return isTheme(word) ? word : "system"
  } catch {
    return "system" // a browser that keeps nothing for this page
  }
}

export const theme = signal<Theme>(kept())

export const setTheme = (next: Theme) => {
  theme.value = next
  if (next === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // It holds for this tab then.
  }
}
