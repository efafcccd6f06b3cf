/** Short messages at the top of the page, read out by screen readers. */
import { signal } from "@preact/signals"
import { route } from "./Route.ts"

interface Toast {
  readonly id: number
  readonly text: string
  readonly hint: string | null
  readonly isBad: boolean
}

export const toasts = signal<ReadonlyArray<Toast>>([])

let last = 0

/**
 * Shows a toast. A bad one stays until it is closed, or its cause is gone: the person tries again or looks at another
 * part of the page. Others go after a while. A toast with equal words is not shown twice at a time: it stays for
 * longer, and is read out again.
 */
export const tell = ({ hint = null, isBad = false, text }: { text: string; hint?: string | null; isBad?: boolean }) => {
  const id = last += 1
  const others = toasts.value.filter((toast) => toast.text !== text)
  toasts.value = [...others.slice(-3), { id, text, hint, isBad }]
  if (!isBad) setTimeout(() => dismiss(id), 5000)
}

export const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Takes away what went wrong before: it is tried again. */
export const dismissBad = () => {
  if (toasts.value.some(({ isBad }) => isBad)) toasts.value = toasts.value.filter(({ isBad }) => !isBad)
}

let place = route.value.place
route.subscribe((next) => {
  if (next.place !== place) dismissBad()
  place = next.place
})
