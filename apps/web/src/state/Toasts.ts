/** Short messages at the corner of the page, read out by screen readers. */
import { signal } from "@preact/signals"

interface Toast {
  readonly id: number
  readonly text: string
  readonly hint: string | null
  readonly isBad: boolean
}

export const toasts = signal<ReadonlyArray<Toast>>([])

let last = 0

/** One that is bad stays until it is closed; others go after a while. The same words are not shown twice at a time. */
export const tell = ({ hint = null, isBad = false, text }: { text: string; hint?: string | null; isBad?: boolean }) => {
  if (toasts.value.some((toast) => toast.text === text)) return
  const id = last += 1
  toasts.value = [...toasts.value.slice(-3), { id, text, hint, isBad }]
  if (!isBad) setTimeout(() => dismiss(id), 5000)
}

export const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}
