/** Which apps of the page run: the last few. Each is a document with scripts of its own. */
import { signal } from "@preact/signals"

const MOST = 3

/** The one that was opened last stands last. */
const live = signal<ReadonlyArray<string>>([])

export const isLive = (key: string): boolean => live.value.includes(key)

/** Opens one; the one that was opened first closes where there are too many. */
export const open = (key: string) => {
  live.value = [...live.value.filter((one) => one !== key), key].slice(-MOST)
}

export const close = (key: string) => {
  live.value = live.value.filter((one) => one !== key)
}

/** The app that floats over the page, if one does. */
export const floating = signal<string | null>(null)

const HEIGHT = 240

const heights = new Map<string, number>()

const slot = (key: string) => `boocode.app ${key}`

/** The height that an app had when it was last shown, so that nothing moves when it comes back. */
export const heightOf = (key: string): number => {
  const known = heights.get(key)
  if (known !== undefined) return known
  try {
    return Number(sessionStorage.getItem(slot(key)) ?? HEIGHT) || HEIGHT
  } catch {
    return HEIGHT // a browser that keeps nothing for this page
  }
}

export const keepHeight = (key: string, height: number) => {
  heights.set(key, height)
  try {
    sessionStorage.setItem(slot(key), String(height))
  } catch {
    // It is known for this page alone then.
  }
}
